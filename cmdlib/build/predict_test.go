package build

import (
	"fmt"
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
	info, err := os.Stat(out)
	if err != nil {
		t.Fatal(err)
	}
	disk := info.Size()
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

// The eigenvectors of a matrix as large as the vocabulary take time that grows with the cube of its size, and memory
// with the square; both are next to nothing at the usual dimensions.
func TestPredictAllDimensions(t *testing.T) {
	b := New()
	b.MinCount = 1
	var lines []byte
	for i := range 3000 {
		lines = fmt.Appendf(lines, "w%d w%d w%d\n", i, (i+1)%3000, (i+2)%3000)
	}
	file := filepath.Join(t.TempDir(), "text.txt")
	if err := os.WriteFile(file, lines, 0o666); err != nil {
		t.Fatal(err)
	}
	b.Text = corpus.Text{Files: []string{file}, Layout: corpus.Sentences}
	predict := func(dim int) (seconds, memory float64) {
		b.Dim = dim
		p, err := b.Predict(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if p.Words != 3000 || p.Dim != min(dim, 3000) {
			t.Fatalf("%+v", p)
		}
		var whole float64 // the speed at which this machine counts is in all steps
		for _, s := range p.Steps {
			if s.Name == "singular vectors" {
				seconds = s.Seconds
			}
			if s.Name == "associations and estimates" {
				whole = s.Seconds
			}
		}
		return seconds / whole, float64(p.Memory)
	}
	half, _ := predict(1500)
	all, memory := predict(1 << 30)
	if r := all / half; r < 7 {
		t.Errorf("twice as many dimensions take %.1f times as long, expected nearly eight times", r)
	}
	if square := 8.0 * 3000 * 3000; memory < 6*square {
		t.Errorf("%.0f bytes of memory, a single matrix of the decomposition has %.0f", memory, square)
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
