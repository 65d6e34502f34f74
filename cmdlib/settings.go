package cmdlib

import (
	"contextmover/cmdlib/estimate"
	"contextmover/cmdlib/method"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/sppmi"
)

// SettingsOf returns the settings of a space that compares texts by a method. The method is an average of histograms
// or their barycenter, debiased or not, with weights by the corpus's own counts and no mix. Others are an
// ErrSettings.
func SettingsOf(m method.Method) (Settings, error) {
	var combination Combination
	switch m.(type) {
	case method.Average:
		combination = Average
	case method.Barycenter:
		combination = Barycenter
	case method.Debiased:
		combination = DebiasedBarycenter
	default:
		return Settings{}, lacks("the method %q of a space, expected one of %q, %q and %q", method.KindOf(m).ID,
			method.KindOf(method.Average{}).ID, method.KindOf(method.Barycenter{}).ID,
			method.KindOf(method.Debiased{}).ID)
	}
	h, _ := method.Of[method.Histograms](m)
	if marginal := h.Weighting.Marginal(); marginal != method.OfCorpus {
		return Settings{},
			lacks("the weights %q of a space, whose words weigh by the corpus's own counts: expected %q, %q or %q",
				h.Weights, method.Uniform, method.Inverse, method.SIFCorpus)
	}
	s := Settings{
		SPPMI:     sppmi.Params{Smoothing: h.Smoothing, Shift: h.Shift},
		Estimate:  estimate.Params{Normalisation: h.Normalisation, Beta: h.Beta},
		Ground:    h.Cost.Params(h.Reg),
		Transport: ot.Settings{Reg: h.Reg, MaxIter: h.Iterations},
		Sentence:  SentenceSettings{Combination: combination, Weighting: h.Weighting.Of()},
		Encoding:  DefaultEncoding,
		Defaults:  Measured,
	}
	if h.Accelerate {
		s.Transport = h.Transport.Distances()
	}
	if combination != Average {
		s.Sentence.Transport = h.Transport.Barycenters()
	}
	return s, nil
}
