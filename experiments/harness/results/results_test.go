package results

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"contextmover/experiments/harness/dataset"
	"contextmover/experiments/show/render"
)

func number(x float64) *float64 { return &x }

func sample() *Result {
	return &Result{
		Header: Header{
			Profile: "small", Experiment: "sts", Seed: 7, Engine: "cpu", Settings: "name = \"small\"\n", Program: "repro v1", Go: "go1.26",
			Machine: Machine{System: "linux/amd64", Processor: "some <processor>", Threads: 2, Memory: 1 << 34},
			Started: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Seconds: 1.5,
		},
		Artefacts: []Artefact{
			{
				Key: "ab", Stage: "counts", Version: 1, Seconds: 0.25, By: "repro v1", Subjects: []string{"a row"},
				Made: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Bytes: 12, From: []int{1}, Used: true,
			},
			{Key: "cd", Stage: FileStage, Subjects: []string{"text.txt"}, Bytes: 5, SHA256: "cd"},
		},
		Tables: []*render.Table{{
			ID: "t", Title: "T", Notes: []string{"a note"}, Label: "method",
			Columns: []render.Column{{Name: "A", Digits: 1}, {Name: "B", Group: "G", LowerIsBetter: true, Unmarked: true}},
			Blocks: []render.Block{
				{Title: "one", Rows: []render.Row{
					{Key: "x", Label: "X", Cells: []render.Cell{
						{Value: number(1.25), Interval: &render.Interval{Low: 0, High: 2}, Printed: number(0), Coverage: &render.Coverage{Covered: 0, Total: 3}},
						{Text: "–"},
					}},
					{Key: "y", Label: "Y", Origin: render.Quoted, Cells: []render.Cell{{}, {Printed: number(-3)}}},
				}},
				{Rows: []render.Row{{Key: "z", Label: "Z", Cells: []render.Cell{{Value: number(0)}, {}}}}},
			},
		}},
		Quantities: []Quantity{
			{Table: "t", Row: "r", Column: "c", Variant: Paper, Source: "x", Value: 1.25, Low: number(0), High: number(2), Draws: []float64{0.5, 1.5}},
			{Table: "t", Row: "r", Column: "d", Variant: Chosen, Source: "x", Text: "word"},
		},
		Figures: []Figure{{ID: "f", Title: "F", Data: []byte(`{"a":[1,2]}`)}},
	}
}

func TestPackedRoundTrip(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, sample().Profile)
	if err := os.MkdirAll(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := Pack(folder, sample()); err != nil {
		t.Fatal(err)
	}
	all, err := ReadProfile(dir, "small")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]*Result{sample()}, all); d != "" {
		t.Error(d)
	}
	path := Path(dir, "small", "sts") + packed
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"cut off": text[:len(text)/2], "no zstd": []byte("{}\n")} {
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(path); !errors.Is(err, dataset.ErrData) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: error %v, want one of the data that names the file", name, err)
		}
	}
}

