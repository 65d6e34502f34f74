// Command scale fits what counting costs to what bench/scale.sh has
// measured, checks it on a run that it was not fitted on, and continues it.
//
// Processor seconds are linear in the tokens, those of merging in the bytes of run
// files and in the entries, and a shard's run file in its entries. Words and entries
// grow as a power of the tokens (Heaps' law), fitted by least squares of logarithms.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"log"
	"math"
	"os"
	"strings"
	"text/tabwriter"
)

// row is a step that was measured.
type row struct {
	engine, step                                           string
	files                                                  int
	shards, tokens, seconds, memory, bytes, words, entries float64
}

// power is y = a·xᵇ.
type power struct{ a, b float64 }

func (p power) of(x float64) float64 { return p.a * math.Pow(x, p.b) }

// fitPower fits a power to at least two points.
func fitPower(x, y []float64) power {
	n := float64(len(x))
	var sx, sy, sxx, sxy float64
	for i := range x {
		u, v := math.Log(x[i]), math.Log(y[i])
		sx, sy, sxx, sxy = sx+u, sy+v, sxx+u*u, sxy+u*v
	}
	b := (n*sxy - sx*sy) / (n*sxx - sx*sx)
	return power{math.Exp((sy - b*sx) / n), b}
}

// ratio fits y = r·x.
func ratio(x, y []float64) float64 {
	var xy, xx float64
	for i := range x {
		xy, xx = xy+x[i]*y[i], xx+x[i]*x[i]
	}
	return xy / xx
}

// two fits y = p·u + q·v, p, q ≥ 0, by least squares of relative errors.
func two(u, v, y []float64) (p, q float64) {
	var uu, uv, vv, su, sv float64
	for i := range y {
		a, b := u[i]/y[i], v[i]/y[i]
		uu, uv, vv, su, sv = uu+a*a, uv+a*b, vv+b*b, su+a, sv+b
	}
	d := uu*vv - uv*uv
	p, q = (su*vv-sv*uv)/d, (sv*uu-su*uv)/d
	switch { // neither gives anything back
	case p < 0:
		return 0, sv / vv
	case q < 0:
		return su / uu, 0
	}
	return p, q
}

// model is what the steps of a job array cost, and the memory of one process.
type model struct {
	words, pairs        float64 // seconds a token
	merge, write        float64 // seconds a byte of run files, and an entry
	entry               float64 // bytes of a run file
	vocabulary, entries power
	token, pair         float64 // bytes of memory of one process
}

// run returns the bytes of the run files of so many shards: each has the entries of its own tokens.
func (m *model) run(tokens, shards float64) float64 {
	return m.entry * shards * m.entries.of(tokens/shards)
}

func main() {
	check := flag.Int("check", 0, "the number of files of the run that the model is checked on")
	flag.Parse()
	rows, err := read()
	if err != nil {
		log.Fatal(err)
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "engine\tstep\tmillion tokens\tµs a token\tbytes a token\tmemory, MB\t")
	for _, r := range rows {
		fmt.Fprintf(w, "%s\t%s\t%.1f\t%.3f\t%.2f\t%.0f\t\n", r.engine, r.step, r.tokens/1e6, 1e6*r.seconds/r.tokens,
			r.bytes/r.tokens, r.memory/1e6)
	}
	w.Flush()
	m, ok := fit(rows, *check)
	if !ok {
		log.Fatal("scale: expected a job array and one process, each of two sizes at least")
	}
	fmt.Printf("\nfitted: words %.3f and pairs %.3f µs a token; merge %.1f ns a byte of run files and %.1f ns an "+
		"entry of the counts;\n", 1e6*m.words, 1e6*m.pairs, 1e9*m.merge, 1e9*m.write)
	fmt.Printf("%.2f bytes of run files an entry; memory of one process %.1f bytes a token and %.1f an entry;\n",
		m.entry, m.token, m.pair)
	fmt.Printf("words %.3g·T^%.3f, entries %.3g·T^%.3f\n\n", m.vocabulary.a, m.vocabulary.b, m.entries.a, m.entries.b)
	fmt.Fprintln(w, "not fitted on\tmeasured\tpredicted\terror\t")
	tell := func(what string, measured, predicted, unit float64) {
		fmt.Fprintf(w, "%s\t%.4g\t%.4g\t%+.0f %%\t\n", what, measured/unit, predicted/unit, 100*(predicted/measured-1))
	}
	for _, r := range rows {
		if r.files != *check {
			continue
		}
		switch r.step {
		case "count":
			if r.engine == "process" {
				tell("memory of one process, MB", r.memory, m.token*r.tokens+m.pair*m.entries.of(r.tokens), 1e6)
			}
		case "words":
			tell("seconds of words", r.seconds, m.words*r.tokens, 1)
		case "pairs":
			tell("seconds of pairs", r.seconds, m.pairs*r.tokens, 1)
			tell("run files, MB", r.bytes, m.run(r.tokens, r.shards), 1e6)
		case "merge":
			tell("seconds of merge", r.seconds, m.merge*m.run(r.tokens, r.shards)+m.write*m.entries.of(r.tokens), 1)
			tell("words, thousands", r.words, m.vocabulary.of(r.tokens), 1e3)
			tell("entries, millions", r.entries, m.entries.of(r.tokens), 1e6)
		}
	}
	w.Flush()
	fmt.Println()
	fmt.Fprintln(w, "tokens\tshards\tcore hours\thours, 64 cores\trun files, GB\twords, millions\tentries, "+
		"billions\tcounts, GB\tone process, GB\tSVD, GB\t")
	shard := 0.0
	for _, r := range rows {
		if r.files == *check {
			shard = r.tokens / r.shards
		}
	}
	for _, tokens := range []float64{5e9, 500e9} {
		m.tell(w, tokens, math.Ceil(tokens/shard))
	}
	w.Flush()
}

