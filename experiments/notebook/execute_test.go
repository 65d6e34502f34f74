package notebook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// gonb is the real kernel, built once.
var gonb = sync.OnceValues(func() (Spec, error) {
	root, err := Root(".")
	if err != nil {
		return Spec{}, err
	}
	spec, _, err := GoNB(context.Background(), root) // what it puts down, TestMain removes
	return spec, err
})

func TestMain(m *testing.M) {
	// Everything temporary goes to one folder, so that a test can look for leftovers.
	temp, err := os.MkdirTemp("", "nb-")
	if err != nil {
		panic(err)
	}
	os.Setenv("TMPDIR", temp)
	code := m.Run()
	os.RemoveAll(temp)
	os.Exit(code)
}

func kernelSpec(t *testing.T) Spec {
	t.Helper()
	spec, err := gonb()
	if err != nil {
		t.Fatal(err)
	}
	return spec
}

// document writes a notebook with the given code cells into a folder of its own.
func document(t *testing.T, cells ...string) string {
	t.Helper()
	list := []map[string]any{}
	for i, source := range cells {
		list = append(list, map[string]any{
			"cell_type": "code", "id": fmt.Sprint("c", i+1), "metadata": map[string]any{},
			"source": splitLines(source), "outputs": []any{}, "execution_count": nil,
		})
	}
	data, err := json.MarshalIndent(map[string]any{
		"cells": list, "nbformat": 4, "nbformat_minor": 5,
		"metadata": map[string]any{"kernelspec": map[string]any{"name": "gonb", "display_name": "Go", "language": "go"}},
	}, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "test.ipynb")
	if err := os.WriteFile(path, append(data, '\n'), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// execute executes a notebook of the given cells and returns it with the error.
func execute(t *testing.T, o Options, cells ...string) (*Notebook, error) {
	t.Helper()
	n, err := Read(document(t, cells...))
	if err != nil {
		t.Fatal(err)
	}
	return n, n.Execute(t.Context(), kernelSpec(t), o)
}

// leftovers lists what executions have left in the temporary folder and which of
// their processes live, once there is nothing or half a minute has passed: a killed
// process may take its time to die.
func leftovers(t *testing.T) []string {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if left := leftNow(t); len(left) == 0 || time.Now().After(deadline) {
			return left
		}
	}
}

func leftNow(t *testing.T) []string {
	t.Helper()
	var left []string
	folders, err := filepath.Glob(filepath.Join(os.TempDir(), ".cm-*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range folders {
		if !strings.HasPrefix(filepath.Base(f), ".cm-path-") {
			left = append(left, f)
		}
	}
	processes, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, p := range processes {
		if environ, err := os.ReadFile(p); err == nil && strings.Contains(string(environ), "TMPDIR="+os.TempDir()+"/.cm-") {
			command, _ := os.ReadFile(filepath.Join(filepath.Dir(p), "cmdline"))
			left = append(left, strings.ReplaceAll(string(command), "\x00", " "))
		}
	}
	return left
}

func text(c *Cell, stream string) string {
	for _, o := range c.Outputs {
		if o.Type == "stream" && o.Name == stream {
			return o.Text()
		}
	}
	return ""
}

// Shell cells need no compiler, so most of the protocol is tested with them.
func TestExecuteShell(t *testing.T) {
	var done []Done
	n, err := execute(t, Options{Cell: func(d Done) { done = append(done, d) }},
		"!echo one; pwd", "   \n", `!printf 'Zürich – Ωμέγα 汉字 🦫\n'`, "!printf 'a 10%%\\ra 99%%\\r\\nb\\n'")
	if err != nil {
		t.Fatal(err)
	}
	dir, _ := filepath.EvalSymlinks(filepath.Dir(n.Path))
	for i, want := range []string{"one\n" + dir + "\n", "", "Zürich – Ωμέγα 汉字 🦫\n", "a 99%\nb\n"} {
		if got := text(n.Cells[i], "stdout"); got != want {
			t.Errorf("cell %d wrote %q, want %q", i+1, got, want)
		}
	}
	if n.Cells[0].Count != 1 || n.Cells[1].Count != 0 || n.Cells[2].Count != 2 {
		t.Errorf("counts %d, %d, %d, want 1, 0 (empty), 2", n.Cells[0].Count, n.Cells[1].Count, n.Cells[2].Count)
	}
	if len(done) != 3 || done[2].Cell != 4 || done[2].Cells != 4 {
		t.Errorf("progress %+v, want three code cells, the last the fourth of four", done)
	}
	if left := leftovers(t); len(left) > 0 {
		t.Errorf("left over: %q", left)
	}
}

func TestExecuteGo(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles cells")
	}
	n, err := execute(t, Options{},
		"import \"fmt\"\n\nvar greeting = \"salü\"",
		"%%\nfmt.Println(greeting, 6*7)",
		"%%\nfmt.Println(undefined)")
	var cell *CellError
	if !errors.As(err, &cell) || cell.Cell != 3 || !strings.Contains(err.Error(), "undefined: undefined") {
		t.Errorf("the error is %v, want one of cell 3 with the compiler's words", err)
	}
	if got := text(n.Cells[1], "stdout"); got != "salü 42\n" {
		t.Errorf("the second cell wrote %q", got)
	}
	if last := n.Cells[2].Outputs; len(last) == 0 || last[len(last)-1].Type != "error" {
		t.Errorf("the third cell's outputs are %+v, want an error at the end", last)
	}
}

func TestExecuteGoPanics(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles cells")
	}
	for source, want := range map[string]string{
		"%%\npanic(\"no way\")": "panic: no way",
		"import (\"fmt\"; \"os\")\n%%\nfmt.Fprintln(os.Stderr, \"no way\")\nos.Exit(1)": "no way",
	} {
		n, err := execute(t, Options{}, source, "!echo not reached")
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "cell 1") {
			t.Fatalf("the error is %v, want %q of cell 1", err, want)
		}
		// It is said once, without what the kernel and the runtime put around it.
		last := n.Cells[0].Outputs[len(n.Cells[0].Outputs)-1]
		for _, said := range []string{err.Error(), last.Message} {
			if strings.Contains(said, "exit status") || strings.Contains(said, "goroutine") {
				t.Errorf("the error is told as\n%s", said)
			}
		}
		if want == "no way" && len(n.Cells[0].Outputs) != 1 {
			t.Errorf("%d outputs, want the error alone", len(n.Cells[0].Outputs))
		}
	}
}

