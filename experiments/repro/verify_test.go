package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/published"
	"contextmover/experiments/harness/results"
	"contextmover/experiments/judge/verdict"
	"contextmover/experiments/paper/timings"
	"contextmover/experiments/repro/cli"
)

// repro runs a command as a process of its own, in a folder of the world.
func (w world) repro(t *testing.T, folder string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	c := w.command(t, folder)
	c.Args = append([]string{"repro"}, args...)
	var out bytes.Buffer
	c.Stdout = &out
	code, stderr = finish(t, c)
	return code, out.String(), stderr
}

// A claim is explained by its verdict and by the cells that it is about; one whose numbers no profile has, by the reason.
func TestWhyClaim(t *testing.T) {
	w := newWorld(t)
	report, err := verdict.Whole(verdict.RecordedResults)
	if err != nil {
		t.Fatal(err)
	}
	for i, claim := range published.Claims() {
		if !slices.Contains([]string{"C01", "C04", "C12", "C14", "C34"}, claim.ID) {
			continue
		}
		code, stdout, stderr := w.repro(t, "c", "why", strings.ToLower(claim.ID))
		want := []string{claim.ID + "  " + report.Claims[i].Verdict, claim.Text, report.Claims[i].Reason}
		if report.Claims[i].Profile != "" {
			want = append(want, claim.Tests[0].Left[0].Row)
		}
		for _, text := range want {
			if code != 0 || !strings.Contains(stdout, text) {
				t.Errorf("%s: exit code %d, no %q: %s%s", claim.ID, code, text, stdout, stderr)
			}
		}
	}
	if code, _, stderr := w.repro(t, "c", "why", "C99"); code != cli.ExitUsage || !strings.Contains(stderr, "C01 to C40") {
		t.Errorf("C99: exit code %d: %s", code, stderr)
	}
}

// A change for the worse beyond the interval of the recorded run is exit code 3.
func TestVerifySeesRegression(t *testing.T) {
	w := newWorld(t)
	run := func(dim int) {
		t.Helper()
		p, err := profile.Load(w.profile, []string{fmt.Sprintf("vectors.dim=%d", dim)})
		if err != nil {
			t.Fatal(err)
		}
		p.STS.Rows = slices.DeleteFunc(p.STS.Rows, func(r profile.Row) bool { return r.Select })
		if err := os.WriteFile(w.profile, []byte(p.TOML()), 0o666); err != nil {
			t.Fatal(err)
		}
		if code, stderr := finish(t, w.command(t, "v")); code != 0 {
			t.Fatalf("exit code %d: %s", code, stderr)
		}
	}
	verify := func(want int, args ...string) string {
		t.Helper()
		code, stdout, stderr := w.repro(t, "v", append([]string{"verify", "--profile", w.profile}, args...)...)
		if code != want {
			t.Fatalf("exit code %d, want %d: %s%s", code, want, stdout, stderr)
		}
		return stdout + stderr
	}
	run(20)
	if err := os.Rename(filepath.Join(w.dir, "v", "results"), filepath.Join(w.dir, "v", "kept")); err != nil {
		t.Fatal(err)
	}
	if text := verify(cli.ExitData); !strings.Contains(text, "repro run --profile small") {
		t.Errorf("without results: %s", text)
	}
	if err := os.Rename(filepath.Join(w.dir, "v", "kept"), filepath.Join(w.dir, "v", "results")); err != nil {
		t.Fatal(err)
	}
	if text := verify(cli.ExitData); !strings.Contains(text, "--update") {
		t.Errorf("without a recorded run: %s", text)
	}
	verify(0, "--update")
	if text := verify(0); !strings.Contains(text, " 0 worse") {
		t.Errorf("the same results: %s", text)
	}
	run(2) // too few dimensions to tell the words apart
	if text := verify(cli.ExitRegression); !strings.Contains(text, "worse") || !strings.Contains(text, "--update") {
		t.Errorf("with fewer dimensions: %s", text)
	}
	if text := verify(0, "--update"); !strings.Contains(text, "worse") {
		t.Errorf("the update does not show what changes: %s", text)
	}
	verify(0)
	var report struct{ Cells, Claims []any }
	code, stdout, stderr := w.repro(t, "v", "verify", "--profile", w.profile, "--json")
	if err := json.Unmarshal([]byte(stdout), &report); code != 0 || err != nil {
		t.Errorf("exit code %d, %v: %s%s", code, err, stdout, stderr)
	}
	if code, stdout, stderr := w.repro(t, "v", "report", "--profile", w.profile); code != 0 || !strings.Contains(stdout, "report.html") {
		t.Errorf("exit code %d: %s%s", code, stdout, stderr)
	}
	t.Run("bad files", func(t *testing.T) {
		path := filepath.Join(w.dir, "v", results.Path("results", "small", "sts"))
		sound, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		version := fmt.Sprintf(`"version":%d`, results.Version)
		for _, c := range []struct{ name, content, want string }{
			{"cut off", string(sound[:len(sound)/2]), "sts.jsonl:"},
			{"unknown version", strings.Replace(string(sound), version, `"version":7`, 1), "version 7"},
			{"other profile", strings.Replace(string(sound), `"profile":"small"`, `"profile":"large"`, 1), `"large", expected "small"`},
		} {
			if err := os.WriteFile(path, []byte(c.content), 0o666); err != nil {
				t.Fatal(err)
			}
			for _, command := range []string{"verify", "report"} {
				code, _, stderr := w.repro(t, "v", command, "--profile", w.profile)
				if code != cli.ExitData || !strings.Contains(stderr, c.want) {
					t.Errorf("%s, %s: exit code %d: %s", command, c.name, code, stderr)
				}
			}
		}
	})
}

