package uses

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/ot/cpu"
	"contextmover/experiments/figure"
	"contextmover/experiments/pipeline"
	"contextmover/experiments/profile"
	"contextmover/experiments/render"
	"contextmover/experiments/store"
)

// Procrustes finds a rotation again, and no other orthogonal matrix is nearer.
func TestProcrustes(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	x := mat.NewDense(20, 2, nil)
	for i := range 20 {
		x.SetRow(i, []float64{r.NormFloat64(), r.NormFloat64()})
	}
	sin, cos := math.Sincos(0.7)
	want := mat.NewDense(2, 2, []float64{cos, sin, -sin, cos})
	var y mat.Dense
	y.Mul(x, want)
	got, err := procrustes(x, &y)
	if err != nil || !mat.EqualApprox(got, want, 1e-12) {
		t.Errorf("%v, %v", got, err)
	}
}

// The best threshold by trying all: ties stay on one side.
func TestThreshold(t *testing.T) {
	likeness, same := []float64{0.1, 0.4, 0.4, 0.8, 0.9}, []bool{false, true, false, true, true}
	from, share := threshold(likeness, same)
	if math.Abs(share-80) > 1e-9 || accuracy(likeness, same, from, []int{0, 1, 2, 3, 4}) != share {
		t.Errorf("from %g: %g", from, share)
	}
	if _, share := threshold(likeness, []bool{true, true, true, true, true}); share != 100 {
		t.Errorf("%g of pairs that are all the same", share)
	}
}

// Uses dealt at random are as far apart as all pairs of them, which drawing shows.
func TestDealt(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var x place
	for i := range 12 {
		v := []float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}
		normalise(v)
		x[i/8] = append(x[i/8], v)
	}
	all, sum := slices.Concat(x[0], x[1]), 0.0
	const draws = 20_000
	for range draws {
		r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		a, b := mean(all[:8]), mean(all[8:])
		sum += (1 - a[0]*b[0] - a[1]*b[1] - a[2]*b[2]) / draws
	}
	if got := dealt(x); math.Abs(got-sum) > 0.01 {
		t.Errorf("%g, drawn %g", got, sum)
	}
}

// A word whose uses in both periods are the same moves for nothing, and every kind of transport says less of it than of
// one whose uses are about something else.
func TestTransport(t *testing.T) {
	still := place{{{1, 0, 0}, {0, 1, 0}}, {{1, 0, 0}, {0, 1, 0}}}
	moved := place{{{1, 0, 0}, {0, 1, 0}}, {{0, 0, 1}, {0, 0, 1}}}
	for _, kind := range []string{"balanced", "partial", "unbalanced"} {
		d, err := transport(t.Context(), cpu.New(), kind, []place{still, moved})
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(d[0]) > 0.02 || d[1] < d[0]+0.2 {
			t.Errorf("%s: %v", kind, d)
		}
	}
}

// Frequencies are those in the uses of other words, in all forms.
func TestFrequencies(t *testing.T) {
	use := func(at int, text string) corpus.Occurrence {
		return corpus.Occurrence{Sentence: strings.Fields(text), At: at}
	}
	words := [][2][]corpus.Occurrence{
		{{use(0, "cars stop")}, {use(0, "car stops")}},
		{{use(0, "mice run")}, {use(0, "mouse cars car")}},
	}
	got := frequencies(words) // cars and car: 1 of 4 before, 3 of 5 after
	want := math.Log(3.0/5) - math.Log(1.0/4)
	if math.Abs(got[0]-want) > 1e-12 || math.Abs(got[1]-math.Abs(math.Log(1.0/5)-math.Log(1.0/4))) > 1e-12 {
		t.Errorf("%v, want %v first", got, want)
	}
}

