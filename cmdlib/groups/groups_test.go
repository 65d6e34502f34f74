package groups_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"contextmover/cmdlib"
	"contextmover/cmdlib/build"
	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/english"
	"contextmover/cmdlib/groups"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/cpu"
)

// Sentences about music and about law, which share few words.
func ExampleSentences() {
	space, err := english.Open(cpu.New())
	if err != nil {
		log.Fatal(err)
	}
	defer space.Close()
	texts := []string{
		"The orchestra played a symphony.", "The judge heard the witness.", "A violin and a piano were heard at the concert.",
		"The court found him guilty of the crime.", "The composer wrote an opera.", "The jury believed the lawyer.",
	}
	found, err := groups.Sentences(context.Background(), space, texts, 2)
	if err != nil {
		log.Fatal(err)
	}
	for _, g := range found.Groups {
		slices.Sort(g.Members)
		fmt.Printf("%.0f %%: %v\n", 100*g.Share, g.Members)
	}
	// Output:
	// 50 %: [0 2 4]
	// 50 %: [1 3 5]
}

// world is a space of sentences about money, rivers and music, and
// sentences about these, of which about says which; unknown ones are −1.
func world(t *testing.T) (s *cmdlib.Space, texts []string, about []int) {
	t.Helper()
	r := rand.New(rand.NewPCG(5, 6))
	sentence := func(topic int) string {
		var words []string
		for range 6 {
			words = append(words, fmt.Sprintf("%s%d", []string{"money", "river", "music"}[topic], r.IntN(12)), fmt.Sprintf("the%d", r.IntN(3)))
		}
		return strings.Join(words, " ")
	}
	var text strings.Builder
	for i := range 1500 {
		text.WriteString(sentence(i%3) + "\n")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "text")
	if err := os.WriteFile(path, []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	b := build.New()
	b.Text, b.MinCount, b.Dim, b.Clusters, b.SPPMI.Shift = corpus.Text{Files: []string{path}}, 5, 10, 9, 1
	if _, err := b.Run(t.Context(), filepath.Join(dir, "space")); err != nil {
		t.Fatal(err)
	}
	s, err := cmdlib.Open(filepath.Join(dir, "space"), cpu.New())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	for i := range 500 { // more than are sampled
		topic := []int{0, 0, 0, 1, 1, 2, -1}[i%7]
		if about = append(about, topic); topic < 0 {
			texts = append(texts, "nothing known")
		} else {
			texts = append(texts, sentence(topic))
		}
	}
	return s, texts, about
}

// by is a space that is asked by a method.
func by(t *testing.T, s *cmdlib.Space, name string) *cmdlib.Space {
	t.Helper()
	asked, err := s.Asked(cmdlib.Override{Method: name}, cpu.New())
	if err != nil {
		t.Fatal(err)
	}
	return asked
}

// By vectors, which a space with vectors takes where no method is named, each text is in the group of the medoid whose
// vector is nearest to its own, and the members are ordered by that.
func TestSentencesByVectors(t *testing.T) {
	s, texts, about := world(t)
	found, err := groups.Sentences(t.Context(), s, texts, 3)
	if err != nil {
		t.Fatal(err)
	}
	if named, err := groups.Sentences(t.Context(), by(t, s, cmdlib.SIF), texts, 3); err != nil || !reflect.DeepEqual(found, named) {
		t.Errorf("by the default %+v, by the name %+v, %v", found, named, err)
	}
	const rounding = 1e-5
	seen := 0
	for _, g := range found.Groups {
		last := 0.0
		for at, i := range g.Members {
			if seen++; about[i] < 0 {
				t.Errorf("%q has a group", texts[i])
			}
			own, nearest := 0.0, 2.0
			for _, other := range found.Groups {
				c, err := s.Cosine(t.Context(), texts[i], texts[other.Members[0]])
				if err != nil {
					t.Fatal(err)
				}
				if nearest = min(nearest, c.Distance()); other.Members[0] == g.Members[0] {
					own = c.Distance()
				}
			}
			if own > nearest+rounding || at > 1 && own < last-rounding {
				t.Errorf("text %d is at %v from its medoid, at %v from the nearest one; the one before at %v", i, own, nearest, last)
			}
			last = own
		}
	}
	if len(found.Groups) != 3 || seen+len(found.Unknown) != len(texts) || len(found.Unknown) != 500/7 {
		t.Errorf("%d groups of %d texts, %d unknown", len(found.Groups), seen, len(found.Unknown))
	}
}

func TestSentences(t *testing.T) {
	s, texts, about := world(t)
	s = by(t, s, "average")
	for _, k := range []int{0, 3} {
		found, err := groups.Sentences(t.Context(), s, texts, k)
		if err != nil {
			t.Fatal(err)
		}
		if len(found.Groups) != 3 || len(found.Unknown) != 500/7 {
			t.Fatalf("k = %d: %d groups, %d unknown texts", k, len(found.Groups), len(found.Unknown))
		}
		share, seen := 0.0, map[int]bool{}
		for topic, g := range found.Groups { // topics are of different frequency
			right := 0
			for _, i := range g.Members {
				if seen[i] {
					t.Errorf("text %d is in two groups", i)
				}
				seen[i] = true
				if about[i] == topic {
					right++
				}
			}
			if right < 95*len(g.Members)/100 {
				t.Errorf("group %d: %d of %d texts are of its topic", topic, right, len(g.Members))
			}
			share += g.Share
			name := []string{"money", "river", "music"}[topic]
			for _, m := range g.Words {
				if !strings.HasPrefix(m.Name, name) || !(m.Share > m.All) {
					t.Errorf("group %d is marked by %+v", topic, m)
				}
			}
			if len(g.Words) != groups.Marks || len(g.Contexts) == 0 || !strings.Contains(g.Contexts[0].Name, name) {
				t.Errorf("group %d: words %+v, contexts %+v", topic, g.Words, g.Contexts)
			}
		}
		if math.Abs(share-1) > 1e-9 || len(seen)+len(found.Unknown) != len(texts) {
			t.Errorf("shares sum to %v, %d texts in groups", share, len(seen))
		}
	}
	// The medoid comes first, and the others are ordered by their distance to it.
	one, err := groups.Sentences(t.Context(), s, texts[:40], 1)
	if err != nil || len(one.Groups) != 1 || one.Silhouette != 0 {
		t.Fatalf("%+v, %v", one, err)
	}
	var pairs []cmdlib.Pair
	members := one.Groups[0].Members
	for _, i := range members[1:] {
		pairs = append(pairs, cmdlib.Pair{A: texts[i], B: texts[members[0]]})
	}
	distances, err := s.PairDistances(t.Context(), pairs)
	if err != nil || !slices.IsSortedFunc(distances, func(a, b cmdlib.PairDistance) int {
		if a.Cost < b.Cost {
			return -1
		}
		return 1
	}) {
		t.Errorf("%v, %v", distances, err)
	}
	again, err := groups.Sentences(t.Context(), s, texts[:40], 1)
	if err != nil || !slices.Equal(again.Groups[0].Members, members) {
		t.Errorf("another order: %v", err)
	}
	// All the same, each in a group of its own.
	if same, err := groups.Sentences(t.Context(), s, []string{texts[0], texts[0], texts[0]}, 3); err != nil || len(same.Groups) != 3 {
		t.Errorf("%+v, %v", same, err)
	} else {
		for _, g := range same.Groups {
			if len(g.Members) != 1 {
				t.Errorf("%+v", g)
			}
		}
	}
}

func TestSentencesFails(t *testing.T) {
	s, texts, _ := world(t)
	for _, k := range []int{0, 5} {
		if _, err := groups.Sentences(t.Context(), s, texts[:3], k); !errors.Is(err, groups.ErrFew) {
			t.Errorf("%d groups of 3: %v", k, err)
		}
	}
	if _, err := groups.Sentences(t.Context(), s, nil, 1); !errors.Is(err, groups.ErrFew) {
		t.Error(err)
	}
	if _, err := groups.Sentences(t.Context(), s, texts, -1); err == nil {
		t.Error("no error for −1 groups")
	}
	if _, err := groups.Sentences(t.Context(), s, texts, 301); err == nil {
		t.Error("no error for more groups than are sampled")
	}
}

// Each row joins the centre with the smallest distance.
func TestNearest(t *testing.T) {
	s, _, _ := world(t)
	rows := ot.Histograms{K: s.Cost.K}
	for id := range int32(20) {
		row, err := s.Row(id)
		if err != nil {
			t.Fatal(err)
		}
		rows.Data = append(rows.Data, row...)
	}
	assignment, distances, err := groups.Nearest(t.Context(), 20, groups.Transport(s, rows), []int{0, 1, 2})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		for c := range 3 {
			d, err := s.Distances(t.Context(), rows, []ot.Pair{{Source: int32(i), Target: int32(c)}})
			if err != nil {
				t.Fatal(err)
			}
			if d[0] < distances[i] || c == assignment[i] && d[0] != distances[i] {
				t.Errorf("row %d, centre %d: %v, the nearest is %d with %v", i, c, d[0], assignment[i], distances[i])
			}
		}
	}
}