func (m *model) tell(w *tabwriter.Writer, tokens, shards float64) {
	words, entries, run := m.vocabulary.of(tokens), m.entries.of(tokens), m.run(tokens, shards)
	hours := ((m.words+m.pairs)*tokens + m.merge*run + m.write*entries) / 3600
	// As build.Builder.Predict has it, for 300 dimensions, six of ten associations being positive.
	const positive, columns = 0.6, 320
	svd := 1.2 * ((12+16*positive)*entries + 12*words*columns)
	fmt.Fprintf(w, "%.3g\t%.0f\t%.1f\t%.2f\t%.0f\t%.2f\t%.2f\t%.0f\t%.0f\t%.0f\t\n", tokens, shards, hours, hours/64,
		run/1e9, words/1e6, entries/1e9, 16*entries/1e9,
		(m.token*tokens+m.pair*entries)/1e9, svd/1e9)
}

// fit fits the model to all runs but that of so many files.
func fit(rows []row, check int) (m model, ok bool) {
	var x, words, pairs, run, merge, parts, vocabulary, entries []float64
	var tokens, counted, memory []float64 // of one process
	for _, r := range rows {
		if r.files == check {
			continue
		}
		switch r.engine + " " + r.step {
		case "process count":
			tokens, counted, memory = append(tokens, r.tokens), append(counted, r.entries), append(memory, r.memory)
		case "array words":
			words = append(words, r.seconds)
		case "array pairs":
			pairs, run = append(pairs, r.seconds), append(run, r.bytes)
		case "array merge":
			x, merge, parts = append(x, r.tokens), append(merge, r.seconds), append(parts, r.bytes)
			vocabulary, entries = append(vocabulary, r.words), append(entries, r.entries)
		}
	}
	if len(x) < 2 || len(words) != len(x) || len(pairs) != len(x) || len(tokens) < 2 {
		return m, false
	}
	m = model{
		words: ratio(x, words), pairs: ratio(x, pairs), entry: ratio(entries, parts),
		vocabulary: fitPower(x, vocabulary), entries: fitPower(x, entries),
	}
	m.merge, m.write = two(run, entries, merge)
	m.token, m.pair = two(tokens, counted, memory)
	return m, true
}

// read reads the record, whose first line names the columns.
func read() (rows []row, err error) {
	in := bufio.NewScanner(os.Stdin)
	for number := 1; in.Scan(); number++ {
		if number == 1 {
			continue
		}
		var r row
		if _, err := fmt.Fscan(strings.NewReader(in.Text()), &r.engine, &r.step, &r.files, &r.shards, &r.tokens,
			&r.seconds, &r.memory, &r.bytes, &r.words, &r.entries); err != nil {
			return nil, fmt.Errorf("scale: line %d, %q: %w", number, in.Text(), err)
		}
		rows = append(rows, r)
	}
	return rows, in.Err()
}
