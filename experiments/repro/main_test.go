package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"contextmover/cmdlib/npy"
	"contextmover/experiments/harness/store"
	"contextmover/experiments/repro/cli"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"repro": main})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"npy":       writeArray,
			"code":      exitsWith,
			"artefacts": func(ts *testscript.TestScript, _ bool, args []string) { makeArtefacts(ts, args[0]) },
			"damage":    func(ts *testscript.TestScript, _ bool, args []string) { damage(ts, args[0]) },
			"clean_one": func(ts *testscript.TestScript, _ bool, args []string) { cleanOne(ts, args[0], args[1]) },
		},
		Setup: func(e *testscript.Env) error {
			e.Setenv("CONTEXTMOVER_DATA", "")
			e.Setenv("XDG_DATA_HOME", filepath.Join(e.WorkDir, "home"))
			e.Setenv("XDG_CACHE_HOME", filepath.Join(e.WorkDir, "cache"))
			return nil
		},
	})
}

// writeArray writes an array: npy FILE float32|float64 DIM,DIM VALUE…
func writeArray(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: npy file type shape value...")
	}
	var shape []int
	for d := range strings.SplitSeq(args[2], ",") {
		n, err := strconv.Atoi(d)
		ts.Check(err)
		shape = append(shape, n)
	}
	var data []float64
	for _, a := range args[3:] {
		x, err := strconv.ParseFloat(a, 64)
		ts.Check(err)
		data = append(data, x)
	}
	path := ts.MkAbs(args[0])
	if args[1] == "float64" {
		ts.Check(npy.Write(path, shape, data))
		return
	}
	narrow := make([]float32, len(data))
	for i, x := range data {
		narrow[i] = float32(x)
	}
	ts.Check(npy.Write(path, shape, narrow))
}

// exitsWith runs repro in the script's folder and environment and checks its exit
// code, which exec does not tell: code N ARG…
func exitsWith(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: code n args...")
	}
	err := ts.Exec("repro", args[1:]...)
	got := "0"
	if err != nil {
		got = strings.TrimPrefix(err.Error(), "exit status ")
	}
	if got != args[0] {
		ts.Fatalf("exit code %s, want %s", got, args[0])
	}
}

// makeArtefacts fills a store with the stages alpha, beta and gamma. It makes them elsewhere, for this process goes on to use the store that it opens.
func makeArtefacts(ts *testscript.TestScript, dir string) {
	s, err := store.Open(filepath.Join(ts.MkAbs("made"), dir))
	ts.Check(err)
	defer func() {
		ts.Check(os.RemoveAll(ts.MkAbs(dir)))
		ts.Check(os.CopyFS(ts.MkAbs(dir), os.DirFS(s.Dir())))
	}()
	for _, name := range []string{"alpha", "beta", "gamma"} {
		stage := store.Stage{Name: name, Version: 1, Params: struct{}{}}
		_, err := s.Get(context.Background(), stage, func(_ context.Context, dir string) error {
			return os.WriteFile(filepath.Join(dir, "file.txt"), []byte("content of "+name), 0o666)
		})
		ts.Check(err)
	}
}

// damage changes a byte of the artefact in a stage's folder.
func damage(ts *testscript.TestScript, stage string) {
	files, err := filepath.Glob(filepath.Join(ts.MkAbs(stage), "*", "file.txt"))
	ts.Check(err)
	if len(files) != 1 {
		ts.Fatalf("%d artefacts in %s", len(files), stage)
	}
	content, err := os.ReadFile(files[0])
	ts.Check(err)
	content[0]++
	ts.Check(os.Chmod(files[0], 0o666))
	ts.Check(os.WriteFile(files[0], content, 0o666))
}

// cleanOne removes the artefact of a stage by the first 12 digits of its key.
func cleanOne(ts *testscript.TestScript, dir, stage string) {
	folders, err := filepath.Glob(filepath.Join(ts.MkAbs(dir), stage, "*"))
	ts.Check(err)
	exitsWith(ts, false, []string{"0", "clean", "--store", dir, filepath.Base(folders[0])[:12]})
}

func TestInterrupt(t *testing.T) {
	dir := t.TempDir()
	const k = 100
	cost, histogram := make([]float32, k*k), make([]float32, k)
	for i := range cost {
		cost[i] = float32(i%k) / k
		histogram[i%k] = 1.0 / k
	}
	for path, array := range map[string][]float32{"M.npy": cost, "a.npy": histogram} {
		shape := []int{len(array)}
		if len(array) == k*k {
			shape = []int{k, k}
		}
		if err := npy.Write(filepath.Join(dir, path), shape, array); err != nil {
			t.Fatal(err)
		}
	}
	stderr, err := os.Create(filepath.Join(dir, "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	defer stderr.Close()

	// This process must outlive the signals, which come until run has noticed. The last may
	// still be on its way at the end, so this is never taken back.
	signal.Notify(make(chan os.Signal, 1), os.Interrupt)
	code := make(chan int)
	go func() {
		m, a := filepath.Join(dir, "M.npy"), filepath.Join(dir, "a.npy")
		code <- run([]string{"ot", "distance", "--cost", m, "--a", a, "--b", a, "--tol", "0", "--iters", "1000000000"}, io.Discard, stderr)
	}()
	deadline := time.After(2 * time.Minute)
	for {
		select {
		case got := <-code:
			if got != cli.ExitInterrupted {
				t.Errorf("exit code %d, want %d", got, cli.ExitInterrupted)
			}
			message, err := os.ReadFile(stderr.Name())
			if err != nil || string(message) != "repro: interrupted\n" {
				t.Errorf("stderr %q, %v", message, err)
			}
			return
		case <-time.After(50 * time.Millisecond):
			self, err := os.FindProcess(os.Getpid())
			if err == nil {
				err = self.Signal(os.Interrupt)
			}
			if err != nil {
				t.Fatal(err)
			}
		case <-deadline:
			t.Fatal("still running")
		}
	}
}

// A panic, of a worker too, ends the program with a code of its own and with what to report.
func TestPanicIsReported(t *testing.T) {
	stderr, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	defer stderr.Close()
	if code := run([]string{"version", "--json"}, panickingWriter{}, stderr); code != cli.ExitDefect {
		t.Errorf("exit code %d, want %d", code, cli.ExitDefect)
	}
	message, err := os.ReadFile(stderr.Name())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"repro: a defect", "  version: " + programVersion().Version + "\n", "  command: repro [\"version\" \"--json\"]\n",
		"  panic: boom\n", "contextmover/experiments/repro.panickingWriter.Write(",
	} {
		if !strings.Contains(string(message), want) {
			t.Errorf("no %q in\n%s", want, message)
		}
	}
}

type panickingWriter struct{}

func (panickingWriter) Write([]byte) (int, error) { panic("boom") }
