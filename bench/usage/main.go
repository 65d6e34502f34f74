// Command usage judges distances between uses of a word: by the change of meaning that people saw between two periods,
// and by whether people say that two uses mean the same.
//
//	go run ./bench/usage -dwug DIR -truth FILE -wic DIR
//
// DIR are dwug_en of DWUG EN 3.0.0 and WiC's folder with train, dev and test; FILE is SemEval-2020's task2/english.txt.
// It prints two tables in Markdown, of the built-in space. The distance and the order that repro shift has were chosen
// by this change of meaning, so their rows are no held-out result; for WiC thresholds are chosen on train and dev.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/floats"

	"contextmover/cmdlib"
	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/english"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/cpu"
	"contextmover/cmdlib/score"
	"contextmover/cmdlib/usage"
)

func main() {
	dwug := flag.String("dwug", "", "folder dwug_en of DWUG EN 3.0.0")
	truth := flag.String("truth", "", "SemEval-2020 task 1's graded truth of English words")
	wic := flag.String("wic", "", "folder of WiC")
	flag.Parse()
	if err := run(context.Background(), *dwug, *truth, *wic); err != nil {
		fmt.Fprintln(os.Stderr, "usage:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, dwug, truth, wic string) error {
	s, err := english.Open(cpu.New())
	if err != nil {
		return err
	}
	defer s.Close()
	if err := change(ctx, s, dwug, truth); err != nil {
		return err
	}
	return same(ctx, s, wic)
}

// lines are those of a file, without the last line's end.
func lines(parts ...string) ([]string, error) {
	data, err := os.ReadFile(filepath.Join(parts...))
	return strings.Split(strings.TrimRight(string(data), "\r\n"), "\n"), err
}

// table reads a table with a header, columns cut at tabs and quotes kept: a row for each line, by the columns' names.
func table(parts ...string) (rows []map[string]string, err error) {
	all, err := lines(parts...)
	if err != nil {
		return nil, err
	}
	names := strings.Split(all[0], "\t")
	for i, line := range all[1:] {
		cells := strings.Split(line, "\t")
		if len(cells) != len(names) {
			return nil, fmt.Errorf("%s:%d: %d columns, expected %d", filepath.Join(parts...), i+2, len(cells),
				len(names))
		}
		row := make(map[string]string)
		for j, name := range names {
			row[name] = cells[j]
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// vectors returns the vectors of uses, those without one left out.
func vectors(s *cmdlib.Space, list []corpus.Occurrence) (x [][]float64, err error) {
	for _, o := range list {
		ids := make([]int32, len(o.Sentence))
		for i, word := range o.Sentence {
			ids[i] = -1
			if id, ok := s.ID(word); ok {
				ids[i] = id
			}
		}
		v, err := usage.New(s, ids)
		if err != nil {
			return nil, err
		}
		if row := make([]float64, s.Dim); v.At(row, ids, o.At) {
			x = append(x, row)
		}
	}
	return x, nil
}

func mean(x [][]float64) []float64 {
	m := make([]float64, len(x[0]))
	for _, row := range x {
		floats.AddScaled(m, 1/float64(len(x)), row)
	}
	return m
}

func cosine(x, y []float64) float64 {
	return floats.Dot(x, y) / (floats.Norm(x, 2) * floats.Norm(y, 2))
}

// changes are the ways to measure how a word moved.
var changes = []string{
	"mean distance of uses (`repro shift`)", "cosine of mean vectors of uses", "neighbours' overlap of mean vectors",
	"the context mover's distance of estimates",
}

// move returns how far apart a word's uses in two periods are by each of changes.
func move(ctx context.Context, s *cmdlib.Space, periods [2][]corpus.Occurrence) (d []float64, err error) {
	var means [2][]float64
	rows := ot.Histograms{K: s.Cost.K}
	for side, list := range periods {
		x, err := vectors(s, list)
		if err != nil {
			return nil, err
		}
		means[side] = mean(x)
		e, err := s.Estimate(list)
		if err != nil {
			return nil, err
		}
		rows.Data = append(rows.Data, e.Histogram...)
	}
	moved, err := s.Distances(ctx, rows, []ot.Pair{{Source: 0, Target: 1}})
	if err != nil {
		return nil, err
	}
	return []float64{
		1 - floats.Dot(means[0], means[1]), 1 - cosine(means[0], means[1]), 1 - overlap(s, means), moved[0],
	}, nil
}

// overlap is the share of the 50 nearest of 20,000 words of one mean that are among those of the other.
func overlap(s *cmdlib.Space, means [2][]float64) float64 {
	const words, nearest = 20_000, 50
	var near [2][]int32
	v, x := make([]float32, s.Dim), make([]float64, s.Dim)
	for side, m := range means {
		dots, order := make([]float64, words), make([]int, words)
		for id := range int32(words) {
			if !s.Vector(v, id) {
				continue
			}
			for j, y := range v {
				x[j] = float64(y)
			}
			dots[id] = -floats.Dot(m, x)
		}
		floats.Argsort(dots, order)
		for _, id := range order[:nearest] {
			near[side] = append(near[side], int32(id))
		}
	}
	both := 0.0
	for _, id := range near[0] {
		if slices.Contains(near[1], id) {
			both++
		}
	}
	return both / nearest
}

// change prints Spearman's ρ of each way with what people saw.
func change(ctx context.Context, s *cmdlib.Space, dwug, truth string) error {
	groups, err := table(dwug, "stats", "opt", "stats_groupings.csv")
	if err != nil {
		return err
	}
	graded, err := lines(truth)
	if err != nil {
		return err
	}
	semeval := make(map[string]float64)
	for i, line := range graded {
		word, number, _ := strings.Cut(line, "\t")
		if semeval[word], err = strconv.ParseFloat(number, 64); err != nil {
			return fmt.Errorf("%s:%d: %w", truth, i+1, err)
		}
	}
	distances, gold := make([][2][]float64, len(changes)), [2][]float64{}
	for _, row := range groups {
		lemma := row["lemma"]
		uses, err := table(dwug, "data", lemma, "uses.csv")
		if err != nil {
			return err
		}
		var periods [2][]corpus.Occurrence
		for _, use := range uses {
			from, to, _ := strings.Cut(use["indexes_target_token"], ":")
			a, err1 := strconv.Atoi(from)
			b, err2 := strconv.Atoi(to)
			context := []rune(use["context"])
			if err := errors.Join(err1, err2); err != nil || a < 0 || b <= a || b > len(context) {
				return fmt.Errorf("%s: use %s: the place %s:%s, expected one of %d characters",
					lemma, use["identifier"], from, to, len(context))
			}
			before := corpus.Tokenise(string(context[:a]))
			sentence := slices.Concat(before, []string{strings.ToLower(string(context[a:b]))},
				corpus.Tokenise(string(context[b:])))
			side := 0
			if use["grouping"] == "2" {
				side = 1
			}
			periods[side] = append(periods[side], corpus.Occurrence{Sentence: sentence, At: len(before)})
		}
		d, err := move(ctx, s, periods)
		if err != nil {
			return fmt.Errorf("%s: %w", lemma, err)
		}
		value, err := strconv.ParseFloat(row["change_graded"], 64)
		if err != nil {
			return fmt.Errorf("%s: %w", lemma, err)
		}
		other, ok := semeval[lemma]
		gold[0] = append(gold[0], value)
		if ok {
			gold[1] = append(gold[1], other)
		}
		for i := range d {
			distances[i][0] = append(distances[i][0], d[i])
			if ok {
				distances[i][1] = append(distances[i][1], d[i])
			}
		}
	}
	fmt.Printf("| Spearman's ρ with graded change | DWUG EN, %d lemmas | SemEval-2020, %d |\n|:--|--:|--:|\n",
		len(gold[0]), len(gold[1]))
	for i, name := range changes {
		fmt.Printf("| %s |", name)
		for set := range gold {
			rho, err := score.Spearman(distances[i][set], gold[set])
			if err != nil {
				return err
			}
			low, high, err := score.Bootstrap(ctx, len(gold[set]), 2000, 1, func(sample []int) float64 {
				var x, y []float64
				for _, j := range sample {
					x, y = append(x, distances[i][set][j]), append(y, gold[set][j])
				}
				rho, _ := score.Spearman(x, y)
				return rho
			})
			if err != nil {
				return err
			}
			fmt.Printf(" %.2f (%.2f to %.2f) |", rho, low, high)
		}
		fmt.Println()
	}
	return nil
}

// same prints how often a threshold on the likeness of two uses tells whether they mean the same.
func same(ctx context.Context, s *cmdlib.Space, wic string) error {
	parts := []string{"train", "dev", "test"}
	names := []string{
		"cosine of uses", "cosine of whole sentences (`Space.Encode`)", "the context mover's distance of estimates",
	}
	likeness, gold := make([][][]float64, len(names)), make([][]bool, len(parts))
	for p, part := range parts {
		data, err := lines(wic, part, part+".data.txt")
		if err != nil {
			return err
		}
		answers, err := lines(wic, part, part+".gold.txt")
		if err != nil {
			return err
		}
		if len(data) != len(answers) {
			return fmt.Errorf("WiC's %s: %d pairs with %d answers", part, len(data), len(answers))
		}
		rows, pairs := ot.Histograms{K: s.Cost.K}, []ot.Pair(nil)
		var by [3][]float64
		var texts []string
		var open []int // pairs that have estimates
		for i, line := range data {
			cells := strings.Split(strings.TrimRight(line, "\r"), "\t")
			if len(cells) != 5 {
				return fmt.Errorf("WiC's %s, line %d: %d columns, expected 5", part, i+1, len(cells))
			}
			var x [][]float64
			var own []float32
			for side, place := range strings.Split(cells[2], "-") {
				at, err := strconv.Atoi(place)
				sentence := strings.Fields(strings.ToLower(cells[3+side]))
				if err != nil || at < 0 || at >= len(sentence) {
					return fmt.Errorf("WiC's %s, line %d: place %q of %d words", part, i+1, place,
						len(sentence))
				}
				list := []corpus.Occurrence{{Sentence: sentence, At: at}}
				v, err := vectors(s, list)
				if err != nil {
					return err
				}
				x, texts = append(x, v...), append(texts, strings.Join(sentence, " "))
				if e, err := s.Estimate(list); err == nil {
					own = append(own, e.Histogram...)
				} else if !errors.Is(err, cmdlib.ErrNoContexts) {
					return err
				}
			}
			gold[p] = append(gold[p], strings.HasPrefix(answers[i], "T"))
			likes := 0.0
			if len(x) == 2 {
				likes = floats.Dot(x[0], x[1])
			}
			by[0], by[2] = append(by[0], likes), append(by[2], -1e9) // without contexts: as far apart as can be
			if len(own) == 2*rows.K {
				n := int32(rows.Len())
				pairs, open = append(pairs, ot.Pair{Source: n, Target: n + 1}), append(open, i)
				rows.Data = append(rows.Data, own...)
			}
		}
		distances, err := s.Distances(ctx, rows, pairs)
		if err != nil {
			return err
		}
		for i, d := range distances {
			by[2][open[i]] = -d
		}
		encoded, err := s.Encode(ctx, texts)
		if err != nil {
			return err
		}
		for i := range data {
			sum := 0.0
			for j := range s.Dim {
				sum += float64(encoded[2*i*s.Dim+j]) * float64(encoded[(2*i+1)*s.Dim+j])
			}
			by[1] = append(by[1], sum)
		}
		for m := range by {
			likeness[m] = append(likeness[m], by[m])
		}
	}
	fmt.Printf("\n| accuracy on WiC, %% | train and dev (%d) | test (%d) |\n|:--|--:|--:|\n",
		len(gold[0])+len(gold[1]), len(gold[2]))
	for m, name := range names {
		threshold, chosen := best(slices.Concat(likeness[m][0], likeness[m][1]), slices.Concat(gold[0], gold[1]))
		right := func(sample []int) float64 {
			n := 0.0
			for _, i := range sample {
				if (likeness[m][2][i] >= threshold) == gold[2][i] {
					n++
				}
			}
			return 100 * n / float64(len(sample))
		}
		all := make([]int, len(gold[2]))
		for i := range all {
			all[i] = i
		}
		low, high, err := score.Bootstrap(ctx, len(all), 2000, 1, right)
		if err != nil {
			return err
		}
		fmt.Printf("| %s | %.1f | %.1f (%.1f to %.1f) |\n", name, 100*chosen, right(all), low, high)
	}
	return nil
}

// best returns the threshold that most answers follow from, and the share of these.
func best(x []float64, gold []bool) (threshold, share float64) {
	order := make([]int, len(x))
	sorted := slices.Clone(x)
	floats.Argsort(sorted, order)
	right := 0 // with a threshold at or below all
	for _, g := range gold {
		if g {
			right++
		}
	}
	most := right
	threshold = sorted[0]
	for i, at := range order {
		if gold[at] {
			right--
		} else {
			right++
		}
		if i+1 < len(sorted) && sorted[i+1] > sorted[i] && right > most {
			most, threshold = right, (sorted[i]+sorted[i+1])/2
		}
	}
	return threshold, float64(most) / float64(len(x))
}
