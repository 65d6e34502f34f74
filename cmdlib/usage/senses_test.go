package usage

import (
	"context"
	"errors"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"contextmover/cmdlib"
	"contextmover/cmdlib/build"
	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/ot/cpu"
)

// world is a space of sentences about rivers and about money, in which each occurrence of bank has a known sense:
// two of three are about money. Sentences are those with bank, and about[i] tells whether number i is about money.
func world(dir string) (space *cmdlib.Space, sentences []string, about []bool, err error) {
	r := rand.New(rand.NewPCG(5, 6))
	var text strings.Builder
	for i := range 1200 {
		money := i%2 == 0
		topic := map[bool]string{true: "money", false: "river"}[money]
		var words []string
		for range 6 {
			words = append(words, fmt.Sprintf("%s%d", topic, r.IntN(12)), fmt.Sprintf("the%d", r.IntN(3)))
		}
		if i%4 == 0 || i%8 == 1 {
			words[1+2*r.IntN(5)] = "bank"
			sentences, about = append(sentences, strings.Join(words, " ")), append(about, money)
		}
		text.WriteString(strings.Join(words, " ") + "\n")
	}
	path := filepath.Join(dir, "text")
	if err := os.WriteFile(path, []byte(text.String()), 0o666); err != nil {
		return nil, nil, nil, err
	}
	b := build.New()
	b.Text, b.MinCount, b.Dim, b.Clusters, b.SPPMI.Shift = corpus.Text{Files: []string{path}}, 5, 10, 6, 1
	if _, err := b.Run(context.Background(), filepath.Join(dir, "space")); err != nil {
		return nil, nil, nil, err
	}
	space, err = cmdlib.Open(filepath.Join(dir, "space"), cpu.New())
	return space, sentences, about, err
}

// A bank of a river and one of money.
func ExampleFindSenses() {
	dir, err := os.MkdirTemp("", "senses")
	check(err)
	defer os.RemoveAll(dir)
	space, sentences, _, err := world(dir)
	check(err)
	defer space.Close()

	occurrences, err := corpus.FindOccurrences(sentences, "bank")
	check(err)
	found, err := FindSenses(context.Background(), space, occurrences, 0)
	check(err)
	learned, names := found.Learn(space, "bank")
	for i, name := range names {
		near, err := learned.Neighbours(context.Background(), name, 3)
		check(err)
		nearest := slices.DeleteFunc(near.Nearest, func(n cmdlib.Neighbour) bool { return n.Word == "bank" })[0]
		fmt.Printf("%s: %.0f %% of the occurrences, near %s\n", name, 100*found.Senses[i].Share, strings.TrimRight(nearest.Word, "0123456789"))
	}
	// Output:
	// bank/1: 67 % of the occurrences, near money
	// bank/2: 33 % of the occurrences, near river
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func TestFindSenses(t *testing.T) {
	space, sentences, about, err := world(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer space.Close()
	occurrences, err := corpus.FindOccurrences(sentences, "bank")
	if err != nil {
		t.Fatal(err)
	}
	// One that nothing is known about.
	occurrences = append(occurrences, corpus.Occurrence{Sentence: []string{"bank", "zzz"}})
	for _, k := range []int{0, 2} {
		found, err := FindSenses(t.Context(), space, occurrences, k)
		if err != nil {
			t.Fatal(err)
		}
		if found.Silhouette <= 0 || found.Silhouette > 1 {
			t.Errorf("silhouette %v", found.Silhouette)
		}
		if len(found.Senses) != 2 || len(found.Unclear) != 1 || found.Unclear[0] != len(sentences) {
			t.Fatalf("%d senses, unclear %v", len(found.Senses), found.Unclear)
		}
		right, share := 0, 0.0
		for i, sense := range found.Senses {
			share += sense.Share
			for _, o := range sense.Occurrences {
				if about[o] == (i == 0) { // money is more frequent
					right++
				}
			}
			if sense.Estimate.Occurrences != len(sense.Occurrences) {
				t.Errorf("an estimate of %d occurrences of %d", sense.Estimate.Occurrences, len(sense.Occurrences))
			}
		}
		if right < len(sentences)*95/100 || math.Abs(share-1) > 1e-9 {
			t.Errorf("%d of %d occurrences have their sense; shares sum to %v", right, len(sentences), share)
		}
	}
	one, err := FindSenses(t.Context(), space, occurrences, 1)
	if err != nil || len(one.Senses) != 1 || one.Silhouette != 0 {
		t.Errorf("%+v, %v", one, err)
	}
}

func TestFindSensesFails(t *testing.T) {
	space, sentences, _, err := world(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer space.Close()
	occurrences, err := corpus.FindOccurrences(sentences[:3], "bank")
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range []int{0, 2} {
		if _, err := FindSenses(t.Context(), space, occurrences, k); !errors.Is(err, ErrFew) {
			t.Error(err)
		}
	}
	// One sentence again and again has one sense, whatever is asked for.
	for _, k := range []int{0, 3} {
		same, err := FindSenses(t.Context(), space, slices.Repeat(occurrences[:1], 8), k)
		if err != nil || len(same.Senses) != 1 || len(same.Senses[0].Occurrences) != 8 {
			t.Errorf("k = %d: %+v, %v", k, same, err)
		}
	}
	if _, err := FindSenses(t.Context(), space, nil, 1); !errors.Is(err, ErrFew) {
		t.Error(err)
	}
	if _, err := FindSenses(t.Context(), space, occurrences, -1); err == nil {
		t.Error("no error for −1 senses")
	}
}

// Memory grows with the text, not with the occurrences times the length of the line that they are in.
func TestOneLongSentence(t *testing.T) {
	space, _, _, err := world(t.TempDir())
	check(err)
	defer space.Close()
	const words = 40_000
	line := strings.Repeat("money1 bank the0 money2 ", words/4)
	occurrences, err := corpus.FindOccurrences([]string{line}, "bank")
	check(err)

	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	all := sentences(space, occurrences)
	runtime.ReadMemStats(&after)
	if len(all) != words/4 || len(all[0]) != words {
		t.Fatalf("%d sentences, the first of %d words", len(all), len(all[0]))
	}
	if taken := after.TotalAlloc - before.TotalAlloc; taken > 100*words {
		t.Errorf("%d bytes for %d occurrences in %d words", taken, len(all), words)
	}
}
