package dataset

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The readers of uses know where the word stands, in whose period, and what people say of it.
func TestReadUses(t *testing.T) {
	dir := t.TempDir()
	periods, err := ReadUses(write(t, dir, "uses.csv", "grouping\tcontext\tindexes_target_token\n"+
		"1\tThe “Café” attacks, he said.\t11:18\n2\tAttack!\t0:6\n"))
	if err != nil {
		t.Fatal(err)
	}
	first, second := periods[0][0], periods[1][0]
	if first.Sentence[first.At] != "attacks" || first.Sentence[0] != "the" || second.Sentence[second.At] != "attack" {
		t.Errorf("%+v", periods)
	}
	all, err := ReadChanges(write(t, dir, "stats.csv", "lemma\tchange_binary\tchange_graded\nplane_nn\t1\t0.9\n"))
	if want := []Change{{"plane_nn", 0.9, true}}; err != nil || !slices.Equal(all, want) {
		t.Errorf("%v, %v", all, err)
	}
	graded := write(t, dir, "graded.txt", "a_nn\t0.25\nb_vb\t0\n")
	all, err = ReadTruths(graded, write(t, dir, "binary.txt", "a_nn\t1\nb_vb\t0\n"))
	if want := []Change{{"a_nn", 0.25, true}, {"b_vb", 0, false}}; err != nil || !slices.Equal(all, want) {
		t.Errorf("%v, %v", all, err)
	}
	data := write(t, dir, "data.txt", "run\tV\t1-0\tI Run .\tRun on !\n")
	pairs, err := ReadInContext(data, write(t, dir, "gold.txt", "F\n"))
	if err != nil || pairs[0].Same || pairs[0].Uses[0].At != 1 || pairs[0].Uses[1].Sentence[0] != "run" {
		t.Errorf("%+v, %v", pairs, err)
	}
	list, tags, err := ReadTagged(write(t, dir, "tagged.txt", "1\ta Bank .\n"), write(t, dir, "tags.txt", "3\n"))
	if err != nil || tags[0] != 3 || list[0].Sentence[list[0].At] != "bank" {
		t.Errorf("%+v, %v, %v", list, tags, err)
	}
}

// What is wrong is said with its place.
func TestUsesErrors(t *testing.T) {
	dir := t.TempDir()
	good := write(t, dir, "good.txt", "a\t0\n")
	for _, c := range []struct {
		text, want string
		read       func(path string) error
	}{
		{"grouping\tcontext\n1\ta\n", "x:1: no column indexes_target_token", uses},
		{"grouping\tcontext\tindexes_target_token\n1\ta\n", "x:2: 2 fields, expected 3", uses},
		{"grouping\tcontext\tindexes_target_token\n1\ta\t0:2\n", `x:2: the place "0:2", expected first:end of 1`, uses},
		{"grouping\tcontext\tindexes_target_token\n3\ta\t0:1\n", `x:2: the grouping "3"`, uses},
		{"grouping\tcontext\tindexes_target_token\n1\ta\t0:1\n", "x: uses of one grouping alone", uses},
		{"lemma\n", "x: a header alone", changes},
		{"lemma\tchange_graded\tchange_binary\na\tNaN\t1\n", `x:2: the graded change "NaN" of "a"`, changes},
		{"lemma\tchange_graded\tchange_binary\na\t1\t2\n", `x:2: the binary change "2" of "a"`, changes},
		{"b\t0\n", `good.txt:1: the word "a", expected "b"`, func(path string) error {
			_, err := ReadTruths(path, good)
			return err
		}},
		{"run\tV\t0-9\tRun .\tRun !\n", `x:1: the place "9", expected a number below 2`, inContext},
		{"run\tV\n", "x:1: 2 fields, expected 5", inContext},
		{"a\nb\n", "for 2 in", inContext},
		{"7\ta b\n", `x:1: the place "7"`, tagged},
		{"0\ta b\n", `T.txt:1: the tag "T", expected a number`, tagged},
	} {
		err := c.read(write(t, dir, "x", c.text))
		if !errors.Is(err, ErrData) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
		}
	}
}

func uses(path string) error {
	_, err := ReadUses(path)
	return err
}

func changes(path string) error {
	_, err := ReadChanges(path)
	return err
}

// answers has the one answer T beside a file.
func answers(path string) string {
	path = filepath.Join(filepath.Dir(path), "T.txt")
	if err := os.WriteFile(path, []byte("T\n"), 0o666); err != nil {
		panic(err)
	}
	return path
}

func inContext(path string) error {
	_, err := ReadInContext(path, answers(path))
	return err
}

func tagged(path string) error {
	_, _, err := ReadTagged(path, answers(path))
	return err
}

func FuzzReadUses(f *testing.F) {
	f.Add("grouping\tcontext\tindexes_target_token\n1\ta b\t2:3\n2\ta\t0:1\n")
	f.Add("run\tV\t0-0\tRun .\tRun !\n")
	f.Add("lemma\tchange_graded\tchange_binary\na\t1\t0\n")
	f.Add("0\ta b\n")
	dir := f.TempDir()
	path, gold := filepath.Join(dir, "x"), answers(filepath.Join(dir, "x"))
	f.Fuzz(func(t *testing.T, text string) {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		periods, err1 := ReadUses(path)
		for _, o := range slices.Concat(periods[0], periods[1]) {
			if err1 == nil && o.At >= len(o.Sentence) {
				t.Fatalf("word %d of %d", o.At, len(o.Sentence))
			}
		}
		_, err2 := ReadChanges(path)
		_, err3 := ReadTruths(path, path)
		_, err4 := ReadInContext(path, gold)
		_, _, err5 := ReadTagged(path, gold)
		for _, err := range []error{err1, err2, err3, err4, err5} {
			if err != nil && !errors.Is(err, ErrData) {
				t.Fatal(err)
			}
		}
	})
}
