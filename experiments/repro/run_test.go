package main

import (
	"bytes"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"contextmover/experiments/harness/method"
	"contextmover/experiments/harness/miniworld"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/repro/cli"
)

// world is a folder with a small mini world as a data folder and a profile that reads
// it as anyone's data: one row of each kind, two groups of sets.
type world struct {
	dir, data, profile string
}

func newWorld(t *testing.T) world {
	t.Helper()
	dir := quickFolder(t)
	w := world{dir, filepath.Join(dir, "data"), filepath.Join(dir, "small.toml")}
	generated := miniworld.Generate(miniworld.DefaultSeed, 60_000)
	if err := generated.Write(w.data); err != nil {
		t.Fatal(err)
	}
	p, err := profile.Load("mini", []string{"corpus.min_count=5", "vectors.dim=20", "name=small"})
	if err != nil {
		t.Fatal(err)
	}
	p.Corpus.Kind, p.Corpus.Tokens, p.Corpus.Files = profile.KindFiles, 0, []string{"corpus.txt"}
	p.STS.Rows = slices.DeleteFunc(p.STS.Rows, func(r profile.Row) bool {
		return !slices.Contains([]string{"nbow", "sif", "sif-pc", "comb", "comb-mix-pc", "debiased", "chosen-euclidean-mix"}, r.ID)
	})
	p.STS.Select.Transport = method.Grid{"shift": {1., 5.}, "mix": {0.4, 0.6}}
	p.Qualitative.Pairs = nil // of sets that this world lacks
	p.Geometry.Rows = nil     // of rows that it lacks
	p.STS.Groups = slices.DeleteFunc(p.STS.Groups, func(g profile.Group) bool {
		return !g.Validation && g.Name != "mini-paraphrase"
	})
	if err := os.WriteFile(w.profile, []byte(p.TOML()), 0o666); err != nil {
		t.Fatal(err)
	}
	return w
}

// command prepares `repro run sts` as a process of its own, in a folder of its own.
func (w world) command(t *testing.T, folder string, environment ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(w.dir, folder)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	return &exec.Cmd{
		Path: self, Dir: dir, Env: append(os.Environ(), environment...),
		// TestMain runs main for a process of this name.
		Args: []string{"repro", "run", "sts", "--profile", w.profile, "--data", w.data, "--store", "store"},
	}
}

// finish runs the command to its end and returns its exit code and what it says.
func finish(t *testing.T, c *exec.Cmd) (code int, stderr string) {
	t.Helper()
	var text bytes.Buffer
	c.Stderr = &text
	err := c.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return c.ProcessState.ExitCode(), text.String()
}

// tables returns the files under tables/ by their paths.
func (w world) tables(t *testing.T, folder string) map[string]string {
	t.Helper()
	files := map[string]string{}
	root := filepath.Join(w.dir, folder, "tables")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		name, _ := filepath.Rel(root, path)
		files[name] = string(content)
		return err
	})
	if err != nil || len(files) == 0 {
		t.Fatalf("%d tables: %v", len(files), err)
	}
	return files
}

func (w world) sameTables(t *testing.T, one, other string) {
	t.Helper()
	a, b := w.tables(t, one), w.tables(t, other)
	if len(a) != len(b) {
		t.Fatalf("%d tables in %s, %d in %s", len(a), one, len(b), other)
	}
	for name, content := range a {
		if content != b[name] {
			t.Errorf("%s differs between %s and %s", name, one, other)
		}
	}
}

// A run that is killed again and again ends with the tables of an undisturbed one,
// and one thread makes the same bits as two.
func TestKilledRunGoesOn(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: kills a run 20 times; leave out -short")
	}
	w := newWorld(t)
	start := time.Now()
	if code, stderr := finish(t, w.command(t, "undisturbed", "GOMAXPROCS=1")); code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	whole := time.Since(start)

	const kills = 20
	random := rand.New(rand.NewPCG(1, 2))
	for killed := 0; killed < kills; {
		c := w.command(t, "killed", "GOMAXPROCS=2")
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		// Mostly long enough to finish something, sometimes too short for anything.
		time.Sleep(time.Duration(random.Float64() * float64(whole) / 4))
		if err := c.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		if err := c.Wait(); err == nil {
			// It was done: begin anew, so that every kill hits a run with work to do.
			if err := os.RemoveAll(filepath.Join(w.dir, "killed")); err != nil {
				t.Fatal(err)
			}
			continue
		}
		killed++
	}
	if code, stderr := finish(t, w.command(t, "killed", "GOMAXPROCS=2")); code != 0 {
		t.Fatalf("after the kills: exit code %d: %s", code, stderr)
	}
	w.sameTables(t, "undisturbed", "killed")
	left, err := filepath.Glob(filepath.Join(w.dir, "killed", "store", "tmp", "*"))
	if err != nil || len(left) != 0 {
		t.Errorf("left behind in the store: %v %v", left, err)
	}
}

