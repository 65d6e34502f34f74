package cmdlib

import (
	"contextmover/cmdlib/estimate"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/sentence"
)

// chosenWords numbers the words that occur in some texts, so that the rest of the space is not touched.
type chosenWords struct {
	ids    []int32         // of the space, by the number
	number map[int32]int32 // and back
}

// add returns the number of the space's word id.
func (w *chosenWords) add(id int32) int32 {
	at, seen := w.number[id]
	if !seen {
		if w.number == nil {
			w.number = make(map[int32]int32)
		}
		at = int32(len(w.ids))
		w.number[id] = at
		w.ids = append(w.ids, id)
	}
	return at
}

// combiner returns what combines these words in texts as the space says.
func (s *Space) combiner(ids []int32) (sentence.Combiner, error) {
	own := s.Settings.Sentence
	if err := own.Combination.validate(); err != nil {
		return nil, err
	}
	if _, err := s.estimates(); err != nil {
		return nil, err
	}
	words := &estimate.Estimates{Histograms: ot.Histograms{K: s.Cost.K}}
	probability := make([]float64, len(ids))
	for i, id := range ids {
		words.Data, words.Known = append(words.Data, s.row(id)...), append(words.Known, s.known(id))
		probability[i] = s.Probability(id)
	}
	if own.Combination == Average {
		return sentence.HistogramAverage{Estimates: words, Weighting: own.Weighting, Probability: probability}, nil
	}
	settings := own.Transport
	if settings.Reg == 0 { // a space of averages does not say
		settings = s.Settings.Transport
	}
	return sentence.Barycenter{
		Estimates: words, Weighting: own.Weighting, Probability: probability, Cost: s.Cost, Engine: s.Engine,
		Settings: settings, Debiased: own.Combination == DebiasedBarycenter,
	}, nil
}
