package score

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"sort"
	"testing"
)

// The values of SciPy and scikit-learn; testdata/scipy.json tells of which version.
func TestAgreesWithSciPy(t *testing.T) {
	var file struct {
		Source string
		Cases  []struct {
			Scores, Gold                []float64
			Labels                      []bool
			K                           int
			At, Spearman, Pearson, Half float64
			AveragePrecision            float64 `json:"average_precision"`
			Threshold, Accuracy         float64
		}
	}
	data, err := os.ReadFile("testdata/scipy.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Cases) < 20 {
		t.Fatalf("%d cases", len(file.Cases))
	}
	for i, c := range file.Cases {
		check := func(what string, got float64, err error, want float64) {
			t.Helper()
			if err != nil || math.Abs(got-want) > 1e-9 {
				t.Errorf("case %d of %s: %s is %v, %v, want %v", i, file.Source, what, got, err, want)
			}
		}
		ap, err := AveragePrecision(c.Labels, c.Scores)
		check("average precision", ap, err, c.AveragePrecision)
		at, err := AveragePrecisionAt(c.K, c.Labels, c.Scores)
		check("average precision of the first", at, err, c.At)
		rho, err := Spearman(c.Scores, c.Gold)
		check("Spearman", rho, err, c.Spearman)
		r, err := Pearson(c.Scores, c.Gold)
		check("Pearson", r, err, c.Pearson)
		ranking, err := NewRanking(c.Labels, c.Scores)
		if err != nil {
			t.Fatal(err)
		}
		all, once := make([]int, len(c.Scores)), make([]int32, len(c.Scores))
		for k := range all {
			all[k], once[k] = k, 1
		}
		check("average precision of all once", ranking.AveragePrecision(once), nil, c.AveragePrecision)
		correlation, err := WeightedSpearman(c.Scores, c.Gold)
		if err != nil {
			t.Fatal(err)
		}
		check("Spearman of all once", correlation(once), nil, c.Spearman)
		check("accuracy of the half", ranking.HalfAccuracy(), nil, c.Half)
		check("accuracy", accuracyAbove(c.Labels, c.Scores, all, c.Threshold), nil, c.Accuracy)
	}
}

// accuracyAbove is the share of right answers among the items.
func accuracyAbove(labels []bool, scores []float64, items []int, threshold float64) float64 {
	right := 0
	for _, i := range items {
		if labels[i] == (scores[i] > threshold) {
			right++
		}
	}
	return float64(right) / float64(len(items))
}

func randomRanking(random *rand.Rand, n int, step float64) (labels []bool, scores []float64) {
	for range n {
		labels = append(labels, random.IntN(3) == 0)
		scores = append(scores, math.Round(random.NormFloat64()/step)*step)
	}
	labels[random.IntN(n)] = true
	return labels, scores
}

// The protocol in obvious loops: each threshold half way between two drawn scores.
func TestHeldOutAccuracy(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 0))
	for _, step := range []float64{0.001, 0.5} {
		labels, scores := randomRanking(random, 120, step)
		ranking, err := NewRanking(labels, scores)
		if err != nil {
			t.Fatal(err)
		}
		const draws, share, seed = 30, 0.1, 5
		got := ranking.HeldOutAccuracy(share, draws, seed)
		items := make([]int, len(labels))
		for i := range items {
			items[i] = i
		}
		again := rand.New(rand.NewPCG(seed, 0))
		for d := range draws {
			for i := range 12 {
				j := i + again.IntN(len(items)-i)
				items[i], items[j] = items[j], items[i]
			}
			drawn, rest := items[:12], items[12:]
			var distinct []float64
			for _, i := range drawn {
				distinct = append(distinct, scores[i])
			}
			sort.Sort(sort.Reverse(sort.Float64Slice(distinct)))
			distinct = slices.Compact(distinct)
			best, want := -1.0, 0.0
			for k := range len(distinct) + 1 {
				threshold := math.Inf(1)
				if k == len(distinct) {
					threshold = math.Inf(-1)
				} else if k > 0 {
					threshold = (distinct[k-1] + distinct[k]) / 2
				}
				if a := accuracyAbove(labels, scores, drawn, threshold); a > best {
					best, want = a, accuracyAbove(labels, scores, rest, threshold)
				}
			}
			if math.Abs(got[d]-want) > 1e-12 {
				t.Fatalf("step %v, draw %d: %v, want %v", step, d, got[d], want)
			}
		}
	}
}

// A perfect ranking is right but for the threshold's place, a reversed one wrong.
func TestAccuraciesAtTheEnds(t *testing.T) {
	labels, scores := make([]bool, 200), make([]float64, 200)
	for i := range scores {
		labels[i], scores[i] = i >= 100, float64(i)
	}
	ranking, _ := NewRanking(labels, scores)
	if a := ranking.HalfAccuracy(); a != 1 {
		t.Errorf("half accuracy of a perfect ranking is %v", a)
	}
	slices.Reverse(labels)
	reversed, _ := NewRanking(labels, scores)
	if a := reversed.HalfAccuracy(); a != 0 {
		t.Errorf("half accuracy of a reversed ranking is %v", a)
	}
	equal, _ := NewRanking(labels, make([]float64, 200))
	if a := equal.HalfAccuracy(); math.Abs(a-0.5) > 1e-12 {
		t.Errorf("half accuracy of equal scores is %v", a)
	}
}

func TestRankingErrors(t *testing.T) {
	if _, err := NewRanking([]bool{true}, []float64{math.NaN()}); err == nil {
		t.Error("no error for a score that is NaN")
	}
	if a, err := AveragePrecisionAt(1, []bool{false, true}, []float64{2, 1}); a != 0 || err != nil {
		t.Errorf("no positive among the first: %v, %v", a, err)
	}
}