// A flipped byte anywhere in the chain is reported, and the artefact made again.
func TestDamagedArtefactIsMadeAgain(t *testing.T) {
	w := newWorld(t)
	if code, stderr := finish(t, w.command(t, "sound")); code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	if err := os.CopyFS(filepath.Join(w.dir, "damaged"), os.DirFS(filepath.Join(w.dir, "sound"))); err != nil {
		t.Fatal(err)
	}
	// Each with the scores, for which all others are needed.
	const scores = "sts-scores/*/measure.json"
	for _, pattern := range []string{scores, "clusters/*/centroids.npy", "counts/*/value.npy", "vocabulary/*/vocab.txt"} {
		files, err := filepath.Glob(filepath.Join(w.dir, "damaged", "store", pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("no %s in the store: %v", pattern, err)
		}
		if pattern != scores {
			also, err := filepath.Glob(filepath.Join(w.dir, "damaged", "store", scores))
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, also...)
		}
		for _, f := range files {
			content, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			content[len(content)/2] ^= 1
			if err := errors.Join(os.Remove(f), os.WriteFile(f, content, 0o666)); err != nil {
				t.Fatal(err)
			}
		}
		code, stderr := finish(t, w.command(t, "damaged"))
		if code != 0 {
			t.Fatalf("exit code %d: %s", code, stderr)
		}
		stage, file, _ := strings.Cut(pattern, "/*/")
		if !strings.Contains(stderr, stage) || !strings.Contains(stderr, file) {
			t.Errorf("no warning names %s of %s:\n%s", file, stage, stderr)
		}
		w.sameTables(t, "sound", "damaged")
	}
}

// What is wrong with the data is said with its place, with exit code 4, and what was
// computed before stays.
func TestRunOnBadData(t *testing.T) {
	w := newWorld(t)
	const set = "sts/mini-paraphrase/synonyms.tsv"
	path := filepath.Join(w.data, set)
	sound, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(sound), "\n")
	spoilt := func(line string) string {
		return strings.Join(lines[:4], "") + line + "\n" + strings.Join(lines[5:], "")
	}
	cases := []struct {
		name, content string
		want          []string
	}{
		{"missing field", spoilt("3.5\tthe dog sleeps ."), []string{set + ":5", "field"}},
		{"score that is no number", spoilt("high\tthe dog sleeps .\tthe cat sleeps ."), []string{set + ":5", "high", "number"}},
		{"empty file", "", []string{set}},
		{"no gold", "the dog sleeps .\tthe cat sleeps .\n", []string{set + ":1", "gold"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if err := os.WriteFile(path, []byte(c.content), 0o666); err != nil {
				t.Fatal(err)
			}
			code, stderr := finish(t, w.command(t, "bad"))
			if code != cli.ExitData {
				t.Errorf("exit code %d, want %d", code, cli.ExitData)
			}
			last := stderr[strings.LastIndex(strings.TrimSpace(stderr), "\n")+1:]
			for _, want := range c.want {
				if !strings.Contains(last, want) {
					t.Errorf("the message lacks %q: %s", want, last)
				}
			}
		})
	}
	t.Run("what was made stays", func(t *testing.T) {
		if err := os.WriteFile(path, sound, 0o666); err != nil {
			t.Fatal(err)
		}
		code, stderr := finish(t, w.command(t, "bad"))
		if code != 0 {
			t.Fatalf("exit code %d: %s", code, stderr)
		}
		if strings.Contains(stderr, "count co-occurrences") {
			t.Errorf("counted again:\n%s", stderr)
		}
	})
	t.Run("missing folder", func(t *testing.T) {
		c := w.command(t, "nothing")
		c.Args[slices.Index(c.Args, w.data)] = filepath.Join(w.dir, "absent")
		code, stderr := finish(t, c)
		if code != cli.ExitData || !strings.Contains(stderr, "absent") || !strings.Contains(stderr, "--data") {
			t.Errorf("exit code %d: %s", code, stderr)
		}
	})
	t.Run("unknown key", func(t *testing.T) {
		c := w.command(t, "nothing")
		c.Args = append(c.Args, "--set", "vectors.dimension=3")
		code, stderr := finish(t, c)
		if code != cli.ExitUsage || !strings.Contains(stderr, "vectors.dimension") || !strings.Contains(stderr, "vectors.dim") {
			t.Errorf("exit code %d: %s", code, stderr)
		}
	})
}

// A full disk ends the run with an error that says so, and a larger one goes on with
// what was made.
func TestFullDisk(t *testing.T) {
	w := newWorld(t)
	c := w.command(t, "full")
	small := filepath.Join(w.dir, "full", "store")
	if err := os.MkdirAll(small, 0o777); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=1500k", "tmpfs", small).CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: needs to mount a small disk, which takes root: %s", out)
	}
	defer exec.Command("umount", "-l", small).Run()
	code, stderr := finish(t, c)
	if code != cli.ExitFailed || !strings.Contains(stderr, "full") || !strings.Contains(stderr, "--store") {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	if out, err := exec.Command("mount", "-o", "remount,size=200m", small).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	code, stderr = finish(t, w.command(t, "full"))
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	if strings.Contains(stderr, "damaged") {
		t.Errorf("the full disk left damage:\n%s", stderr)
	}
	if code, stderr := finish(t, w.command(t, "roomy")); code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	w.sameTables(t, "roomy", "full")
}
