// Command encode measures what vectors of texts cost and bring, on STS16, which methods
// are chosen by: how words are weighed, what is removed and what that is fitted to, and
// how many words, dimensions and bits a space needs. It prints tables in Markdown.
//
//	go run ./bench/encode -space DIR -data DIR [-text FILE.zst,…]
//	go run ./bench/encode -space DIR -data DIR -choices 58000x500x4,100000x360x3 [FILE…]    words × dimensions × bits
//	go run ./bench/encode -space DIR -data DIR -methods encode,average FILE…    agreement with people, with intervals
//
// The space is a folder, as repro build makes one, but for -methods, which takes a packed one too; the data
// has sts and wordsim as repro data fetch gets them. FILEs are further pairs of sentences. With -text, components are
// fitted to sentences of it, too.
package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/klauspost/compress/zstd"
	"gonum.org/v1/gonum/floats"

	"contextmover/cmdlib"
	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/ot/cpu"
	"contextmover/cmdlib/score"
	"contextmover/cmdlib/sentence"
	"contextmover/experiments/dataset"
)

func main() {
	space := flag.String("space", "", "folder of a space with singular vectors")
	data := flag.String("data", os.Getenv("CONTEXTMOVER_DATA"), "folder of real data")
	text := flag.String("text", "", "files of tokenised text, to fit components to")
	choices := flag.String("choices", "",
		"sizes of spaces, separated by commas: how well they agree with people, on STS16, the files given, and words")
	methods := flag.String("methods", "",
		"methods, separated by commas: how well they agree with people, on STS12 to 16 and the files given")
	flag.Parse()
	if *methods != "" {
		if err := ask(context.Background(), *space, *data, strings.Split(*methods, ","), flag.Args()); err != nil {
			fmt.Fprintln(os.Stderr, "encode:", err)
			os.Exit(1)
		}
		return
	}
	if err := run(context.Background(), *space, *data, *text, *choices, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "encode:", err)
		os.Exit(1)
	}
}

func ask(ctx context.Context, space, data string, names, more []string) error {
	s, err := cmdlib.Open(space, cpu.New())
	if err != nil {
		return err
	}
	defer s.Close()
	return quality(ctx, s, data, names, more)
}

// set is one of the files of STS16, in words.
type set struct {
	a, b [][]string
	gold []float64
}

// files are those of a year, in the form of SentEval or as they were published.
func files(data, year string) ([]string, error) {
	sets := map[string]int{"2012": 5, "2013": 3, "2014": 6, "2015": 5, "2016": 5}
	for _, pattern := range []string{"*.tsv", "STS.input.*.txt"} {
		found, err := filepath.Glob(filepath.Join(data, "sts", year, pattern))
		if err != nil || len(found) == sets[year] {
			return found, err
		}
	}
	return nil, fmt.Errorf("%s has no sts/%s with the %d sets of that year", data, year, sets[year])
}

func read(data string) (sets []set, err error) {
	files, err := files(data, "2016")
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		s, err := readSet(file)
		if err != nil {
			return nil, err
		}
		sets = append(sets, s)
	}
	return sets, nil
}

func readSet(file string) (s set, err error) {
	pairs, err := dataset.ReadPairs(file)
	for _, p := range pairs {
		s.a, s.b = append(s.a, corpus.Tokenise(p.A)), append(s.b, corpus.Tokenise(p.B))
		s.gold = append(s.gold, p.Gold)
	}
	return s, err
}

// vectors are those of some words, as they would be kept.
type vectors struct {
	dim         int
	id          map[string]int
	data        []float32
	probability []float64
}

// isWord is that of repro pack.
func isWord(token string) bool {
	return strings.ContainsFunc(token, unicode.IsLetter) || len(token) == 1 && strings.Contains(`.,;:!?'"-()`, token)
}

// cut keeps n words, d dimensions and so many bits, as repro pack does; 32 for float32.
func cut(s *cmdlib.Space, n, d, bits int) *vectors {
	v := &vectors{dim: d, id: map[string]int{}}
	row := make([]float32, s.Dim)
	for id, word := range s.Words {
		if len(v.probability) == n {
			break
		}
		if !isWord(word) || !s.Vector(row, int32(id)) {
			continue
		}
		kept := slices.Clone(row[:d])
		round(kept, bits)
		unit(kept)
		v.id[word] = len(v.probability)
		v.data, v.probability = append(v.data, kept...), append(v.probability, s.Probability(int32(id)))
	}
	return v
}