func TestExecuteFailures(t *testing.T) {
	for name, c := range map[string]struct{ source, want string }{
		"shell command": {"!echo before; exit 3", "exit status 3"},
		"magic":         {"%nonsense", `"%nonsense" unknown or not implemented yet.`},
		"shell killed":  {"!kill -9 $$", "signal: killed"},
		"syntax":        {"func broken( {", "expected"},
		"no such tool":  {"!nosuchprogram", "exit status 127"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n, err := execute(t, Options{}, "!echo fine", c.source, "!echo not reached")
			var cell *CellError
			if !errors.As(err, &cell) {
				t.Fatalf("the error is %v, want a CellError", err)
			}
			if cell.Cell != 2 || cell.Path != n.Path || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the error is %v, want one of cell 2 of %s with %q", err, n.Path, c.want)
			}
			if len(n.Cells[2].Outputs) > 0 || n.Cells[2].Count != 0 {
				t.Error("the cell after the failed one has outputs")
			}
			last := n.Cells[1].Outputs
			if len(last) == 0 || last[len(last)-1].Type != "error" {
				t.Errorf("the failed cell's outputs are %+v, want an error at the end", last)
			}
		})
	}
}

func TestExecuteTimeout(t *testing.T) {
	kernelSpec(t) // takes long the first time
	start := time.Now()
	_, err := execute(t, Options{Timeout: 2 * time.Second}, "!echo quick", "!exec sleep 1000")
	if err == nil || !strings.Contains(err.Error(), "cell 2") || !strings.Contains(err.Error(), "not done after 2s, and was interrupted") {
		t.Errorf("the error is %v, want a timeout of cell 2", err)
	}
	if d := time.Since(start); d > 30*time.Second {
		t.Errorf("it took %v", d)
	}
	if left := leftovers(t); len(left) > 0 {
		t.Errorf("left over: %q", left)
	}
}

// A grandchild that holds stdout keeps GoNB from seeing the end of the cell, and
// ignores the interrupt.
func TestExecuteIgnoresInterrupt(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for the kernel to be given up")
	}
	_, err := execute(t, Options{Timeout: 2 * time.Second}, "!trap '' INT; sleep 1000 & sleep 1000")
	if err == nil || !strings.Contains(err.Error(), "killed because it went on after an interrupt") {
		t.Errorf("the error is %v, want a killed kernel", err)
	}
	if left := leftovers(t); len(left) > 0 {
		t.Errorf("left over: %q", left)
	}
}

func TestExecuteKernelDies(t *testing.T) {
	n, err := execute(t, Options{}, "!echo fine", "!kill -9 $PPID; sleep 1000", "!echo not reached")
	if !errors.Is(err, errDied) || !strings.Contains(err.Error(), "cell 2") || !strings.Contains(err.Error(), "signal: killed") {
		t.Errorf("the error is %v, want a dead kernel in cell 2", err)
	}
	if o := n.Cells[1].Outputs; len(o) != 1 || o[0].Error != "DeadKernel" {
		t.Errorf("%d outputs, want one, a DeadKernel", len(o))
	}
	if got := text(n.Cells[0], "stdout"); got != "fine\n" {
		t.Errorf("the first cell wrote %q", got)
	}
	if left := leftovers(t); len(left) > 0 {
		t.Errorf("left over: %q", left)
	}
}