// Where there are no results, in a fresh clone or anywhere else, verify, report and table show those of the
// recorded run, and what verify writes is what is committed.
func TestRecordedRunStandsIn(t *testing.T) {
	w := world{dir: t.TempDir()}
	const root = "../.."
	code, stdout, stderr := w.repro(t, "clone", "verify", "--profile", "open")
	if code != 0 || !strings.Contains(stderr, "recorded run") || !strings.Contains(stdout, " 0 worse, 0 otherwise") {
		t.Fatalf("exit code %d: %s%s", code, stdout, stderr)
	}
	for _, name := range []string{"verdict.md", "verdict.csv"} {
		written, err := os.ReadFile(filepath.Join(w.dir, "clone", "tables", name))
		if err != nil {
			t.Fatal(err)
		}
		committed, err := os.ReadFile(filepath.Join(root, "tables", name))
		if err != nil || !bytes.Equal(written, committed) {
			t.Errorf("tables/%s is not what the recorded runs say (%v); repro verify --profile open in a clean clone writes it", name, err)
		}
	}
	for _, args := range [][]string{
		{"table", "table1", "--profile", "open", "--list"}, {"table", "table1", "--as", "macros", "--profile", "open"},
		{"table", "table1", "--profile", "open", "--rows", "GloVe, settings of the paper/CoMB*,nbow"},
	} {
		code, stdout, stderr := w.repro(t, "clone", args...)
		if code != 0 || !strings.Contains(stdout, "glove-comb") && !strings.Contains(stdout, "CoMB") || !strings.Contains(stderr, "--results") {
			t.Errorf("%q: exit code %d: %.300s%s", args, code, stdout, stderr)
		}
	}
	code, stdout, stderr = w.repro(t, "clone", "report", "--profile", "open")
	if page := filepath.Join("results", "open", "report.html"); code != 0 || !strings.Contains(stdout, page) || !strings.Contains(stderr, "recorded run") {
		t.Errorf("exit code %d: %s%s", code, stdout, stderr)
	} else if _, err := os.Stat(filepath.Join(w.dir, "clone", page)); err != nil {
		t.Error(err)
	}
	if code, _, stderr := w.repro(t, "clone", "verify", "--profile", "open", "--update"); code != cli.ExitData || !strings.Contains(stderr, "no results") {
		t.Errorf("recording what is recorded: exit code %d: %s", code, stderr)
	}
}

// The mini world has not become worse than in the recorded run. This is `repro run` and
// `repro verify` on the mini profile.
func TestMiniHasNotBecomeWorse(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: runs all experiments on the mini world; leave out -short")
	}
	reference, err := filepath.Abs("../judge/verdict/reference/mini.json")
	if err != nil {
		t.Fatal(err)
	}
	w := world{dir: t.TempDir()}
	if code, _, stderr := w.repro(t, "mini", "run", "all", "--profile", "mini", "--store", "store"); code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	// What was timed is part of the results, and nothing that a run is held against.
	code, stdout, stderr := w.repro(t, "mini", "timings", "--profile", "mini", "--store", "store", "--json")
	var timed timings.Timings
	if err := json.Unmarshal([]byte(stdout), &timed); code != 0 || err != nil {
		t.Fatalf("timings: exit code %d, %v: %s%s", code, err, stdout, stderr)
	}
	pairs := 0
	for _, s := range timed.Sets {
		if s.Pairs < 1 || s.Seconds <= 0 {
			t.Errorf("timing %+v", s)
		}
		pairs += s.Pairs
	}
	if total := timed.Sets[len(timed.Sets)-1]; total.Set != "Total" || pairs != 2*total.Pairs || len(timed.Text) != 9 {
		t.Errorf("timings %+v", timed)
	}
	code, stdout, stderr = w.repro(t, "mini", "verify", "--profile", "mini", "--reference", reference)
	if code != 0 {
		t.Errorf("exit code %d: %s%s", code, stdout, stderr)
	}
	t.Log(stdout)
	// The page of all results asks for nothing from outside and is small.
	if code, _, stderr := w.repro(t, "mini", "report", "--profile", "mini"); code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	page, err := os.ReadFile(filepath.Join(w.dir, "mini", "results", "mini", "report.html"))
	if err != nil {
		t.Fatal(err)
	}
	if len(page) > 5<<20 {
		t.Errorf("the page has %d bytes, at most 5 MiB are meant", len(page))
	}
}