// round makes numbers codes of so many bits: the nearest of even steps up to the largest, or with 3 bits the nearest of
// those that are best for a normal distribution.
func round(v []float32, bits int) {
	most, squares := 0.0, 0.0
	for _, x := range v {
		most, squares = max(most, math.Abs(float64(x))), squares+float64(x)*float64(x)
	}
	step := 2 * 0.293 * math.Sqrt(squares/float64(len(v)))
	for j, x := range v {
		switch bits {
		case 3:
			v[j] = float32(max(-7, min(7, 2*math.Floor(float64(x)/step)+1)))
		case 4:
			v[j] = float32(math.Round(7 * float64(x) / most))
		case 8:
			v[j] = float32(math.Round(127 * float64(x) / most))
		}
	}
}

// unit scales v to length 1.
func unit(v []float32) {
	squares := 0.0
	for _, x := range v {
		squares += float64(x) * float64(x)
	}
	for i, x := range v {
		v[i] = float32(float64(x) / math.Sqrt(squares))
	}
}

// own draws the direction of a word that is not known, as the library does.
func own(to []float32, word string) {
	hash := fnv.New64a()
	hash.Write([]byte(word))
	random := rand.New(rand.NewPCG(1, hash.Sum64()))
	for i := range to {
		to[i] = float32(random.NormFloat64())
	}
	unit(to)
}

// encoder makes points of texts.
type encoder struct {
	*vectors
	a       float64
	own     bool // unknown words have vectors of their own
	removed *sentence.Components
}

func (e *encoder) point(tokens []string) []float64 {
	x, drawn, n := make([]float64, e.dim), make([]float32, e.dim), 0
	for _, token := range tokens {
		v, w := drawn, 1.0
		if id, ok := e.id[token]; ok {
			v, w = e.data[id*e.dim:(id+1)*e.dim], e.a/(e.a+e.probability[id])
		} else if e.own {
			own(drawn, token)
		} else {
			continue
		}
		n++
		for j, y := range v {
			x[j] += w * float64(y)
		}
	}
	floats.Scale(1/float64(max(n, 1)), x)
	if e.removed != nil {
		e.removed.Remove(x, nil)
	}
	return x
}

// random returns points with the second moment of those of random texts of n words.
func (e *encoder) random(n float64) []float64 {
	words := min(len(e.probability), 20_000)
	total := floats.Sum(e.probability[:words])
	mean := make([]float64, e.dim)
	var points []float64
	for i, p := range e.probability[:words] {
		w := e.a / (e.a + p)
		p /= total
		for j, x := range e.data[i*e.dim : (i+1)*e.dim] {
			mean[j] += p * w * float64(x)
			points = append(points, math.Sqrt(p/n)*w*float64(x))
		}
	}
	floats.Scale(math.Sqrt(1-1/n), mean)
	return append(points, mean...)
}

// of returns the mean of the sets' Pearson × 100; with perSet components of each side of each set are removed.
func (e *encoder) of(ctx context.Context, sets []set, perSet int) (float64, error) {
	sum := 0.0
	for _, s := range sets {
		var sides [2][]float64
		for i := range s.a {
			sides[0], sides[1] = append(sides[0], e.point(s.a[i])...), append(sides[1], e.point(s.b[i])...)
		}
		if perSet > 0 {
			for _, side := range sides {
				c, err := sentence.FitComponents(ctx, side, e.dim, perSet)
				if err != nil {
					return 0, err
				}
				for row := range slices.Chunk(side, e.dim) {
					c.Remove(row, nil)
				}
			}
		}
		values := make([]float64, len(s.gold))
		for i := range values {
			x, y := sides[0][i*e.dim:(i+1)*e.dim], sides[1][i*e.dim:(i+1)*e.dim]
			if scale := floats.Norm(x, 2) * floats.Norm(y, 2); scale > 0 {
				values[i] = floats.Dot(x, y) / scale
			}
		}
		r, err := score.Pearson(values, s.gold)
		if err != nil {
			return 0, err
		}
		sum += r
	}
	return 100 * sum / float64(len(sets)), nil
}

func run(ctx context.Context, space, data, text, choices string, more []string) error {
	s, err := cmdlib.Open(space, cpu.New())
	if err != nil {
		return err
	}
	defer s.Close()
	sets, err := read(data)
	if err != nil {
		return err
	}
	if choices != "" {
		return choose(ctx, s, data, strings.Split(choices, ","), sets, more)
	}
	if text == "" {
		return sizes(ctx, s, sets)
	}
	sentences, err := sample(strings.Split(text, ","), 20_000, 11)
	if err != nil {
		return err
	}
	return fits(ctx, cut(s, 50_000, min(300, s.Dim), 8), sets, sentences)
}

