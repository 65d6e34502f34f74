package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"contextmover/cmdlib/english"
	"contextmover/cmdlib/ot/cpu"
	"contextmover/experiments/repro/batch"
	"contextmover/scale/steps"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// BenchmarkElements solves 100,000 pairs of frequent words in one process and, by Prism,
// with so many pairs an element, and tells the processor seconds that this takes.
func BenchmarkElements(b *testing.B) {
	space, err := english.Open(cpu.New())
	if err != nil {
		b.Fatal(err)
	}
	defer space.Close()
	var pairs strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&pairs, "%s\t%s\n", space.Words[i%997], space.Words[1000+i%1009])
	}
	file := filepath.Join(b.TempDir(), "pairs.tsv")
	if err := os.WriteFile(file, []byte(pairs.String()), 0o666); err != nil {
		b.Fatal(err)
	}
	measure := func(b *testing.B, do func(out string) error) {
		before := processor(b)
		for range b.N {
			if err := do(b.TempDir()); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric((processor(b)-before)/float64(b.N), "processor-s/op")
	}
	b.Run("process", func(b *testing.B) {
		measure(b, func(out string) error {
			d, err := batch.Distances(space, file, out)
			if err != nil {
				return err
			}
			d.Cut(100_000)
			if _, err := d.Make(b.Context(), 0); err != nil {
				return err
			}
			return d.Join(b.Context())
		})
	})
	beam.Init()
	for _, lines := range []int{100, 1000, 10_000, 100_000} {
		b.Run(fmt.Sprint(lines), func(b *testing.B) {
			measure(b, func(out string) error {
				d := steps.Batch{Kind: steps.Distances, Space: "english", File: file, Out: out, Lines: lines}
				made, _, err := d.Open(b.Context())
				if err != nil {
					return err
				}
				p, s := beam.NewPipelineWithRoot()
				d.Pipeline(s, made.Blocks())
				if err := execute(b.Context(), p); err != nil {
					return err
				}
				_, err = os.Stat(filepath.Join(out, made.Name))
				return err
			})
		})
	}
}

// processor returns the processor seconds of this process.
func processor(b *testing.B) float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	seconds := func(t syscall.Timeval) float64 { return float64(t.Sec) + 1e-6*float64(t.Usec) }
	return seconds(usage.Utime) + seconds(usage.Stime)
}
