package dataset

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"contextmover/cmdlib/npy"
)

func writeEncoder(t *testing.T, sentences string, rows, columns int, data ...float32) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "encoder.npy")
	if err := npy.Write(file, []int{rows, columns}, data); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(strings.TrimSuffix(file, ".npy")+".txt", []byte(sentences), 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestReadEncoder(t *testing.T) {
	vectors, err := ReadEncoder(writeEncoder(t, "a dog\nthe dog\na cat\na dog\n", 4, 2, 1, 0, 3, 4, 0, -2, 2, 0))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "scores.tsv")
	if err := os.WriteFile(file, []byte("0.6\ta dog\tthe dog\n0\ta dog\ta cat\n-0.8\tthe dog\ta cat\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	scores, err := ReadEncoder(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		a, b string
		want float64
	}{{"a dog", "the dog", 0.6}, {"a dog", "a cat", 0}, {"the dog", "a cat", -0.8}} {
		for _, e := range []*Encoder{vectors, scores} {
			if got, err := e.Score(c.a, c.b); err != nil || math.Abs(got-c.want) > 1e-7 {
				t.Errorf("%q and %q score %v (%v), want %v", c.a, c.b, got, err, c.want)
			}
		}
	}
	for _, e := range []*Encoder{vectors, scores} {
		if _, err := e.Score("a dog", "a fish"); !errors.Is(err, ErrData) || !strings.Contains(err.Error(), `"a fish"`) {
			t.Errorf("error %v of a sentence that is not there", err)
		}
	}
}

func TestReadEncoderErrors(t *testing.T) {
	nan := float32(math.NaN())
	for _, c := range []struct{ want, file string }{
		{"shape [2 2], expected a row for each of the 3 lines", writeEncoder(t, "a\nb\nc\n", 2, 2, 1, 2, 3, 4)},
		{"row 1, of line 2 of ", writeEncoder(t, "a\nb\n", 2, 2, 1, 2, 3, nan)},
		{"has the length NaN", writeEncoder(t, "a\nb\n", 2, 2, 1, 2, 3, nan)},
		{"has the length 0", writeEncoder(t, "a\nb\n", 2, 2, 1, 2, 0, 0)},
		{"no sentences in the file", writeEncoder(t, "", 0, 2)},
	} {
		var format *FormatError
		if _, err := ReadEncoder(c.file); !errors.As(err, &format) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one with %q", err, c.want)
		}
	}
	half := filepath.Join(t.TempDir(), "half.npy")
	for what, content := range map[string]string{
		"holds elements of the type '<f2'": "\x93NUMPY\x01\x00\x3c\x00{'descr': '<f2', 'fortran_order': False, 'shape': (1, 2), } \n\x00\x3c\x00\x40",
		"is not a .npy file":               "1 2 3\n",
	} {
		if err := os.WriteFile(half, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadEncoder(half); !errors.Is(err, ErrData) || !strings.Contains(err.Error(), half+": "+what) {
			t.Errorf("error %v, want one of the data with %q", err, what)
		}
	}
	alone := writeEncoder(t, "a\n", 1, 1, 1)
	if err := os.Remove(strings.TrimSuffix(alone, ".npy") + ".txt"); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadEncoder(alone); err == nil || !strings.Contains(err.Error(), "encoder.txt") {
		t.Errorf("error %v without the file of sentences", err)
	}
	for content, want := range map[string]string{
		"a\tb\n":              "no score",
		"NaN\ta\tb\n":         ".tsv:1: ",
		"1\ta\tb\nx\tc\td\n":  ".tsv:2: ",
		"1\ta\tb\n1\tc\td\te": ".tsv:2: ",
	} {
		file := filepath.Join(t.TempDir(), "scores.tsv")
		if err := os.WriteFile(file, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadEncoder(file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v of %q, want one with %q", err, content, want)
		}
	}
}

// What no download has is made by a script, which the error names.
func TestMissingEncoders(t *testing.T) {
	const script = "bench/encoders.sh"
	if err := (&MissingError{Dir: "data", Files: []string{"encoders/x.npy", "sts/a.tsv"}}).Error(); !strings.Contains(err, script) {
		t.Errorf("%s: want %s", err, script)
	}
	if err := (&MissingError{Dir: "data", Files: []string{"sts/a.tsv"}}).Error(); strings.Contains(err, script) {
		t.Errorf("%s: no encoder lacks", err)
	}
}