func TestExecuteCancelled(t *testing.T) {
	n, err := Read(document(t, "!echo fine", "!sleep 1000 & sleep 1000"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err = n.Execute(ctx, kernelSpec(t), Options{Cell: func(Done) {
		time.AfterFunc(200*time.Millisecond, cancel)
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v, want context.Canceled", err)
	}
	if left := leftovers(t); len(left) > 0 {
		t.Errorf("left over: %q", left)
	}
}

// 50 MB are read at speed and cut to what a page can show.
func TestExecuteMuchOutput(t *testing.T) {
	const size = 50_000_000
	start := time.Now()
	n, err := execute(t, Options{}, fmt.Sprintf("!head -c %d /dev/zero | tr '\\0' x", size), "!echo still here")
	if err != nil {
		t.Fatal(err)
	}
	got := text(n.Cells[0], "stdout")
	if want := fmt.Sprintf("\n[%d more bytes were left out]\n", size-maxStream); len(got) != maxStream+len(want) || !strings.HasSuffix(got, want) {
		t.Errorf("the cell has %d bytes that end with %q, want %d and %q", len(got), got[max(0, len(got)-40):], maxStream+len(want), want)
	}
	if text(n.Cells[1], "stdout") != "still here\n" {
		t.Error("what came after it was lost")
	}
	t.Logf("%.1f s", time.Since(start).Seconds())
}

func TestExecuteParallel(t *testing.T) {
	const notebooks = 4
	var wait sync.WaitGroup
	errs, got := make([]error, notebooks), make([]*Notebook, notebooks)
	for i := range notebooks {
		n, err := Read(document(t, fmt.Sprintf("!for x in 1 2 3; do echo %d $x; sleep 0.1; done", i), fmt.Sprint("!echo end ", i)))
		if err != nil {
			t.Fatal(err)
		}
		got[i] = n
		spec := kernelSpec(t)
		wait.Go(func() { errs[i] = n.Execute(t.Context(), spec, Options{}) })
	}
	wait.Wait()
	for i := range notebooks {
		if errs[i] != nil {
			t.Error(errs[i])
		}
		if want := fmt.Sprintf("%d 1\n%d 2\n%d 3\n", i, i, i); text(got[i].Cells[0], "stdout") != want || text(got[i].Cells[1], "stdout") != fmt.Sprintf("end %d\n", i) {
			t.Errorf("notebook %d wrote %q, want %q", i, text(got[i].Cells[0], "stdout"), want)
		}
	}
}

func TestExecuteOtherKernel(t *testing.T) {
	path := document(t, "print(1)")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	n, err := Parse(path, []byte(strings.ReplaceAll(strings.ReplaceAll(string(data), `"go"`, `"python"`), `"gonb"`, `"python3"`)))
	if err != nil {
		t.Fatal(err)
	}
	err = n.Execute(t.Context(), kernelSpec(t), Options{})
	if !errors.Is(err, ErrKernel) || !strings.Contains(err.Error(), "python3") || !strings.Contains(err.Error(), path) {
		t.Errorf("the error is %v, want ErrKernel with the kernel's name and the file", err)
	}
}

func TestKernelMissing(t *testing.T) {
	n, err := Read(document(t, "!echo"))
	if err != nil {
		t.Fatal(err)
	}
	spec := Spec{Argv: []string{"/nonexistent/gonb", "{connection_file}"}, Language: "go"}
	if err := n.Execute(t.Context(), spec, Options{}); err == nil || !strings.Contains(err.Error(), "/nonexistent/gonb") {
		t.Errorf("the error is %v, want one that names the missing kernel", err)
	}
	// A kernel that ends at once says why.
	spec = Spec{Argv: []string{"sh", "-c", "echo out of order >&2; exit 7"}, Language: "go"}
	if err := n.Execute(t.Context(), spec, Options{}); !errors.Is(err, errDied) || !strings.Contains(err.Error(), "out of order") {
		t.Errorf("the error is %v, want a dead kernel with its last words", err)
	}
	t.Setenv("PATH", t.TempDir())
	if _, _, err := GoNB(t.Context(), "../.."); err == nil || !strings.Contains(err.Error(), "no `go` on PATH") {
		t.Errorf("the error is %v, want one about go on PATH", err)
	}
	if left := leftovers(t); len(left) > 0 {
		t.Errorf("left over: %q", left)
	}
}

// Ctrl-C while the kernel is built leaves nothing.
func TestGoNBCancelled(t *testing.T) {
	kernelSpec(t)
	for _, after := range []time.Duration{0, 50 * time.Millisecond, time.Minute} {
		temp := t.TempDir()
		t.Setenv("TMPDIR", temp)
		ctx, cancel := context.WithTimeout(t.Context(), after)
		_, remove, err := GoNB(ctx, "../..")
		if err != nil && !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("after %v the error is %v, want %v", after, err, context.DeadlineExceeded)
		}
		cancel()
		if err == nil {
			remove()
		}
		if left, _ := os.ReadDir(temp); len(left) > 0 {
			t.Errorf("after %v %d files are left (%v)", after, len(left), err)
		}
	}
}

// What cells display, through the kernel's real messages.
func TestExecuteDisplays(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles cells")
	}
	n, err := execute(t, Options{}, "%noautoget", `import "github.com/janpfeifer/gonb/gonbui"

%%
gonbui.DisplayPng([]byte("no real picture"))
gonbui.UpdateHtml("bar", "<progress>")
gonbui.UpdateHtml("bar", "Zürich 汉字 🦫 \u2028 <b>&</b>")
gonbui.Sync()`)
	if err != nil {
		t.Fatal(err)
	}
	got := n.Cells[1].Outputs
	if len(got) != 2 || got[0].Data["image/png"] != "bm8gcmVhbCBwaWN0dXJl" || got[1].Data["text/html"] != "Zürich 汉字 🦫 \u2028 <b>&</b>" {
		for _, o := range got {
			t.Errorf("displayed %s %q", o.Type, o.Data)
		}
	}
}

// The kernel ends when the process that started it is killed. It mostly, but not always,
// gets to end the cell first.
func TestHarnessKilled(t *testing.T) {
	if os.Getenv("NOTEBOOK_TEST_CHILD") != "" {
		n, err := Read(os.Getenv("NOTEBOOK_TEST_CHILD"))
		if err != nil {
			t.Fatal(err)
		}
		t.Fatal(n.Execute(context.Background(), kernelSpec(t), Options{}))
	}
	if _, err := os.Stat("/proc/self/environ"); err != nil {
		t.Skip("only Linux tells a child of its parent's death")
	}
	kernelSpec(t)
	sign := filepath.Join(t.TempDir(), "pids")
	child := exec.Command(os.Args[0], "-test.run=^TestHarnessKilled$")
	child.Env = append(os.Environ(), "NOTEBOOK_TEST_CHILD="+document(t, fmt.Sprintf("!echo $PPID $$ > %s; exec sleep 1000", sign)))
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	kernel, cell := 0, 0
	for deadline := time.Now().Add(2 * time.Minute); cell == 0 && time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if text, err := os.ReadFile(sign); err == nil {
			fmt.Sscanf(string(text), "%d %d", &kernel, &cell)
		}
	}
	if process, err := os.FindProcess(cell); err == nil && cell != 0 {
		t.Cleanup(func() { process.Kill() })
	}
	child.Process.Kill()
	child.Wait()
	if cell == 0 {
		t.Fatal("the cell was not started")
	}
	// A dead process that nobody waits for is still there, but has no command any more.
	command := func() string {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", kernel))
		return string(text)
	}
	for deadline := time.Now().Add(30 * time.Second); command() != ""; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("the kernel's process %d lives on", kernel)
		}
	}
}

// A cell may fail where a tag says that it will, and is left out where one says so.
func TestExecuteTags(t *testing.T) {
	path := document(t, "!echo before; exit 3", "!echo left out", "!echo after")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, tag := range []string{"raises-exception", "skip-execution"} {
		data = []byte(strings.Replace(string(data), `"metadata": {}`, fmt.Sprintf(`"metadata": {"tags": [%q]}`, tag), 1))
	}
	n, err := Parse(path, data)
	if err != nil {
		t.Fatal(err)
	}
	if err := n.Execute(t.Context(), kernelSpec(t), Options{}); err != nil {
		t.Fatal(err)
	}
	raised := n.Cells[0].Outputs
	if len(raised) < 2 || raised[len(raised)-1].Type != "error" || text(n.Cells[0], "stdout") != "before\n" {
		t.Errorf("the first cell has the outputs %+v, want what it wrote and its error", raised)
	}
	if len(n.Cells[1].Outputs) > 0 || n.Cells[1].Count != 0 || text(n.Cells[2], "stdout") != "after\n" {
		t.Errorf("the second cell has %d outputs, the third wrote %q", len(n.Cells[1].Outputs), text(n.Cells[2], "stdout"))
	}
}