func TestRoundTrip(t *testing.T) {
	dir := t.TempDir()
	if err := Write(dir, sample()); err != nil {
		t.Fatal(err)
	}
	again, err := Read(Path(dir, "small", "sts"))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(sample(), again); d != "" {
		t.Error(d)
	}
	all, err := ReadProfile(dir, "small")
	if err != nil || len(all) != 1 {
		t.Errorf("%d results, %v", len(all), err)
	}
	left, err := filepath.Glob(filepath.Join(dir, "small", ".*"))
	if err != nil || len(left) != 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// Draws are kept as float32, undefined ones included.
func TestDraws(t *testing.T) {
	text, err := Draws{1.1, -2, math.NaN()}.MarshalText()
	if err != nil {
		t.Fatal(err)
	}
	var got Draws
	if err := got.UnmarshalText(text); err != nil || len(got) != 3 || got[0] != float64(float32(1.1)) || got[1] != -2 || !math.IsNaN(got[2]) {
		t.Errorf("%v %v", got, err)
	}
}

// A file that was written stays readable, with the same meaning. Do not write it anew.
func TestWrittenFile(t *testing.T) {
	r, err := Read(filepath.Join("testdata", "version2.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(sample(), r); d != "" {
		t.Error(d)
	}
}

func TestBadFiles(t *testing.T) {
	var text bytes.Buffer
	if err := encode(&text, sample()); err != nil {
		t.Fatal(err)
	}
	good := text.String()
	lines := strings.SplitAfter(good, "\n")
	lines = lines[:len(lines)-1]
	swap := func(old, new string) string {
		if !strings.Contains(good, old) {
			t.Fatalf("nothing to replace: %q", old)
		}
		return strings.Replace(good, old, new, 1)
	}
	for name, c := range map[string]struct{ content, want string }{
		"empty":             {"", "cut off"},
		"cut at a line":     {strings.Join(lines[:4], ""), ":4: the file ends"},
		"cut in a line":     {good[:len(good)-20], "not a line of JSON"},
		"a line missing":    {strings.Join(append(append([]string{}, lines[:1]...), lines[2:]...), ""), "lines are missing"},
		"more after end":    {good + lines[1], `after the "end" line`},
		"newer version":     {swap(`"version":2`, `"version":99`), "version 99 of the format; this program reads version 2"},
		"no version":        {swap(`"version":2,`, ``), "version 0"},
		"another format":    {swap(format, "other results"), `format "other results"`},
		"unknown kind":      {swap(`"kind":"figure"`, `"kind":"picture"`), `unknown kind "picture"`},
		"unknown field":     {swap(`"seconds":0.25`, `"minutes":1`), "minutes"},
		"wrong type":        {swap(`"seed":7`, `"seed":"seven"`), ":1: "},
		"no header":         {strings.Join(lines[1:], ""), `expected "header" as the first line`},
		"second header":     {lines[0] + good, `expected "header" as the first line and nowhere else`},
		"row without table": {swap(`"kind":"row","table":"t"`, `"kind":"row","table":"u"`), `a row of the table "u"`},
		"too few cells":     {swap(`,{"text":"–"}`, ``), "1 cells in a row"},
		"damaged draws":     {swap(`"draws":"`, `"draws":"!`), "draws"},
		"short draws":       {swap(`"draws":"AAAAPwAAwD8="`, `"draws":"AAAA"`), "3 bytes"},
		"huge block":        {swap(`"block":1`, `"block":100000000`), "block 100000000"},
		"binary":            {"\x00\x01\x02", "not a line of JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Decode("results/small/sts.jsonl", strings.NewReader(c.content))
			if err == nil || !strings.Contains(err.Error(), c.want) || !errors.Is(err, dataset.ErrData) {
				t.Errorf("error %v, want one of the data with %q", err, c.want)
			}
		})
	}
}

func TestOtherProfile(t *testing.T) {
	dir := t.TempDir()
	if _, err := ReadProfile(dir, "small"); err == nil || !strings.Contains(err.Error(), "repro run --profile small") {
		t.Errorf("no results: %v", err)
	}
	if err := Write(dir, sample()); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(dir, "small"), filepath.Join(dir, "large")); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadProfile(dir, "large"); err == nil || !strings.Contains(err.Error(), `of the profile "small", expected "large"`) || !errors.Is(err, dataset.ErrData) {
		t.Errorf("another profile: %v", err)
	}
	if err := os.Rename(Path(dir, "large", "sts"), Path(dir, "large", "wordsim")); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadProfile(dir, "large"); err == nil || !strings.Contains(err.Error(), "expected") {
		t.Errorf("another experiment: %v", err)
	}
}

// A packed file of a few bytes that never comes to an end is read as far as the bound.
func TestBomb(t *testing.T) {
	const limit = 1 << 20
	for name, content := range map[string][]byte{
		"one line": bytes.Repeat([]byte(" "), 64*limit),
		"lines":    append(firstLine(t), bytes.Repeat([]byte(`{"kind":"artefact","key":"k"}`+"\n"), limit)...),
	} {
		packer, err := zstd.NewWriter(nil)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "bomb.jsonl.zst")
		if err := os.WriteFile(path, packer.EncodeAll(content, nil), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err = read(path, limit)
		var bad *dataset.FormatError
		if !errors.As(err, &bad) || bad.File != path || !strings.Contains(bad.Problem, "holds more than 1.0 MB") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func firstLine(t *testing.T) []byte {
	t.Helper()
	var text bytes.Buffer
	if err := encode(&text, sample()); err != nil {
		t.Fatal(err)
	}
	line, _, _ := bytes.Cut(text.Bytes(), []byte("\n"))
	return append(line, '\n')
}

func FuzzDecode(f *testing.F) {
	var text bytes.Buffer
	if err := encode(&text, sample()); err != nil {
		f.Fatal(err)
	}
	f.Add(text.Bytes())
	f.Add(text.Bytes()[:200])
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := Decode("f", bytes.NewReader(data))
		if err != nil {
			var bad *dataset.FormatError
			if !errors.As(err, &bad) {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		// What can be read can be written and read again.
		var again bytes.Buffer
		if err := encode(&again, r); err != nil {
			t.Fatal(err)
		}
		if _, err := Decode("f", &again); err != nil {
			t.Fatal(err)
		}
	})
}
