// Command senses judges the senses that are found in text without any
// tags, for 20 homographs of which people have tagged the occurrences.
//
//	go run ./bench/senses -wordnet DIR -tagged DIR [-space DIR] [-out DIR]
//	go run ./bench/senses -wordnet DIR -tagged DIR [-space DIR] -vectors DIR
//
// DIR are the folder of WordNet 3.0 with data.noun and index.noun, and CoarseWSD-20. It prints two tables
// in Markdown, and writes the figure senses.svg and all numbers, senses.json, into the folder -out.
//
// Two questions are asked of each word. Do its occurrences group as people tagged them? By the adjusted Rand index, 1
// where both agree and 0 on average by chance. And does WordNet know the found senses? Each is given the noun's synset
// that is nearest to it by the context mover's distance; the share of the occurrences is counted whose tag means that
// synset. Beside both stands what the same makes of occurrences that are dealt at random to groups of the same sizes.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"contextmover/cmdlib"
	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/english"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/cpu"
	"contextmover/cmdlib/senses"
	"contextmover/experiments/figure"
)

// How often occurrences are dealt at random: for groups, and for their synsets.
const (
	groupDraws  = 1999
	synsetDraws = 99
)

func main() {
	wordnet := flag.String("wordnet", "", "folder of WordNet 3.0 with data.noun and index.noun")
	tags := flag.String("tagged", "", "folder of CoarseWSD-20")
	dir := flag.String("space", "", "folder of a space (default: the one that is built in)")
	vectors := flag.String("vectors", "", "folder of a space with word vectors, or built-in: "+
		"compare other ways to group by them, and leave WordNet out")
	out := flag.String("out", ".", "folder for senses.svg and senses.json")
	flag.Parse()
	if err := run(context.Background(), *wordnet, *tags, *dir, *vectors, *out); err != nil {
		fmt.Fprintln(os.Stderr, "senses:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, wordnet, tags, dir, vectors, out string) error {
	w, err := readWordNet(wordnet)
	if err != nil {
		return err
	}
	var s *cmdlib.Space
	if dir == "" {
		s, err = english.Open(cpu.New())
	} else {
		s, err = cmdlib.Open(dir, cpu.New())
	}
	if err != nil {
		return err
	}
	defer s.Close()
	if vectors != "" {
		v := s
		if vectors != "built-in" {
			if v, err = cmdlib.Open(vectors, cpu.New()); err != nil {
				return err
			}
			defer v.Close()
		}
		return beside(ctx, s, v, w, tags)
	}
	var list []*judged
	for _, t := range tagged {
		j := &judgement{space: s, wordNet: w, word: t.word, synsets: t.synsets, by: senses.Find,
			random: rand.New(rand.NewPCG(21, uint64(len(list))))}
		if err := j.read(filepath.Join(tags, t.word)); err != nil {
			return err
		}
		result, err := j.judge(ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", t.word, err)
		}
		list = append(list, result)
		fmt.Fprintf(os.Stderr, "%s: %d senses, ARI %.2f\n", t.word, result.Own.Found, result.Own.Rand)
	}
	return report(list, out)
}

// judged is what is found of a word.
type judged struct {
	Word        string   `json:"word"`
	Tags        int      `json:"tags"`
	Occurrences int      `json:"occurrences"`
	Largest     float64  `json:"largest"` // share of the most frequent tag
	Own         grouping `json:"own"`     // as many senses as are best apart
	Told        grouping `json:"told"`    // as many as there are tags
}

// grouping is how the found senses do.
type grouping struct {
	Found  int     `json:"found"`
	Rand   float64 `json:"rand"` // the adjusted Rand index
	RandBy chance  `json:"rand_by_chance"`
	// Named is the share of the occurrences, of those whose tag WordNet knows, that get
	// a synset of their tag; First that of giving all the word's first synset; FirstFile
	// and NamedFile are those of the lexicographers' file of the synset alone.
	Named     float64  `json:"named"`
	NamedBy   chance   `json:"named_by_chance"`
	NamedFile float64  `json:"named_file"`
	FileBy    chance   `json:"named_file_by_chance"`
	First     float64  `json:"first"`
	FirstFile float64  `json:"first_file"`
	Glosses   []string `json:"glosses"` // of the synset of each found sense
}

// chance is what random draws make of a number.
type chance struct {
	Mean  float64 `json:"mean"`
	Low   float64 `json:"low"`  // 2.5 %
	High  float64 `json:"high"` // 97.5 %
	P     float64 `json:"p"`    // (1 + draws that are as large) / (1 + draws)
	draws []float64
}

func newChance(value float64, draws []float64) chance {
	c := chance{draws: draws}
	as := 0
	for _, x := range draws {
		c.Mean += x / float64(len(draws))
		if x >= value-1e-12 {
			as++
		}
	}
	sorted := slices.Sorted(slices.Values(draws))
	at := func(q float64) float64 { return sorted[int(math.Round(q*float64(len(sorted)-1)))] }
	c.Low, c.High, c.P = at(0.025), at(0.975), float64(1+as)/float64(1+len(draws))
	return c
}

type judgement struct {
	space       *cmdlib.Space
	wordNet     *wordNet
	word        string
	synsets     [][]string
	random      *rand.Rand
	occurrences []corpus.Occurrence
	tags        []int
	by          finder
}

// finder is a way to find senses: senses.Find or one of those that it chooses among.
type finder func(ctx context.Context, s *cmdlib.Space, occurrences []corpus.Occurrence, k int) (*senses.Senses, error)

// read takes the occurrences of both halves of the data, which are for learning and
// for tests of those who learn: all, or as many as repro senses takes, evenly spaced.
func (j *judgement) read(dir string) error {
	for _, part := range []string{"train", "test"} {
		data, err := os.ReadFile(filepath.Join(dir, part+".data.txt"))
		if err != nil {
			return err
		}
		gold, err := os.ReadFile(filepath.Join(dir, part+".gold.txt"))
		if err != nil {
			return err
		}
		sentences, tags := strings.Split(strings.TrimSpace(string(data)), "\n"), strings.Fields(string(gold))
		if len(sentences) != len(tags) {
			return fmt.Errorf("%s, %s: %d sentences of %d tags", dir, part, len(sentences), len(tags))
		}
		for i, line := range sentences {
			position, text, _ := strings.Cut(line, "\t")
			tokens := strings.Fields(text)
			at, err := strconv.Atoi(position)
			tag, wrong := strconv.Atoi(tags[i])
			if err != nil || wrong != nil || at < 0 || at >= len(tokens) || tag < 0 || tag >= len(j.synsets) {
				return fmt.Errorf("%s, %s.data.txt, line %d: word %q of %d, tag %q of %d", dir, part, i+1, position, len(tokens), tags[i], len(j.synsets))
			}
			j.occurrences, j.tags = append(j.occurrences, corpus.Occurrence{Sentence: tokens, At: at}), append(j.tags, tag)
		}
	}
	if n := len(j.tags); n > senses.MostOccurrences {
		for i := range senses.MostOccurrences {
			from := i * n / senses.MostOccurrences
			j.occurrences[i], j.tags[i] = j.occurrences[from], j.tags[from]
		}
		j.occurrences, j.tags = j.occurrences[:senses.MostOccurrences], j.tags[:senses.MostOccurrences]
	}
	for _, list := range j.synsets {
		for _, offset := range list {
			if !slices.Contains(j.wordNet.senses[j.word], offset) {
				return fmt.Errorf("%s has no synset %s: this is not WordNet 3.0", j.word, offset)
			}
		}
	}
	return nil
}

func (j *judgement) judge(ctx context.Context) (r *judged, err error) {
	r = &judged{Word: j.word, Tags: len(j.synsets), Occurrences: len(j.tags)}
	counts := make([]int, r.Tags)
	for _, t := range j.tags {
		counts[t]++
	}
	r.Largest = float64(slices.Max(counts)) / float64(r.Occurrences)
	if r.Own, err = j.group(ctx, 0); err != nil {
		return nil, err
	}
	r.Told, err = j.group(ctx, r.Tags)
	return r, err
}

// group finds k senses and judges them.
func (j *judgement) group(ctx context.Context, k int) (g grouping, err error) {
	groups, count, err := j.find(ctx, k)
	if err != nil {
		return g, err
	}
	g.Found = count
	g.Rand = adjustedRand(groups, j.tags)
	dealt, draws := slices.Clone(groups), make([]float64, groupDraws)
	for i := range draws {
		j.random.Shuffle(len(dealt), func(a, b int) { dealt[a], dealt[b] = dealt[b], dealt[a] })
		draws[i] = adjustedRand(dealt, j.tags)
	}
	g.RandBy = newChance(g.Rand, draws)

	names, err := j.newNames(ctx)
	if err != nil {
		return g, err
	}
	given, err := names.of(ctx, groups, g.Found)
	if err != nil {
		return g, err
	}
	for _, offset := range given {
		gloss, _, _ := strings.Cut(j.wordNet.synsets[offset].gloss, ";")
		g.Glosses = append(g.Glosses, strings.TrimSpace(gloss))
	}
	g.Named, g.NamedFile = j.right(groups, given)
	first := slices.Repeat(j.wordNet.senses[j.word][:1], g.Found)
	g.First, g.FirstFile = j.right(groups, first)
	named, files := make([]float64, synsetDraws), make([]float64, synsetDraws)
	for i := range named {
		j.random.Shuffle(len(dealt), func(a, b int) { dealt[a], dealt[b] = dealt[b], dealt[a] })
		given, err := names.of(ctx, dealt, g.Found)
		if err != nil {
			return g, err
		}
		named[i], files[i] = j.right(dealt, given)
	}
	g.NamedBy, g.FileBy = newChance(g.Named, named), newChance(g.NamedFile, files)
	return g, nil
}

// find gives each occurrence the number of its sense, of k or of as many as are best apart. Occurrences without a
// context are in no sense: they are one of their own here, with the number count, and count against the found senses.
func (j *judgement) find(ctx context.Context, k int) (groups []int, count int, err error) {
	found, err := j.by(ctx, j.space, j.occurrences, k)
	if err != nil {
		return nil, 0, err
	}
	count = len(found.Senses)
	groups = make([]int, len(j.tags))
	for _, i := range found.Unclear {
		groups[i] = count
	}
	for c, sense := range found.Senses {
		for _, i := range sense.Occurrences {
			groups[i] = c
		}
	}
	return groups, count, nil
}

// right is the share of the occurrences that get a synset of
// their tag, and that get its file, of those whose tag has one.
func (j *judgement) right(groups []int, given []string) (synset, file float64) {
	n := 0
	for i, c := range groups {
		own := j.synsets[j.tags[i]]
		if len(own) == 0 {
			continue
		}
		n++
		if c == len(given) { // unclear
			continue
		}
		if slices.Contains(own, given[c]) {
			synset++
		}
		if slices.ContainsFunc(own, func(o string) bool { return j.wordNet.synsets[o].file == j.wordNet.synsets[given[c]].file }) {
			file++
		}
	}
	return synset / float64(n), file / float64(n)
}

// names are the synsets of a word as histograms.
type names struct {
	*judgement
	offsets []string
	rows    ot.Histograms
}

func (j *judgement) newNames(ctx context.Context) (*names, error) {
	n := &names{judgement: j, rows: ot.Histograms{K: j.space.Cost.K}}
	for _, offset := range j.wordNet.senses[j.word] {
		text, err := j.space.Sentence(ctx, j.wordNet.text(offset, j.word))
		var unknown *cmdlib.UnknownError
		if errors.As(err, &unknown) {
			continue
		}
		if err != nil {
			return nil, err
		}
		n.offsets, n.rows.Data = append(n.offsets, offset), append(n.rows.Data, text.Histogram...)
	}
	return n, nil
}

// of gives each of k groups the synset nearest to the estimate of its occurrences.
func (n *names) of(ctx context.Context, groups []int, k int) ([]string, error) {
	rows := ot.Histograms{K: n.rows.K, Data: slices.Clone(n.rows.Data)}
	var pairs []ot.Pair
	for c := range k {
		var own []corpus.Occurrence
		for i, group := range groups {
			if group == c {
				own = append(own, n.occurrences[i])
			}
		}
		e, err := n.space.Estimate(own)
		if err != nil {
			return nil, err
		}
		for i := range n.offsets {
			pairs = append(pairs, ot.Pair{Source: int32(rows.Len()), Target: int32(i)})
		}
		rows.Data = append(rows.Data, e.Histogram...)
	}
	distances, err := n.space.Distances(ctx, rows, pairs)
	if err != nil {
		return nil, err
	}
	var given []string
	for c := range k {
		own := distances[c*len(n.offsets) : (c+1)*len(n.offsets)]
		given = append(given, n.offsets[slices.Index(own, slices.Min(own))])
	}
	return given, nil
}

// adjustedRand is the adjusted Rand index of two partitions (Hubert and Arabie, 1985).
func adjustedRand(a, b []int) float64 {
	type cell struct{ a, b int }
	cells, rows, columns := make(map[cell]int), make(map[int]int), make(map[int]int)
	for i := range a {
		cells[cell{a[i], b[i]}]++
		rows[a[i]]++
		columns[b[i]]++
	}
	pairs := func(n int) float64 { return float64(n) * float64(n-1) / 2 }
	var both, inA, inB float64
	for _, n := range cells {
		both += pairs(n)
	}
	for _, n := range rows {
		inA += pairs(n)
	}
	for _, n := range columns {
		inB += pairs(n)
	}
	expected := inA * inB / pairs(len(a))
	if most := (inA + inB) / 2; most != expected {
		return (both - expected) / (most - expected)
	}
	return 0
}

// pooled is the mean over words of a number and of each of its draws.
func pooled(list []*judged, of func(j *judged) (value float64, by chance)) (value float64, by chance) {
	var draws []float64
	for i, j := range list {
		x, c := of(j)
		if i == 0 {
			draws = make([]float64, len(c.draws))
		}
		value += x / float64(len(list))
		for k, d := range c.draws {
			draws[k] += d / float64(len(list))
		}
	}
	return value, newChance(value, draws)
}

func report(list []*judged, out string) error {
	for _, told := range []bool{false, true} {
		pick := func(j *judged) *grouping {
			if told {
				return &j.Told
			}
			return &j.Own
		}
		randOf := func(j *judged) (float64, chance) { return pick(j).Rand, pick(j).RandBy }
		named := func(j *judged) (float64, chance) { return pick(j).Named, pick(j).NamedBy }
		file := func(j *judged) (float64, chance) { return pick(j).NamedFile, pick(j).FileBy }
		fmt.Printf("\n%s\n\n", map[bool]string{false: "As many senses as are best apart:", true: "As many senses as there are tags:"}[told])
		fmt.Println("| | occurrences | tags | largest tag | found | adjusted Rand | p | synset right | by chance | p | first synset | file right | by chance | first file |")
		fmt.Println("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|")
		var first, firstFile float64
		better, betterNamed := 0, 0
		for _, j := range list {
			g := pick(j)
			fmt.Printf("| %s | %d | %d | %.0f %% | %d | %.2f | %.2g | %.0f %% | %.0f %% | %.2g | %.0f %% | %.0f %% | %.0f %% | %.0f %% |\n", j.Word, j.Occurrences, j.Tags, 100*j.Largest, g.Found, g.Rand, g.RandBy.P,
				100*g.Named, 100*g.NamedBy.Mean, g.NamedBy.P, 100*g.First, 100*g.NamedFile, 100*g.FileBy.Mean, 100*g.FirstFile)
			first += g.First / float64(len(list))
			firstFile += g.FirstFile / float64(len(list))
			if g.RandBy.P <= 0.05/float64(len(list)) {
				better++
			}
			if g.Named > g.NamedBy.Mean+1e-9 {
				betterNamed++
			}
		}
		r, rBy := pooled(list, randOf)
		n, nBy := pooled(list, named)
		f, fBy := pooled(list, file)
		fmt.Printf("| mean | | | | | %.2f | %.2g | %.0f %% | %.0f %% | %.2g | %.0f %% | %.0f %% | %.0f %% | %.0f %% |\n", r, rBy.P, 100*n, 100*nBy.Mean, nBy.P, 100*first, 100*f, 100*fBy.Mean, 100*firstFile)
		fmt.Printf("\nGroups beyond chance at 0.05 (Bonferroni): %d of %d words. More synsets right than by chance: %d. p of the files: %.2g.\n", better, len(list), betterNamed, fBy.P)
	}
	if err := draw(list, out); err != nil {
		return err
	}
	data, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, "senses.json"), append(data, '\n'), 0o666)
}

