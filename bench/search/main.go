// Command search makes an index of a text, searches it for each query, and prints what that took. See search.sh.
package main

import (
	"bufio"
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"contextmover/cmdlib"
	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/ot/cpu"
	"contextmover/cmdlib/search"
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/spaces"
	"contextmover/internal/system"
)

// options are the flags.
type options struct {
	space, index, queries string
	n                     int
	all                   bool
}

func main() {
	var o options
	flag.StringVar(&o.space, "space", spaces.Default,
		"space: english, or the folder or file of one whose sentences are averages")
	flag.StringVar(&o.index, "index", "", "folder to make the index in")
	flag.StringVar(&o.queries, "queries", "", "file of queries, one a line")
	flag.IntVar(&o.n, "n", 10, "how many sentences to find")
	flag.BoolVar(&o.all, "all", false, "solve all problems of each query too, and compare")
	flag.Parse()
	if err := run(context.Background(), o, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "search:", err)
		os.Exit(1)
	}
}

// took measures f in seconds, of the clock and of the processor.
func took(f func() error) (clock, processor float64, err error) {
	before, _ := system.ProcessorSeconds()
	start := time.Now()
	err = f()
	after, _ := system.ProcessorSeconds()
	return time.Since(start).Seconds(), after - before, err
}

func run(ctx context.Context, o options, files []string) error {
	s, err := spaces.Open(ctx, o.space, cpu.New(), func(string) (*pipeline.Workspace, error) {
		return nil, fmt.Errorf("%s is a profile: name its space by its folder", o.space)
	})
	if err != nil {
		return err
	}
	defer s.Close()
	layout, err := corpus.DetectLayout(files)
	if err != nil {
		return err
	}
	text := corpus.Text{Files: files, Layout: layout}
	var added *search.Added
	clock, processor, err := took(func() (err error) {
		added, err = search.Add(ctx, o.index, s, text, nil)
		return err
	})
	if err != nil {
		return err
	}
	var stored, bytes int64
	for _, path := range files {
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		stored += info.Size()
	}
	entries, err := os.ReadDir(o.index)
	if err != nil {
		return err
	}
	for _, e := range entries {
		info, err := os.Stat(filepath.Join(o.index, e.Name()))
		if err != nil {
			return err
		}
		bytes += info.Size()
	}
	fmt.Printf("%d threads; %d words in %d bins; index of %d sentences in %d files of %.1f MB as stored\n",
		runtime.GOMAXPROCS(0), len(s.Words), s.Cost.K, added.Total, len(files), float64(stored)/1e6)
	if added.Sentences > 0 {
		fmt.Printf("built in %.1f s, %.1f s of processor time\n", clock, processor)
	}
	if peak, ok := system.PeakMemory(); ok {
		fmt.Printf("%.1f MB on disk; %.1f MB of memory at most so far\n", float64(bytes)/1e6, float64(peak)/1e6)
	}
	var x *search.Index
	clock, _, err = took(func() (err error) {
		x, err = search.Open(o.index, s)
		return err
	})
	if err != nil {
		return err
	}
	defer x.Close()
	fmt.Printf("opened in %.1f ms\n", 1000*clock)

	lines, err := readLines(o.queries)
	if err != nil {
		return err
	}
	var clocks []float64
	var total, compared, bounded, begun, solved float64
	for _, query := range lines {
		var found *search.Found
		clock, processor, err := took(func() (err error) {
			found, err = x.Search(ctx, query, o.n)
			return err
		})
		if err != nil {
			return err
		}
		clocks, total = append(clocks, clock), total+processor
		compared, bounded = compared+float64(found.Compared), bounded+float64(found.Bounded)
		begun, solved = begun+float64(found.Begun), solved+float64(found.Solved)
		if o.all {
			if err := compare(ctx, s, text, query, found); err != nil {
				return err
			}
		}
	}
	slices.Sort(clocks)
	sum := 0.0
	for _, c := range clocks {
		sum += c
	}
	q := float64(len(clocks))
	fmt.Printf("%d queries for %d sentences each: %.3f queries a second; %.2f s in the median, %.2f to %.2f s; %.2f "+
		"s of processor time "+
		"each\n", len(clocks), o.n, q/sum, clocks[len(clocks)/2], clocks[0], clocks[len(clocks)-1], total/q)
	fmt.Printf("of %.0f sentences each, %.4f %% needed the second bound, %.5f %% the third, and %.5f %% (%.0f) were "+
		"solved\n", compared/q, 100*bounded/compared, 100*begun/compared, 100*solved/compared, solved/q)
	if peak, ok := system.PeakMemory(); ok {
		fmt.Printf("%.1f MB of memory at most\n", float64(peak)/1e6)
	}
	return nil
}

func readLines(path string) (lines []string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	scanner := bufio.NewScanner(f)
	for scanner.Scan() {
		lines = append(lines, scanner.Text())
	}
	if err := scanner.Err(); err != nil {
		return nil, err
	}
	if len(lines) == 0 {
		return nil, fmt.Errorf("%s has no queries", path)
	}
	return lines, nil
}

// compare solves all problems of a query, and fails unless what was found is what that finds, bit for bit.
func compare(ctx context.Context, s *cmdlib.Space, text corpus.Text, query string, found *search.Found) error {
	var pairs []cmdlib.Pair
	_, err := corpus.Pieces(ctx, text, nil, func(sentences []corpus.Sentence) ([]corpus.Sentence, error) {
		return sentences, nil
	}, func(sentences []corpus.Sentence) error {
		for _, sentence := range sentences {
			pairs = append(pairs, cmdlib.Pair{A: query, B: strings.Join(sentence.Tokens, " ")})
		}
		return nil
	})
	if err != nil {
		return err
	}
	var results []cmdlib.PairDistance
	clock, processor, err := took(func() (err error) {
		results, err = s.PairDistances(ctx, pairs)
		return err
	})
	if err != nil {
		return err
	}
	var hits []search.Hit
	for i, r := range results {
		if r.Known {
			hits = append(hits, search.Hit{Distance: r.Cost, Position: int64(i)})
		}
	}
	slices.SortFunc(hits, func(a, b search.Hit) int {
		return cmp.Or(cmp.Compare(a.Distance, b.Distance), cmp.Compare(a.Position, b.Position))
	})
	for i, h := range found.Nearest {
		if h.Distance != hits[i].Distance || h.Position != hits[i].Position {
			return fmt.Errorf("%q: sentence %d is number %d at %v, solving all finds number %d at %v",
				query, i+1, h.Position, h.Distance, hits[i].Position, hits[i].Distance)
		}
	}
	fmt.Printf("%q: the same as by solving all, which takes %.2f s, %.2f s of processor time\n",
		query, clock, processor)
	return nil
}
