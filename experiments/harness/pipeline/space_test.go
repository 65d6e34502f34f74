package pipeline_test

import (
	"context"
	"slices"
	"testing"

	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/pipelinetest"
)

func TestOpenSpace(t *testing.T) {
	w := pipelinetest.World(t)
	s, dir, err := w.OpenSpace(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	v, err := w.Vocabulary(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(s.Words, v.Words) || s.Cost.K != 20 || s.Dim != 20 || s.Settings.SPPMI.Shift != w.Profile.Space.Row().Histograms().Shift {
		t.Errorf("%d words, %d bins, dimension %d, %+v", len(s.Words), s.Cost.K, s.Dim, s.Settings)
	}
	e, err := s.ByTransport().Explain(t.Context(), s.Words[30], s.Words[40], 3)
	if err != nil || len(e.Flows) != 3 || len(e.From.Contexts[0].Sources) == 0 {
		t.Errorf("explanation %+v, %v", e, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	// Another process finds it in the store and makes nothing, not even if it may not.
	other := &pipeline.Workspace{Profile: w.Profile, Store: w.Store, Engine: w.Engine, Progress: func(step string) func(done, total int64) {
		t.Errorf("%q is done again", step)
		return nil
	}}
	s, again, err := other.OpenSpace(t.Context())
	if err != nil || again != dir {
		t.Fatalf("%s, then %s, %v", dir, again, err)
	}
	s.Close()
	// Without a store that has it, making it can be interrupted.
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := pipelinetest.World(t).OpenSpace(ctx); err == nil {
		t.Error("no error after an interruption")
	}
}
