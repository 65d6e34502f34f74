package main

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// The adjusted Rand index is 1 of equal partitions whatever their names, has its expected
// value 0 under random deals, and that of Hubert and Arabie's formula for a table.
func TestAdjustedRand(t *testing.T) {
	a := []int{0, 0, 0, 1, 1, 2}
	if got := adjustedRand(a, []int{5, 5, 5, 3, 3, 9}); got != 1 {
		t.Errorf("of equal partitions %g", got)
	}
	// Cells 2, 1, 1, 2; rows 3, 3; columns 3, 3; 15 pairs: (2 − 36/15) / (6 − 36/15).
	if got, want := adjustedRand([]int{0, 0, 0, 1, 1, 1}, []int{0, 0, 1, 0, 1, 1}), (2-2.4)/(6-2.4); math.Abs(got-want) > 1e-12 {
		t.Errorf("%g, want %g", got, want)
	}
	r, b, mean := rand.New(rand.NewPCG(1, 2)), []int{0, 0, 1, 1, 1, 0}, 0.0
	const draws = 20_000
	for range draws {
		r.Shuffle(len(b), func(i, j int) { b[i], b[j] = b[j], b[i] })
		mean += adjustedRand(a, b) / draws
	}
	if math.Abs(mean) > 0.01 {
		t.Errorf("mean %g of random deals", mean)
	}
}

// The lines are of WordNet's files; the text of a synset has its relatives' words and not the word itself.
func TestWordNet(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"data.noun": "  1 This software and database is being provided to you\n" +
			"02012849 05 n 01 crane 0 002 @ 02000954 n 0000 ~ 02013177 n 0000 | large long-necked wading bird of marshes\n" +
			"02000954 05 n 02 wading_bird 0 wader 0 001 ~ 02012849 n 0000 | any of many long-legged birds\n" +
			"02013177 05 n 01 whooping_crane 0 001 @ 02012849 n 0000 | rare North American crane\n",
		"index.noun": "  1 This software\ncrane n 1 2 @ ~ 1 0 02012849  \n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	w, err := readWordNet(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got := w.senses["crane"]; len(got) != 1 || got[0] != "02012849" || w.synsets[got[0]].file != "05" {
		t.Errorf("senses %v", got)
	}
	if got, want := w.text("02012849", "crane"), "large long necked wading bird of marshes wading bird wader whooping"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if err := os.WriteFile(filepath.Join(dir, "index.noun"), []byte("crane n x\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := readWordNet(dir); err == nil {
		t.Error("no error for a line that is cut")
	}
}

// Two directions are two groups, whatever the lengths, and zeros are
// a third; without its first component a cloud has what is across.
func TestKMeans(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var points []float32
	var want []int
	for i := range 60 {
		length, group := float32(1+5*r.Float64()), i%2
		p := []float32{0.1 * r.Float32() * length, 0.1 * r.Float32() * length, 0}
		p[group] += length
		points, want = append(points, p...), append(want, group)
	}
	points, want = append(points, 0, 0, 0), append(want, 2)
	for _, k := range []int{0, 2} {
		groups, err := kMeans(t.Context(), points, 3, k)
		if err != nil || adjustedRand(groups, want) != 1 {
			t.Errorf("k = %d: %v, %v", k, groups, err)
		}
	}
	var cloud []float32
	for range 50 {
		x := float32(r.NormFloat64())
		cloud = append(cloud, 10*x, 10*x, 0, 1)
	}
	removeFirst(cloud, 4)
	for i := 0; i < len(cloud); i += 4 {
		if sum := math.Abs(float64(cloud[i] + cloud[i+1])); sum > 0.5 || math.Abs(float64(cloud[i+3])-1) > 0.1 {
			t.Fatalf("point %d is %v", i/4, cloud[i:i+4])
		}
	}
}