// A word that goes over to other contexts moves farther than those that stay, the same meaning is told from another,
// and senses are found.
func TestRun(t *testing.T) {
	data := t.TempDir()
	put := func(name, text string) {
		path := filepath.Join(data, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	about := [][]string{
		strings.Fields("river water lake boat stream flow flood shore"),
		strings.Fields("money bank loan market stock price trade profit"),
	}
	random := rand.New(rand.NewPCG(7, 8))
	sentence := func(word string, topic int) string {
		words := about[topic]
		random.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
		return word + " " + strings.Join(words[:5], " ")
	}
	stats := "lemma\tchange_graded\tchange_binary\n"
	var graded, binary string
	for i, word := range []string{"paper", "house", "green"} {
		uses := "grouping\tcontext\tindexes_target_token\n"
		for range 12 {
			topics := [2]int{i % 2, i % 2}
			if i == 0 {
				topics[1] = 1
			}
			for period, topic := range topics {
				uses += fmt.Sprintf("%d\t%s\t0:%d\n", period+1, sentence(word, topic), len(word))
			}
		}
		put("dwug/data/"+word+"/uses.csv", uses)
		changed := []string{"1", "0", "0"}[i]
		stats += word + "\t0." + changed + "\t" + changed + "\n"
		graded, binary = graded+word+"\t0."+changed+"\n", binary+word+"\t"+changed+"\n"
	}
	put("dwug/stats/opt/stats_groupings.csv", stats)
	put("graded.txt", graded)
	put("binary.txt", binary)
	for _, part := range wic {
		var pairs, answers string
		for i := range 8 {
			pairs += fmt.Sprintf("paper\tN\t0-0\t%s\t%s\n", sentence("paper", i%2), sentence("paper", i/2%2))
			answers += map[bool]string{true: "T\n", false: "F\n"}[i%2 == i/2%2]
		}
		put("wic/"+part+".data.txt", pairs)
		put("wic/"+part+".gold.txt", answers)
	}
	for _, word := range []string{"paper", "house", "green"} {
		for _, part := range halves {
			var places, tags string
			for i := range 8 {
				places, tags = places+"0\t"+sentence(word, i%2)+"\n", tags+fmt.Sprintln(i%2)
			}
			put("tagged/"+word+"/"+part+".data.txt", places)
			put("tagged/"+word+"/"+part+".gold.txt", tags)
		}
	}
	p, err := profile.Load("uses", nil)
	if err != nil {
		t.Fatal(err)
	}
	words := []string{"paper", "house", "green"}
	p.Uses = profile.Uses{
		DWUG: "dwug/", Words: words, Graded: "graded.txt", Binary: "binary.txt", WiC: "wic/", Tagged: "tagged/",
		Homographs: words,
	}
	s, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	out, err := Run(t.Context(), &pipeline.Workspace{Profile: p, Store: s, Data: data, Engine: cpu.New()})
	if err != nil {
		t.Fatal(err)
	}
	value := func(table int, row, column string) float64 {
		for _, r := range out.Tables[table].Blocks[0].Rows {
			for i, c := range out.Tables[table].Columns {
				if r.Key == row && c.Address() == column {
					return *r.Cells[i].Value
				}
			}
		}
		t.Fatalf("no %s of %s", column, row)
		return 0
	}
	for _, way := range []string{"uses", "excess", "prototypes", "balanced", "partial", "unbalanced", "estimates"} {
		if rho := value(0, way, "DWUG EN, 3 words/ρ"); !(rho > 80) { // one of three words moved: ρ is 87 at most
			t.Errorf("%s: ρ %g", way, rho)
		}
	}
	if x := value(1, "uses", "test"); x != 100 {
		t.Errorf("accuracy %g of the meanings of two", x)
	}
	if x := value(2, "uses", "as many as tags"); x != 100 {
		t.Errorf("adjusted Rand index %g", x)
	}
	for _, table := range out.Tables {
		if err := render.Markdown(io.Discard, table); err != nil {
			t.Error(err)
		}
	}
	if err := figure.SVG(io.Discard, out.Figures[0]); err != nil {
		t.Error(err)
	}
	if len(out.Quantities) == 0 {
		t.Error("nothing for the verdict")
	}
}
