package corpus

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
)

// benchmarkText returns about two million tokens of 30,000 types in lines of 20 on
// average, tokenised.
func benchmarkText(b *testing.B) (Text, int) {
	content := randomText(rand.New(rand.NewPCG(1, 1)), 100_000, 40, 30_000)
	return Text{Files: []string{write(b, "text", content)}, Tokenised: true}, len(strings.Fields(content))
}

func BenchmarkBuildVocabulary(b *testing.B) {
	text, tokens := benchmarkText(b)
	for _, tokenised := range []bool{true, false} {
		text.Tokenised = tokenised
		b.Run(fmt.Sprintf("tokenised=%t", tokenised), func(b *testing.B) {
			for b.Loop() {
				if _, _, err := BuildVocabulary(b.Context(), text, 5, nil); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(tokens)*float64(b.N)/b.Elapsed().Seconds(), "tokens/s")
		})
	}
}

func BenchmarkCount(b *testing.B) {
	text, tokens := benchmarkText(b)
	v, _, err := BuildVocabulary(b.Context(), text, 5, nil)
	if err != nil {
		b.Fatal(err)
	}
	for _, window := range []int{2, 10} {
		b.Run(fmt.Sprintf("window=%d", window), func(b *testing.B) {
			var total float64
			for b.Loop() {
				c, _, err := Count(b.Context(), text, v, window, nil)
				if err != nil {
					b.Fatal(err)
				}
				total = float64(c.NonZeros())
			}
			b.ReportMetric(float64(tokens)*float64(b.N)/b.Elapsed().Seconds(), "tokens/s")
			b.ReportMetric(total*float64(b.N)/b.Elapsed().Seconds(), "nonzeros/s")
		})
	}
	path := filepath.Join(b.TempDir(), "cooccurrence.bin")
	for _, memory := range []int64{8 << 20, 1 << 30} {
		b.Run(fmt.Sprintf("file/memory=%dMiB", memory>>20), func(b *testing.B) {
			for b.Loop() {
				if _, err := CountToFile(b.Context(), text, v, CountFile{path, 10, memory}, nil); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(tokens)*float64(b.N)/b.Elapsed().Seconds(), "tokens/s")
		})
	}
	c, _, err := Count(b.Context(), text, v, 10, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("write", func(b *testing.B) {
		b.SetBytes(int64(c.NonZeros()) * recordSize)
		for b.Loop() {
			if err := WriteCooccurrences(b.Context(), path, c); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("read", func(b *testing.B) {
		b.SetBytes(int64(c.NonZeros()) * recordSize)
		for b.Loop() {
			if _, err := ReadCooccurrences(b.Context(), path, v.Len(), nil); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkTokenise(b *testing.B) {
	for name, line := range map[string]string{
		"raw":       "It's 3,000 U.S. dollars (approx.), isn't it? Mr. Smith, who had left the house, didn't think so.",
		"tokenised": "it ' s 3,000 u.s. dollars ( approx. ) , isn ' t it ? mr. smith , who had left the house , didn ' t think so .",
	} {
		b.Run(name, func(b *testing.B) {
			tokens := len(Tokenise(line))
			for b.Loop() {
				Tokenise(line)
			}
			b.ReportMetric(float64(tokens)*float64(b.N)/b.Elapsed().Seconds(), "tokens/s")
		})
	}
}