// draw shows the adjusted Rand index and the share of right synsets, each beside chance.
func draw(list []*judged, out string) error {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b *judged) int { return cmp.Compare(b.Own.Rand, a.Own.Rand) })
	panel := func(x, found string, of func(j *judged) (float64, chance)) figure.Panel {
		v := &figure.Intervals{X: x}
		ours, dealt := figure.Interval{Name: found, Colour: "#1f77b4"}, figure.Interval{Name: "dealt at random", Colour: "#999999"}
		add := func(name string, value float64, by chance) {
			v.Names = append(v.Names, name)
			ours.Value, ours.Low, ours.High = append(ours.Value, value), append(ours.Low, value), append(ours.High, value)
			dealt.Value, dealt.Low, dealt.High = append(dealt.Value, by.Mean), append(dealt.Low, min(by.Low, by.Mean)), append(dealt.High, max(by.High, by.Mean))
		}
		for _, j := range list {
			value, by := of(j)
			add(j.Word, value, by)
		}
		value, by := pooled(list, of)
		add("mean", value, by)
		v.Series = []figure.Interval{ours, dealt}
		return figure.Panel{Intervals: v}
	}
	f := &figure.Figure{
		ID: "senses", Title: "Senses of 20 homographs, found without tags",
		Caption: "Left: the adjusted Rand index of the groups that are found with tags that people gave the same occurrences. Right: the share of the occurrences whose group is nearest to a synset of WordNet that means their tag. Squares and lines: mean and central 95 % of occurrences dealt at random to groups of the same sizes.",
		Width:   figure.Column * 1.6, Height: 290, Columns: 2,
		Panels: []figure.Panel{
			panel("agreement with tags (adjusted Rand)", "found", func(j *judged) (float64, chance) { return j.Own.Rand, j.Own.RandBy }),
			panel("share with the synset of their tag", "found", func(j *judged) (float64, chance) { return j.Own.Named, j.Own.NamedBy }),
		},
	}
	return figure.WriteFiles(f, filepath.Join(out, "senses.svg"))
}
