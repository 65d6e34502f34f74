// Command scale fits what counting costs to what bench/scale.sh has measured, checks it on a run that it was not fitted on, and continues it.
//
// Processor seconds and bytes of run files are linear in the tokens, of merging in the bytes of run files and in the entries. Words and entries grow as a power of the tokens (Heaps' law), fitted by least squares of
// logarithms.
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
	engine, step            string
	files                   int
	tokens, seconds, memory float64
	bytes, words, entries   float64
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

// two fits y = p·u + q·v by least squares of relative errors.
func two(u, v, y []float64) (p, q float64) {
	var uu, uv, vv, su, sv float64
	for i := range y {
		a, b := u[i]/y[i], v[i]/y[i]
		uu, uv, vv, su, sv = uu+a*a, uv+a*b, vv+b*b, su+a, sv+b
	}
	d := uu*vv - uv*uv
	return (su*vv - sv*uv) / d, (sv*uu - su*uv) / d
}

// model is what the steps of a job array cost.
type model struct {
	words, pairs        float64 // seconds a token
	merge, write        float64 // seconds a byte of run files, and an entry
	run                 float64 // bytes of run files a token
	vocabulary, entries power
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
		fmt.Fprintf(w, "%s\t%s\t%.1f\t%.3f\t%.2f\t%.0f\t\n", r.engine, r.step, r.tokens/1e6, 1e6*r.seconds/r.tokens, r.bytes/r.tokens, r.memory/1e6)
	}
	w.Flush()
	m, ok := fit(rows, *check)
	if !ok {
		log.Fatal("scale: expected a job array of two sizes at least")
	}
	fmt.Printf("\nfitted: words %.3f and pairs %.3f µs a token; merge %.1f ns a byte of run files and %.1f ns an entry; %.2f bytes of run files a token;\n", 1e6*m.words, 1e6*m.pairs, 1e9*m.merge, 1e9*m.write, m.run)
	fmt.Printf("words %.3g·T^%.3f, entries %.3g·T^%.3f\n\n", m.vocabulary.a, m.vocabulary.b, m.entries.a, m.entries.b)
	fmt.Fprintln(w, "not fitted on\tmeasured\tpredicted\terror\t")
	tell := func(what string, measured, predicted, unit float64) {
		fmt.Fprintf(w, "%s\t%.4g\t%.4g\t%+.0f %%\t\n", what, measured/unit, predicted/unit, 100*(predicted/measured-1))
	}
	for _, r := range rows {
		if r.files != *check || r.engine != "array" {
			continue
		}
		switch r.step {
		case "words":
			tell("seconds of words", r.seconds, m.words*r.tokens, 1)
		case "pairs":
			tell("seconds of pairs", r.seconds, m.pairs*r.tokens, 1)
			tell("run files, MB", r.bytes, m.run*r.tokens, 1e6)
		case "merge":
			tell("seconds of merge", r.seconds, m.merge*m.run*r.tokens+m.write*m.entries.of(r.tokens), 1)
			tell("words, thousands", r.words, m.vocabulary.of(r.tokens), 1e3)
			tell("entries, millions", r.entries, m.entries.of(r.tokens), 1e6)
		}
	}
	w.Flush()
	fmt.Println()
	fmt.Fprintln(w, "tokens\tshards\tcore hours\thours, 64 cores\trun files, GB\twords, millions\tentries, billions\tcounts, GB\tSVD, GB of memory\t")
	shard := 0.0
	for _, r := range rows {
		shard = r.tokens / float64(r.files)
	}
	for _, tokens := range []float64{5e9, 500e9} {
		m.tell(w, tokens, shard, m.vocabulary.of(tokens), m.entries.of(tokens))
	}
	w.Flush()
}

func (m *model) tell(w *tabwriter.Writer, tokens, shard, words, entries float64) {
	run := m.run * tokens
	hours := ((m.words+m.pairs)*tokens + m.merge*run + m.write*entries) / 3600
	// As build.Builder.Predict has it, for 300 dimensions, six of ten associations being positive.
	const positive, columns = 0.6, 320
	svd := 1.2 * ((12+16*positive)*entries + 12*words*columns)
	fmt.Fprintf(w, "%.3g\t%.0f\t%.1f\t%.2f\t%.0f\t%.2f\t%.2f\t%.0f\t%.0f\t\n", tokens, tokens/shard, hours, hours/64, run/1e9, words/1e6, entries/1e9, 16*entries/1e9, svd/1e9)
}

// fit fits the model to all job arrays but that of so many files.
func fit(rows []row, check int) (m model, ok bool) {
	var x, words, pairs, run, merge, vocabulary, entries []float64
	for _, r := range rows {
		if r.engine != "array" || r.files == check {
			continue
		}
		switch r.step {
		case "words":
			words = append(words, r.seconds)
		case "pairs":
			pairs, run = append(pairs, r.seconds), append(run, r.bytes)
		case "merge":
			x, merge, vocabulary, entries = append(x, r.tokens), append(merge, r.seconds), append(vocabulary, r.words), append(entries, r.entries)
		}
	}
	if len(x) < 2 || len(words) != len(x) || len(pairs) != len(x) {
		return m, false
	}
	m = model{words: ratio(x, words), pairs: ratio(x, pairs), run: ratio(x, run), vocabulary: fitPower(x, vocabulary), entries: fitPower(x, entries)}
	m.merge, m.write = two(run, entries, merge)
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
		if _, err := fmt.Fscan(strings.NewReader(in.Text()), &r.engine, &r.step, &r.files, &r.tokens, &r.seconds, &r.memory, &r.bytes, &r.words, &r.entries); err != nil {
			return nil, fmt.Errorf("scale: line %d, %q: %w", number, in.Text(), err)
		}
		rows = append(rows, r)
	}
	return rows, in.Err()
}
