package miniworld

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"testing"

	"contextmover/experiments/harness/miniworld/lexicon"
)

// small has the gold data of the default world and less text.
var small = sync.OnceValue(func() *World { return generate(20_000) })

// full is the default world.
var full = sync.OnceValue(func() *World { return generate(DefaultTokens) })

func generate(tokens int) *World { return Generate(DefaultSeed, tokens) }

// written returns a folder's files by their slash-separated names.
func written(t *testing.T, w *World) map[string][]byte {
	t.Helper()
	dir := t.TempDir()
	if err := w.Write(dir); err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		files[filepath.ToSlash(name)], err = os.ReadFile(path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func digest(files map[string][]byte) string {
	var names []string
	for name := range files {
		names = append(names, name)
	}
	sort.Strings(names)
	h := sha256.New()
	for _, name := range names {
		fmt.Fprintf(h, "%s %d\n", name, len(files[name]))
		h.Write(files[name])
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

func TestSameSeedSameBytes(t *testing.T) {
	want := digest(written(t, small()))
	for _, threads := range []int{1, 3} {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
		if got := digest(written(t, generate(20_000))); got != want {
			t.Errorf("GOMAXPROCS %d: %s, want %s", threads, got, want)
		}
	}
	other := Generate(DefaultSeed+1, 20_000)
	if got := written(t, other); digest(got) == want || bytes.Equal(got["corpus.txt"], small().Corpus) {
		t.Error("another seed makes the same world")
	}
}

// A store keeps worlds under their Version: whoever changes the bytes must change it.
func TestVersionBelongsToBytes(t *testing.T) {
	const version, want = 2, "3012f1640ca732daf324e34a7050886027817a302305e4ed6668ef11031e9763"
	if got := digest(written(t, small())); Version != version || got != want {
		t.Errorf("version %d makes a world with the digest %s; the test knows version %d with %s: count Version up and note the new digest here",
			Version, got, version, want)
	}
}

func TestGoldDependsOnSeedAlone(t *testing.T) {
	a, b := written(t, small()), written(t, generate(1))
	for name := range a {
		if name != "corpus.txt" && !bytes.Equal(a[name], b[name]) {
			t.Errorf("%s differs between sizes of the corpus", name)
		}
	}
	if w := generate(1); bytes.Count(w.Corpus, []byte("\n")) != 1 {
		t.Errorf("asked for 1 token, got %q", w.Corpus)
	}
}

// rows splits tab-separated lines and checks the number of fields.
func rows(t *testing.T, name string, data []byte, fields int) [][]string {
	t.Helper()
	if len(data) == 0 || data[len(data)-1] != '\n' {
		t.Fatalf("%s: empty, or no final newline", name)
	}
	var out [][]string
	for i, line := range strings.Split(strings.TrimSuffix(string(data), "\n"), "\n") {
		f := strings.Split(line, "\t")
		if len(f) != fields {
			t.Fatalf("%s:%d: %d fields, want %d: %q", name, i+1, len(f), fields, line)
		}
		out = append(out, f)
	}
	return out
}

func number(t *testing.T, name, s string, top float64) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || !(v >= 0 && v <= top) {
		t.Fatalf("%s: %q is not a number from 0 to %g", name, s, top)
	}
	return v
}

// isWord tells whether w is made of the letters a to z.
func isWord(w string) bool {
	return w != "" && strings.Trim(w, "abcdefghijklmnopqrstuvwxyz") == ""
}

// tokenStyle checks that a sentence is in the style of the STS files: lower case,
// single spaces, punctuation apart.
func tokenStyle(t *testing.T, name, line string) {
	t.Helper()
	for _, token := range strings.Split(line, " ") {
		if !isWord(token) && !slices.Contains([]string{".", ",", "?", "!", ";", "'", "\""}, token) {
			t.Fatalf("%s: token %q in %q", name, token, line)
		}
	}
}

func TestFiles(t *testing.T) {
	files := written(t, small())
	sets := 0
	groups := map[string]int{}
	for _, s := range small().Sentences {
		group, _, _ := strings.Cut(s.Name, "/")
		groups[group]++
		name := "sts/" + s.Name + ".tsv"
		seen := map[string]bool{}
		r := rows(t, name, files[name], 3)
		if len(r) < 150 || len(r) > 250 {
			t.Errorf("%s: %d pairs, want 150 to 250", name, len(r))
		}
		for _, f := range r {
			score := number(t, name, f[0], 5)
			if fifths := score * 5; math.Abs(fifths-math.Round(fifths)) > 1e-9 {
				t.Errorf("%s: score %s is not the mean of five integers", name, f[0])
			}
			tokenStyle(t, name, f[1])
			tokenStyle(t, name, f[2])
			if f[1] == f[2] || seen[f[1]] || seen[f[2]] {
				t.Errorf("%s: a sentence is there twice: %q", name, f)
			}
			seen[f[1]], seen[f[2]] = true, true
		}
		sets++
	}
	for group, n := range groups {
		if n != 2 {
			t.Errorf("group %s has %d sets, want 2", group, n)
		}
	}
	for _, s := range small().Words {
		name := "wordsim/" + s.Name + ".txt"
		for _, f := range rows(t, name, files[name], 3) {
			number(t, name, f[2], 10)
			if !isWord(f[0]) || !isWord(f[1]) {
				t.Errorf("%s: %q", name, f)
			}
		}
		sets++
	}
	for _, s := range small().Hypernymy {
		name := "hypernymy/" + s.Name + ".all"
		for _, f := range rows(t, name, files[name], 4) {
			if !isWord(f[0]) || !isWord(f[1]) || (f[2] == "True") != (f[3] == "hyper") || f[2] != "True" && f[2] != "False" {
				t.Errorf("%s: %q", name, f)
			}
		}
		sets++
	}
	hyperlex(t, files["hypernymy/hyperlex-mini.txt"])
	frequencyList(t, small().Frequencies, string(files["frequencies/mini.txt"]))
	if want := sets + 3; len(files) != want {
		t.Errorf("%d files, want %d", len(files), want)
	}
}

// frequencyList checks that a list of frequencies is what it says, and that it lacks of the corpus what
// such lists lack: punctuation and rare words.
func frequencyList(t *testing.T, list []Frequency, text string) {
	t.Helper()
	var want strings.Builder
	listed := map[string]bool{}
	for i, f := range list {
		fmt.Fprintf(&want, "%s %d\n", f.Word, f.Count)
		if !isWord(f.Word) || f.Count < 20 || listed[f.Word] || i > 0 && f.Count > list[i-1].Count {
			t.Errorf("frequency %d: %+v", i, f)
		}
		listed[f.Word] = true
	}
	if text != want.String() {
		t.Errorf("the file of frequencies is not their list: %.100q", text)
	}
	missing, rare := 0, 0
	corpus := strings.Fields(string(small().Corpus))
	for _, token := range corpus {
		switch {
		case listed[token]:
		case isWord(token):
			rare++
		default:
			missing++
		}
	}
	if missing == 0 || rare == 0 || 5*(missing+rare) > len(corpus) {
		t.Errorf("of %d tokens %d are punctuation, %d rare words that are not listed: want some of both, few in all", len(corpus), missing, rare)
	}
}

// hyperlex checks that means and deviations are those of the ratings, as in the
// original file: its line "radish carrot N cohyp 0.09 0.15 0.29" has the ratings
// 0 (ten times) and 1.
func hyperlex(t *testing.T, data []byte) {
	original := Pair{Ratings: []float64{0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0}}
	if got := fmt.Sprintf("%.2f %.2f %.2f", original.Mean(), original.Mean()*10/6, original.Deviation()); got != "0.09 0.15 0.29" {
		t.Errorf("summary of the original's ratings: %s", got)
	}
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	if lines[0] != "WORD1 WORD2 POS TYPE AVG_SCORE AVG_SCORE_0_10 STD SCORES.." {
		t.Errorf("header %q", lines[0])
	}
	for _, line := range lines[1:] {
		f := strings.Fields(line)
		if len(f) != 17 || f[2] != "N" {
			t.Fatalf("line %q", line)
		}
		sum := 0.0
		for _, r := range f[7:] {
			sum += number(t, line, r, 6)
		}
		if mean := number(t, line, f[4], 6); math.Abs(mean-sum/10) > 1e-9 {
			t.Errorf("mean %g of %q", mean, line)
		}
	}
}

// average of the truth or score of the pairs that satisfy a condition.
func average(pairs []Pair, value func(Pair) float64, condition func(a, b string) bool) (mean float64, n int) {
	for _, p := range pairs {
		if condition(p.A, p.B) {
			mean += value(p)
			n++
		}
	}
	return mean / float64(n), n
}

func TestWordScoresFollowTheTruth(t *testing.T) {
	w := small()
	seen := map[[2]string]bool{}
	for _, s := range w.Words {
		for _, p := range s.Pairs {
			key := [2]string{min(p.A, p.B), max(p.A, p.B)}
			if p.A == p.B || seen[key] {
				t.Errorf("%s: %s %s is there twice, or one word twice", s.Name, p.A, p.B)
			}
			seen[key] = true
			// Ten ratings with a deviation of 1.2 and rounding have a mean within 1.9 (five standard errors); the ends
			// of the scale can add a little.
			if math.Abs(p.Mean()-10*p.Truth) > 2.2 {
				t.Errorf("%s: %s %s: score %g for a truth of %g", s.Name, p.A, p.B, p.Mean(), p.Truth)
			}
		}
		if s.Name != "mini-sim" && s.Name != "mini-verb" {
			continue
		}
		score := func(p Pair) float64 { return p.Mean() }
		same, n1 := average(s.Pairs, score, func(a, b string) bool { return w.Similarity(a, b) == 1 })
		near, n2 := average(s.Pairs, score, func(a, b string) bool { return w.Similarity(a, b) < 1 && w.sameClass(a, b) })
		far, n3 := average(s.Pairs, score, func(a, b string) bool { return w.Similarity(a, b) < 0.2 })
		t.Logf("%s: synonyms %.1f (%d), same class %.1f (%d), unrelated %.1f (%d)", s.Name, same, n1, near, n2, far, n3)
		if n1 < 5 || n2 < 10 || n3 < 10 || same < near+2 || near < far+2 {
			t.Errorf("%s: synonyms %.1f (%d), same class %.1f (%d), unrelated %.1f (%d)", s.Name, same, n1, near, n2, far, n3)
		}
	}
}

func (w *World) sameClass(a, b string) bool {
	for _, s := range w.senses[a] {
		for _, t := range w.senses[b] {
			switch {
			case s.noun != nil && t.noun != nil && s.noun.Parent == t.noun.Parent,
				s.verb != nil && t.verb != nil && s.verb.Group == t.verb.Group,
				s.adj.word != "" && t.adj.word != "" && s.adj.group == t.adj.group:
				return true
			}
		}
	}
	return false
}

// hypernyms returns the nouns above any sense of the word, nearest first sense by
// sense, each once.
func (w *World) hypernyms(word string) []string {
	var above []string
	seen := map[string]bool{word: true}
	for _, s := range w.senses[word] {
		if s.noun == nil {
			continue
		}
		for p := s.noun.Parent; p != nil; p = p.Parent {
			for _, l := range p.Lemmas {
				if !seen[l.Singular] {
					seen[l.Singular] = true
					above = append(above, l.Singular)
				}
			}
		}
	}
	return above
}

func TestHypernymyAgreesWithTheTaxonomy(t *testing.T) {
	w := small()
	seen := map[[2]string]bool{}
	for _, s := range w.Hypernymy {
		count := map[string]int{}
		for _, p := range s.Pairs {
			key := [2]string{min(p.A, p.B), max(p.A, p.B)}
			if p.A == p.B || seen[key] {
				t.Errorf("%s: %s %s is there twice, or one word twice", s.Name, p.A, p.B)
			}
			seen[key] = true
			count[p.Relation]++
			if above := slices.Contains(w.hypernyms(p.A), p.B); above != (p.Relation == "hyper") {
				t.Errorf("%s: %s %s is %v, the taxonomy says %v", s.Name, p.A, p.B, !above, above)
			}
			switch p.Relation {
			case "reversed":
				if !slices.Contains(w.hypernyms(p.B), p.A) {
					t.Errorf("%s: %s is no hypernym of %s", s.Name, p.A, p.B)
				}
			case "coord":
				if !w.sameClass(p.A, p.B) {
					t.Errorf("%s: %s and %s are no sisters", s.Name, p.A, p.B)
				}
			case "random":
				if v := w.Similarity(p.A, p.B); v > 0.2 {
					t.Errorf("%s: %s and %s have similarity %g", s.Name, p.A, p.B, v)
				}
			}
		}
		t.Logf("%s: %v", s.Name, count)
	}
	sum := map[string]float64{}
	number := map[string]float64{}
	for _, g := range w.Graded {
		kind := strings.TrimRight(g.Relation, "1234")
		sum[kind] += g.Mean()
		number[kind]++
		if strings.HasPrefix(g.Relation, "hyp-") != slices.Contains(w.hypernyms(g.A), g.B) {
			t.Errorf("%s %s is %s", g.A, g.B, g.Relation)
		}
	}
	mean := func(kind string) float64 { return sum[kind] / number[kind] }
	if !(mean("hyp-") > mean("syn")+0.5 && mean("syn") > mean("r-hyp-")+1 && mean("r-hyp-") > mean("no-rel")+0.5) {
		t.Errorf("graded means: hyp %.2f, syn %.2f, r-hyp %.2f, no-rel %.2f", mean("hyp-"), mean("syn"), mean("r-hyp-"), mean("no-rel"))
	}
}

func TestTruth(t *testing.T) {
	w := small()
	if got := w.hypernyms("elephant"); !slices.Contains(got, "mammal") || !slices.Contains(got, "animal") || slices.Contains(got, "bird") {
		t.Errorf("hypernyms of elephant: %v", got)
	}
	for word, least := range map[string]int{"rock": 2, "bank": 2, "bat": 2, "crane": 2, "bass": 3, "pitch": 2, "mouse": 2, "spring": 2, "bark": 3, "seal": 2, "trunk": 2, "elephant": 1} {
		if got := len(w.senses[word]); got < least {
			t.Errorf("%s has %d senses, want at least %d", word, got, least)
		}
	}
	if w.senses["xyzzy"] != nil || len(w.hypernyms("xyzzy")) != 0 || w.Similarity("xyzzy", "dog") != 0 {
		t.Error("an unknown word has senses")
	}
	for _, c := range [][3]string{ // the first is more like the second than like the third
		{"car", "automobile", "truck"}, {"guitar", "violin", "drum"}, {"guitar", "flute", "hammer"},
		{"dog", "cat", "sparrow"}, {"big", "large", "small"}, {"rock", "stone", "jazz"}, {"rock", "jazz", "guitar"},
		{"bake", "fry", "arrest"},
	} {
		near, far := w.Similarity(c[0], c[1]), w.Similarity(c[0], c[2])
		if near != w.Similarity(c[1], c[0]) {
			t.Errorf("similarity of %s and %s is not symmetric", c[0], c[1])
		}
		if near <= far {
			t.Errorf("%s: %g to %s, %g to %s", c[0], near, c[1], far, c[2])
		}
	}
	if near, far := w.Relatedness("play", "guitar"), w.Relatedness("play", "cabbage"); near <= far {
		t.Errorf("play: %g to guitar, %g to cabbage", near, far)
	}
}

func TestEveryWordOfTheGoldIsFrequent(t *testing.T) {
	w := full()
	count := counts(w.Corpus)
	check := func(set, word string) {
		if count[word] < 20 {
			t.Errorf("%s: %q occurs %d times in the corpus, want at least 20", set, word, count[word])
		}
	}
	for _, s := range w.Words {
		for _, p := range s.Pairs {
			check(s.Name, p.A)
			check(s.Name, p.B)
		}
	}
	for _, s := range w.Hypernymy {
		for _, p := range s.Pairs {
			check(s.Name, p.A)
			check(s.Name, p.B)
		}
	}
	for _, p := range w.Graded {
		check("hyperlex", p.A)
		check("hyperlex", p.B)
	}
	// Words of the paper's figures and queries.
	for _, word := range strings.Fields("radio rock music stone elephant mammal my love life sport favorite europe shopping sleep help live lives best day her he likes of in for may not can you me to a lot i") {
		check("figures", word)
	}
}

func counts(text []byte) map[string]int {
	count := map[string]int{}
	scan := bufio.NewScanner(bytes.NewReader(text))
	scan.Split(bufio.ScanWords)
	for scan.Scan() {
		count[scan.Text()]++
	}
	return count
}

func TestCorpusStatistics(t *testing.T) {
	w := full()
	known := map[string]bool{}
	lines := 0
	most := 0
	tokens := 0
	for line := range strings.Lines(string(w.Corpus)) {
		n := len(strings.Fields(line))
		if n < shortest || n > longest {
			t.Fatalf("%d tokens in %q", n, line)
		}
		tokens += n
		most = max(most, n)
		known[strings.TrimSuffix(line, "\n")] = true
		lines++
	}
	if tokens < DefaultTokens || tokens > DefaultTokens+longest {
		t.Errorf("%d tokens, asked for %d", tokens, DefaultTokens)
	}
	if mean := float64(tokens) / float64(lines); mean < 10 || mean > 14 {
		t.Errorf("mean length %.2f, want 10 to 14", mean)
	}
	for i, line := range strings.SplitN(string(w.Corpus), "\n", 2001)[:2000] {
		tokenStyle(t, fmt.Sprint("sentence ", i+1), line)
	}

	count := counts(w.Corpus)
	if len(count) < 2500 || len(count) > 5000 {
		t.Errorf("%d types, want 2,500 to 5,000", len(count))
	}
	var frequency []int
	for _, c := range count {
		frequency = append(frequency, c)
	}
	sort.Sort(sort.Reverse(sort.IntSlice(frequency)))
	// Zipf: the logarithm of the frequency falls about as that of the rank rises.
	var x, y []float64
	for rank := 1; rank <= 2000; rank *= 2 {
		x, y = append(x, math.Log(float64(rank))), append(y, math.Log(float64(frequency[rank-1])))
	}
	slope, r := line(x, y)
	t.Logf("%d types, mean length %.2f, longest %d, Zipf exponent %.2f (r = %.3f)", len(count), float64(tokens)/float64(lines), most, -slope, r)
	if slope < -1.4 || slope > -0.7 || r > -0.95 {
		t.Errorf("frequencies fall with exponent %.2f (r = %.3f), want about 1", -slope, r)
	}

	copies, pairs, unknown := 0, 0, 0
	for _, s := range w.Sentences {
		for _, p := range s.Pairs {
			pairs++
			if known[p.A] && known[p.B] {
				copies++
			}
			for _, word := range strings.Fields(p.A + " " + p.B) {
				if count[word] == 0 {
					unknown++
					break
				}
			}
		}
	}
	t.Logf("%d pairs: %d have both sentences in the corpus, %d a word that is not", pairs, copies, unknown)
	if copies*20 > pairs || unknown < 20 || unknown*5 > pairs {
		t.Errorf("%d pairs: %d have both sentences in the corpus, %d a word that is not", pairs, copies, unknown)
	}
}

// line fits y by a line and returns its slope and the correlation.
func line(x, y []float64) (slope, r float64) {
	var mx, my, xx, yy, xy float64
	for i := range x {
		mx += x[i] / float64(len(x))
		my += y[i] / float64(len(y))
	}
	for i := range x {
		xx += (x[i] - mx) * (x[i] - mx)
		yy += (y[i] - my) * (y[i] - my)
		xy += (x[i] - mx) * (y[i] - my)
	}
	return xy / xx, xy / math.Sqrt(xx*yy)
}

// Token overlap must help, and not be enough.
func TestDifficulty(t *testing.T) {
	for _, s := range small().Sentences {
		var gold, truth, cosine, content []float64
		for _, p := range s.Pairs {
			gold, truth = append(gold, p.Mean()), append(truth, p.Truth)
			cosine = append(cosine, bagCosine(p.A, p.B, nil))
			content = append(content, bagCosine(p.A, p.B, functionWords))
		}
		_, rt := line(truth, gold)
		_, rc := line(cosine, gold)
		_, rf := line(content, gold)
		t.Logf("%-28s truth %.2f, overlap of tokens %.2f, of content words %.2f", s.Name, rt, rc, rf)
		if rt < 0.9 || rc < 0.3 || rc > 0.85 {
			t.Errorf("%s: correlation with the gold score: truth %.2f, overlap of tokens %.2f", s.Name, rt, rc)
		}
	}
}

var functionWords = strings.Fields("the a an some many two three four several this that these those all every any another , . and of in on at by with to for is was were are will not did does do ' t my his her our their your be")

func bagCosine(a, b string, without []string) float64 {
	bag := func(s string) map[string]float64 {
		m := map[string]float64{}
		for _, w := range strings.Fields(s) {
			if !slices.Contains(without, w) {
				m[w]++
			}
		}
		return m
	}
	x, y := bag(a), bag(b)
	dot, nx, ny := 0.0, 0.0, 0.0
	for w, v := range x {
		dot += v * y[w]
		nx += v * v
	}
	for _, v := range y {
		ny += v * v
	}
	if nx*ny == 0 {
		return 0
	}
	return dot / math.Sqrt(nx*ny)
}

// associations are dense rows of positive mutual information, windows of five.
type associations struct {
	index map[string]int
	rows  [][]float32
}

func associate(text []byte) *associations {
	count := counts(text)
	var vocabulary []string
	for w, c := range count {
		if c >= 20 {
			vocabulary = append(vocabulary, w)
		}
	}
	sort.Strings(vocabulary)
	a := &associations{index: map[string]int{}}
	for i, w := range vocabulary {
		a.index[w] = i
		a.rows = append(a.rows, make([]float32, len(vocabulary)))
	}
	var ids []int
	for sentence := range strings.Lines(string(text)) {
		ids = ids[:0]
		for _, w := range strings.Fields(sentence) {
			if i, ok := a.index[w]; ok {
				ids = append(ids, i)
			}
		}
		for p, i := range ids {
			for d := 1; d <= 5 && p+d < len(ids); d++ {
				j := ids[p+d]
				a.rows[i][j] += 1 / float32(d)
				a.rows[j][i] += 1 / float32(d)
			}
		}
	}
	sum := make([]float64, len(a.rows))
	total := 0.0
	for i, row := range a.rows {
		for _, v := range row {
			sum[i] += float64(v)
		}
		total += sum[i]
	}
	for i, row := range a.rows {
		norm := 0.0
		for j, v := range row {
			if v > 0 {
				row[j] = float32(max(0, math.Log(float64(v)*total/(sum[i]*sum[j]))))
			}
			norm += float64(row[j]) * float64(row[j])
		}
		for j := range row {
			row[j] /= float32(math.Sqrt(norm))
		}
	}
	return a
}

func (a *associations) cosine(x, y string) float64 {
	s := 0.0
	for j, v := range a.rows[a.index[x]] {
		s += float64(v) * float64(a.rows[a.index[y]][j])
	}
	return s
}

// TestStructureCanBeFound looks whether words that the world made alike have
// contexts that are alike.
func TestStructureCanBeFound(t *testing.T) {
	if testing.Short() {
		t.Skip("counts the whole corpus")
	}
	w := full()
	a := associate(w.Corpus)
	for _, c := range [][3]string{ // word, synonym, sister
		{"car", "automobile", "elephant"}, {"big", "large", "delicious"}, {"doctor", "physician", "violin"},
		{"buy", "purchase", "arrest"}, {"singer", "vocalist", "hammer"}, {"harbor", "port", "onion"},
		{"guitar", "violin", "potato"}, {"elephant", "lion", "guitar"}, {"rain", "snow", "loan"}, {"elephant", "mammal", "radio"},
	} {
		if near, far := a.cosine(c[0], c[1]), a.cosine(c[0], c[2]); near < far+0.1 {
			t.Errorf("%s: cosine %.2f to %s, %.2f to %s", c[0], near, c[1], far, c[2])
		}
	}
	// Each of these words is more like words of both its senses than like others.
	for word, c := range map[string][3][]string{
		"rock":   {{"jazz", "blues"}, {"stone", "pebble"}, {"loan", "soup"}},
		"bank":   {{"broker", "banker"}, {"beach", "shore"}, {"violin", "onion"}},
		"crane":  {{"sparrow", "stork"}, {"bulldozer", "engine"}, {"poem", "soup"}},
		"mouse":  {{"rat", "squirrel"}, {"laptop", "keyboard"}, {"soup", "tax"}},
		"bass":   {{"trout", "salmon"}, {"cello", "guitar"}, {"tax", "hammer"}},
		"pitch":  {{"stadium", "track"}, {"melody", "rhythm"}, {"onion", "tax"}},
		"seal":   {{"whale", "dolphin"}, {"contract", "stamp"}, {"onion", "violin"}},
		"tablet": {{"pill", "aspirin"}, {"laptop", "phone"}, {"onion", "violin"}},
	} {
		mean := func(words []string) float64 {
			s := 0.0
			for _, v := range words {
				s += a.cosine(word, v) / float64(len(words))
			}
			return s
		}
		x, y, other := mean(c[0]), mean(c[1]), mean(c[2])
		t.Logf("%-7s %v %.2f, %v %.2f, %v %.2f", word, c[0], x, c[1], y, c[2], other)
		if x < other+0.03 || y < other+0.03 {
			t.Errorf("%s: %v %.2f, %v %.2f, %v %.2f", word, c[0], x, c[1], y, c[2], other)
		}
	}
	for _, s := range w.Words {
		var gold, cosine []float64
		for _, p := range s.Pairs {
			gold = append(gold, p.Mean())
			cosine = append(cosine, a.cosine(p.A, p.B))
		}
		_, r := line(ranks(gold), ranks(cosine))
		t.Logf("%-15s rank correlation of cosines with the scores %.2f", s.Name, r)
		if r < 0.25 || r > 0.95 {
			t.Errorf("%s: rank correlation %.2f", s.Name, r)
		}
	}
}

func ranks(x []float64) []float64 {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(i, j int) bool { return x[order[i]] < x[order[j]] })
	r := make([]float64, len(x))
	for i := 0; i < len(order); {
		j := i
		for j < len(order) && x[order[j]] == x[order[i]] {
			j++
		}
		for _, k := range order[i:j] {
			r[k] = float64(i+j-1) / 2
		}
		i = j
	}
	return r
}

func TestWriteErrors(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "sts"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	err := small().Write(dir)
	var path *fs.PathError
	if err == nil || !errors.As(err, &path) || !strings.HasPrefix(err.Error(), "miniworld: ") {
		t.Errorf("a file in the way of a folder: error %v", err)
	}
}

// TestWordLists checks what reading the word lists takes for granted.
func TestWordLists(t *testing.T) {
	x := lexicon.Load()
	checkWord := func(words ...string) {
		for _, w := range words {
			if !isWord(w) {
				t.Errorf("%q is not a lower-case word", w)
			}
		}
	}
	unique := map[string]bool{}
	once := func(kind, name string) {
		if unique[kind+name] || name == "" {
			t.Errorf("%s %q is there twice, or has no name", kind, name)
		}
		unique[kind+name] = true
	}
	if len(x.Topics) > 32 {
		t.Errorf("%d topics, want at most 32", len(x.Topics))
	}
	for _, topic := range x.Topics {
		checkWord(topic.Name)
		once("topic", topic.Name)
		if topic.Weight == 0 || !slices.ContainsFunc(x.Frames, func(f *lexicon.Frame) bool { return f.Topics&topic.Bit != 0 }) {
			t.Errorf("topic %s has no weight or no frame", topic.Name)
		}
	}
	for _, n := range x.Nouns {
		once("noun", n.Name)
		if !n.Hidden && len(n.Lemmas) == 0 {
			t.Errorf("noun %s has no word", n.Name)
		}
		for _, l := range n.Lemmas {
			checkWord(l.Singular, l.Plural)
			if l.Proper != n.Lemmas[0].Proper || l.Unique != n.Lemmas[0].Unique {
				t.Errorf("%s is a name or the only one of its kind, its synonyms are not, or the reverse", l.Singular)
			}
		}
	}
	framed := map[*lexicon.Verb]bool{}
	for _, f := range x.Frames {
		framed[f.Verb] = true
		if len(f.Subject) == 0 || f.Object != nil && len(f.Object) == 0 || f.Topics == 0 || f.Weight == 0 {
			t.Errorf("a frame of %s lacks nouns, topics or weight", f.Verb.Lemmas[0].Base)
		}
		for _, c := range f.Complements {
			checkWord(c.Preposition)
		}
	}
	groups := map[string]bool{"past": true, "present": true, "future": true, "surname": true, "unknown name": true}
	for _, v := range x.Verbs {
		groups[v.Group] = true
		for _, l := range v.Lemmas {
			checkWord(l.Base, l.Third, l.Past, l.Participle, l.Gerund)
			once("verb", l.Base)
		}
		if v.Group == "" || !framed[v] {
			t.Errorf("verb %s has no group or no frame", v.Lemmas[0].Base)
		}
	}
	for _, g := range x.Adjectives {
		if len(g.Words) == 0 {
			t.Errorf("group %s has no adjective", g.Name)
		}
		for _, entry := range g.Words {
			checkWord(entry...)
		}
	}
	for name, list := range x.Lists {
		if !groups[name] {
			t.Errorf("list %q is of no group of verbs, tense or kind of name", name)
		}
		for _, entry := range list {
			for _, phrase := range entry {
				checkWord(strings.Fields(phrase)...)
			}
			if strings.HasSuffix(name, "name") {
				once(name, entry[0])
			}
		}
	}
	for _, name := range []string{"past", "present", "future", "surname", "unknown name"} {
		if len(x.Lists[name]) == 0 {
			t.Errorf("no list %q", name)
		}
	}
	for _, class := range []string{
		"relative", "body part", "abstract", "person", "man", "living", "male name", "female name", "calendar", "location",
	} {
		x.Class(class)
	}
	slots := strings.Fields("do doing name he bare a the plural adjective")
	for _, p := range x.Everyday {
		if p.Weight == 0 || len(p.Parts)%2 == 0 {
			t.Errorf("pattern %q has no weight, or a brace without its other one", p.Parts)
		}
		for i, part := range p.Parts {
			kind, class, ok := strings.Cut(part, " ")
			if i%2 == 1 && (!slices.Contains(slots, kind) || ok && len(x.Class(class)) == 0) {
				t.Errorf("no slot {%s}", part)
			}
		}
	}
}