// fits prints what weights, vectors of their own and components bring.
func fits(ctx context.Context, v *vectors, sets []set, sentences [][]string) error {
	fmt.Printf("\n%d words, %d dimensions, 8 bits; Pearson × 100 on STS16\n\n", len(v.probability), v.dim)
	fmt.Println("| a | unknown words | none removed | per set: 1 | 5 | kept, random texts of 1 word: 1 | 3 | 5 | of " +
		"3: 1 | 3 | 5 | of 10: 1 | 3 | 5 | own text: 1 | 3 | 5 |")
	fmt.Println("|--:|:--" + strings.Repeat("|--:", 15) + "|")
	for _, a := range []float64{1e-3, 5e-4, 3e-4, 2e-4} {
		for _, own := range []bool{false, true} {
			if !own && a != 3e-4 {
				continue
			}
			e := &encoder{vectors: v, a: a, own: own}
			fmt.Printf("| %g | %s |", a, map[bool]string{false: "left out", true: "of their own"}[own])
			for _, m := range []int{0, 1, 5} {
				r, err := e.of(ctx, sets, m)
				if err != nil {
					return err
				}
				fmt.Printf(" %.1f |", r)
			}
			fitted := func(points []float64) error {
				for _, m := range []int{1, 3, 5} {
					c, err := sentence.FitComponents(ctx, points, e.dim, m)
					if err != nil {
						return err
					}
					kept := &encoder{vectors: v, a: a, own: own, removed: c}
					r, err := kept.of(ctx, sets, 0)
					if err != nil {
						return err
					}
					fmt.Printf(" %.1f |", r)
				}
				return nil
			}
			for _, n := range []float64{1, 3, 10} {
				if err := fitted(e.random(n)); err != nil {
					return err
				}
			}
			if len(sentences) > 0 {
				var points []float64
				for _, tokens := range sentences {
					points = append(points, e.point(tokens)...)
				}
				if err := fitted(points); err != nil {
					return err
				}
			}
			fmt.Println()
		}
	}
	return nil
}

// sizes prints what words, dimensions and bits cost.
func sizes(ctx context.Context, s *cmdlib.Space, sets []set) error {
	d := cmdlib.DefaultEncoding
	fmt.Printf("\na = %g, %d components of random words; Pearson × 100 on STS16 (megabytes)\n\n", d.A, d.Components)
	fmt.Print("| words | bits |")
	dims := slices.DeleteFunc([]int{100, 200, 256, 300, 400, 500}, func(dim int) bool { return dim > s.Dim })
	for _, dim := range dims {
		fmt.Printf(" %d dimensions |", dim)
	}
	fmt.Println("\n|--:|--:" + strings.Repeat("|--:", len(dims)) + "|")
	for _, n := range []int{10_000, 25_000, 40_000, 50_000, 100_000} {
		for _, bits := range []int{4, 8, 32} {
			if bits != 8 && n != 50_000 {
				continue
			}
			fmt.Printf("| %d | %d |", n, bits)
			for _, dim := range dims {
				v := cut(s, n, dim, bits)
				e := &encoder{vectors: v, a: d.A, own: true}
				c, err := sentence.FitComponents(ctx, e.random(1), dim, d.Components)
				if err != nil {
					return err
				}
				e.removed = c
				r, err := e.of(ctx, sets, 0)
				if err != nil {
					return err
				}
				fmt.Printf(" %.1f (%.1f) |", r, float64(n)*float64(dim*bits)/8/1e6)
			}
			fmt.Println()
		}
	}
	return nil
}

// sample takes every so-many-th sentence of files of text, at most n.
func sample(files []string, n, every int) (list [][]string, err error) {
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		z, err := zstd.NewReader(f)
		if err != nil {
			return nil, err
		}
		defer z.Close()
		lines := bufio.NewScanner(z)
		lines.Buffer(nil, 1<<24)
		for i := 0; len(list) < n && lines.Scan(); i++ {
			if tokens := strings.Fields(lines.Text()); i%every == 0 && len(tokens) > 2 {
				list = append(list, tokens)
			}
		}
		if err := lines.Err(); err != nil {
			return nil, err
		}
	}
	return list, nil
}
