package cmdlib

import (
	"cmp"
	"fmt"
	"math"

	"contextmover/cmdlib/ot"
)

// Options are settings of answers; zero values leave them as the space has them.
type Options struct {
	// Method, if not empty, is what single questions are answered by, whatever the texts: one of vectors, with
	// settings if need be ("nearest", "sif,a=1e-4"), or of transport, as the space has it ("average", "comb",
	// "debiased"). Where Settings or Combination are given without it, it is the one of transport.
	Method string
	// Settings are those of distances, and of barycenters. Where λ is given without a number of iterations, and is
	// smaller than the space's, iterations grow in proportion, as convergence takes.
	ot.Settings
	// Combination is how the words of a text are combined. A space of averages computes barycenters as its
	// distances.
	Combination Combination
	// Engine solves the transport problems.
	Engine ot.Engine
}

// With returns a view of the space with other settings. Histograms, vectors and the ground cost stay as they were made,
// so a clip of the cost is that of the λ it was made for. Options that settings cannot have are an error, and so is a λ
// below 1e-9 of the largest cost, whose problems no engine solves.
func (s *Space) With(o Options) (*Space, error) {
	t := *s
	if o.Engine != nil {
		t.Engine = o.Engine.Prepare(s.Cost)
	}
	if err := t.by(&o); err != nil {
		return nil, err
	}
	if o.Combination != "" {
		t.Settings.Sentence.Combination = o.Combination
	}
	if transport := o.Settings != (ot.Settings{}) || o.Combination != ""; transport {
		o.Method = combinationMethods[t.Settings.Sentence.Combination]
	}
	if o.Method != "" {
		t.ask(o.Method)
	}
	if t.Settings.Sentence.Transport.Reg == 0 {
		t.Settings.Sentence.Transport = t.Settings.Transport
	}
	for _, transport := range []*ot.Settings{&t.Settings.Transport, &t.Settings.Sentence.Transport} {
		if times := transport.Reg / cmp.Or(o.Reg, transport.Reg); times > 1 {
			transport.MaxIter = int(min(math.Ceil(float64(transport.MaxIter)*times), mostIterations))
		}
		transport.Reg, transport.MaxIter = cmp.Or(o.Reg, transport.Reg), cmp.Or(o.MaxIter, transport.MaxIter)
		transport.Tol, transport.Accelerate = cmp.Or(o.Tol, transport.Tol), o.Accelerate || transport.Accelerate
	}
	if err := t.Settings.check(); err != nil {
		return nil, fmt.Errorf("cmdlib: %w", err)
	}
	if err := t.Cost.ValidateReg(t.Settings.Transport.Reg); err != nil {
		return nil, fmt.Errorf("cmdlib: %w", err)
	}
	return &t, nil
}

// by checks the method of options against the rest, and sets how it combines words.
func (s *Space) by(o *Options) error {
	if o.Method == "" {
		return nil
	}
	m, err := ParseMethod(o.Method)
	if err != nil {
		return fmt.Errorf("cmdlib: %w", err)
	}
	switch {
	case m.Vectors():
		if o.Settings != (ot.Settings{}) || o.Combination != "" {
			return fmt.Errorf("cmdlib: the method %q with settings of transport: expected average, comb or debiased",
				o.Method)
		}
		return s.averages(m)
	case o.Combination != "" && o.Combination != m.Combination:
		return fmt.Errorf("cmdlib: the method %q and the combination %q: expected one of them", o.Method, o.Combination)
	}
	o.Combination = m.Combination
	return nil
}
