package build

import (
	"os"
	"path/filepath"
	"testing"

	"contextmover/cmdlib/corpus"
)

func TestPredict(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: counts 400,000 tokens; leave out -short")
	}
	b := novel(t, 400_000)
	exact, err := b.Predict(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "out")
	built, err := b.Run(t.Context(), out)
	if err != nil {
		t.Fatal(err)
	}
	if !exact.Exact || exact.Words != int64(built.Words) || exact.Pairs != built.Pairs || exact.Tokens != built.Tokens || exact.Dim != built.Dim || exact.Clusters != built.Clusters {
		t.Errorf("predicted %+v, built %+v", exact, built)
	}
	disk := int64(0)
	entries, err := os.ReadDir(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		disk += info.Size()
	}
	if r := float64(exact.Disk) / float64(disk); r < 0.9 || r > 1.1 {
		t.Errorf("predicted %d bytes, they are %d", exact.Disk, disk)
	}
	size := excerptSize
	defer func() { excerptSize = size }()
	excerptSize = exact.TextBytes / 10
	guess, err := b.Predict(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for name, r := range map[string]float64{
		"tokens": float64(guess.Tokens) / float64(exact.Tokens), "words": float64(guess.Words) / float64(exact.Words), "pairs": float64(guess.Pairs) / float64(exact.Pairs),
	} {
		t.Logf("%s: %.2f times as many predicted from a tenth of the text", name, r)
		if r < 0.6 || r > 1.6 {
			t.Errorf("%s: off by a factor of %.2f", name, r)
		}
	}
	if guess.Exact {
		t.Error("an extrapolation that calls itself exact")
	}
}

// TestPredictRealText compares the prediction with the figures of the corpora.
func TestPredictRealText(t *testing.T) {
	dir := os.Getenv("CONTEXTMOVER_DATA")
	files, err := filepath.Glob(filepath.Join(dir, "corpora", "*.txt.zst"))
	if dir == "" || err != nil || len(files) != 9 {
		t.Skipf("SKIPPED: set CONTEXTMOVER_DATA to the data folder to test on real data (%d files, %v)", len(files), err)
	}
	b := New()
	b.Text = corpus.Text{Files: files, Tokenised: true}
	p, err := b.Predict(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", p)
	// The README of the data: 83,791,357 tokens; 98,492 words at a minimum count of 10 and 94,630,363 pairs.
	for name, r := range map[string]float64{"tokens": float64(p.Tokens) / 83_791_357, "words": float64(p.Words) / 98_492, "pairs": float64(p.Pairs) / 94_630_363} {
		if r < 0.7 || r > 1.4 {
			t.Errorf("%s: off by a factor of %.2f", name, r)
		}
	}
}
