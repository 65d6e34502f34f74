package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"contextmover/cmdlib"
	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/english"
	"contextmover/cmdlib/ot/cpu"
	"contextmover/cmdlib/search"
	"contextmover/experiments/harness/miniworld"
	"contextmover/experiments/harness/prepare"
	"contextmover/experiments/repro/batch"
	"contextmover/experiments/repro/cli"
	"contextmover/experiments/repro/create"

	"github.com/alecthomas/kong"
)

// TestMain runs main for a process of this name.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "repro-scale" {
		main()
	}
	os.Exit(m.Run())
}

// world is a folder with a text and, in whole, what repro corpus count makes of it.
func world(t *testing.T) (dir string, want map[string]string) {
	t.Helper()
	dir = t.TempDir()
	w := miniworld.Generate(miniworld.DefaultSeed, 60_000)
	if err := w.Write(dir); err != nil {
		t.Fatal(err)
	}
	var repro struct {
		Count create.Count `cmd:""`
	}
	parser, err := kong.New(&repro, cli.Vars())
	if err != nil {
		t.Fatal(err)
	}
	command, err := parser.Parse([]string{"count", "--text", filepath.Join(dir, "corpus.txt"), "--min-count", "3", "--out", filepath.Join(dir, "whole")})
	if err != nil {
		t.Fatal(err)
	}
	progress := cli.NewProgress(os.Stderr)
	defer progress.Close()
	if err := command.Run(cli.NewEnv(t.Context(), &bytes.Buffer{}, progress)); err != nil {
		t.Fatal(err)
	}
	return dir, contents(t, filepath.Join(dir, "whole"))
}

const sharding = "count --text corpus.txt --min-count 3 --size 30kB --part 500kB --out job"

// scale returns repro-scale as a process in a folder, ready to be started.
func scale(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), self)
	c.Args = append([]string{"repro-scale"}, args...)
	c.Dir = dir
	return c
}

// exits runs a process, wants its exit code, and returns what it printed and logged.
func exits(t *testing.T, want int, c *exec.Cmd) string {
	t.Helper()
	out, err := c.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if code := c.ProcessState.ExitCode(); code != want {
		t.Fatalf("%q: exit code %d, want %d: %s", c.Args, code, want, out)
	}
	return string(out)
}

func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) == 0 {
		t.Fatalf("%d files, %v", len(entries), err)
	}
	files := map[string]string{}
	for _, e := range entries {
		if e.IsDir() {
			continue
		}
		content, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[e.Name()] = string(content)
	}
	return files
}

func same(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	got := contents(t, filepath.Join(dir, "job", "counts"))
	if len(got) != len(want) {
		t.Errorf("%d files, want %d", len(got), len(want))
	}
	for name, content := range want {
		if got[name] != content {
			t.Errorf("%s has %d bytes, which are not the %d of repro corpus count", name, len(got[name]), len(content))
		}
	}
}

// finished are the files that steps have finished.
func finished(t *testing.T, dir string) map[string]os.FileInfo {
	t.Helper()
	files := map[string]os.FileInfo{}
	for _, step := range []string{"words/[0-9]*", "pairs/[0-9]*", "parts/[0-9]*", "documents/[0-9]*.json"} {
		names, err := filepath.Glob(filepath.Join(dir, "job", step))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if info, err := os.Stat(name); err == nil {
				files[name] = info
			}
		}
	}
	return files
}

// kept wants all files that were finished as they were.
func kept(t *testing.T, before, now map[string]os.FileInfo) {
	t.Helper()
	for name, was := range before {
		if is, ok := now[name]; !ok || !os.SameFile(was, is) || !was.ModTime().Equal(is.ModTime()) {
			t.Fatalf("%s was finished, and was made again", name)
		}
	}
}

// In this process, and by workers that an engine starts, it counts what one process counts.
func TestCount(t *testing.T) {
	dir, want := world(t)
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	defer func() {
		if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
			t.Errorf("left among the temporary files: %v, %v", left, err)
		}
	}()
	out := exits(t, 0, scale(t, dir, strings.Fields(sharding)...))
	if !strings.Contains(out, "pairs of words") || strings.Contains(out, "github.com/apache") {
		t.Errorf("it says %s", out)
	}
	same(t, dir, want)
	files := finished(t, dir)
	if len(files) < 20 {
		t.Errorf("%d files: too few to tell anything", len(files))
	}
	exits(t, 0, scale(t, dir, strings.Fields(sharding)...))
	kept(t, files, finished(t, dir))

	if err := os.RemoveAll(filepath.Join(dir, "job")); err != nil {
		t.Fatal(err)
	}
	c := scale(t, dir, append(strings.Fields(sharding), "--", "--environment_type=PROCESS", fmt.Sprintf(`--environment_config={"command":%q}`, worker(t)))...)
	exits(t, 0, c)
	same(t, dir, want)
}

// Of text of all kinds it prepares what one process does; given
// again, it makes nothing again; what cannot be read has its name.
func TestPrepare(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	var text, lines, pages strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&text, "It was number %d of the %d that nobody had seen before, and everybody knew it. So be it.\n", i, i%7)
		fmt.Fprintf(&lines, "{\"text\": \"Of line %d of them there is much to be said, and it will be said by us. So be it.\", \"licence\": \"CC0\"}\n", i)
		fmt.Fprintf(&pages, "<doc id=\"%d\" url=\"u\" title=\"Page %d\">\n%s</doc>\n", i, i, strings.Repeat(fmt.Sprintf("The house of the %d men in the valley was built by the same man as the bridge over the river.\n", i), 3))
	}
	for name, content := range map[string]string{"text.txt": text.String(), "some.jsonl": lines.String(), "pages": pages.String()} {
		if err := os.WriteFile(at(name), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	sources := []prepare.Source{{Kind: prepare.Wikipedia, Paths: []string{at("pages")}}, {Kind: prepare.Text, Paths: []string{at("text.txt")}}, {Kind: prepare.JSON, Paths: []string{at("some.jsonl")}}}
	if _, err := prepare.Run(t.Context(), at("whole"), prepare.Options{Sources: sources, Seed: 1}); err != nil {
		t.Fatal(err)
	}
	want := contents(t, at("whole"))
	command := strings.Fields("prepare --wikipedia pages --text text.txt --json-lines some.jsonl --size 1MB --out job")
	out := exits(t, 0, scale(t, dir, command...))
	if !strings.Contains(out, "documents") || !strings.Contains(out, "piece 3 of 3, ") {
		t.Errorf("it says %s", out)
	}
	got := contents(t, at("job/corpus"))
	if len(got) != len(want) || len(want) != 6 {
		t.Errorf("%d files, want %d", len(got), len(want))
	}
	for name, content := range want {
		if got[name] != content {
			t.Errorf("%s has %d bytes, which are not the %d of one process", name, len(got[name]), len(content))
		}
	}
	stat := func() map[string]os.FileInfo {
		t.Helper()
		files := map[string]os.FileInfo{}
		for _, pattern := range []string{"documents/*", "corpus/*"} {
			names, err := filepath.Glob(at("job/" + pattern))
			if err != nil || len(names) < 3 {
				t.Fatalf("%s: %q, %v", pattern, names, err)
			}
			for _, name := range names {
				if files[name], err = os.Stat(name); err != nil {
					t.Fatal(err)
				}
			}
		}
		return files
	}
	before := stat()
	exits(t, 0, scale(t, dir, command...))
	kept(t, before, stat())
	if err := os.WriteFile(at("some.jsonl"), []byte(lines.String()+"{"), 0o666); err != nil {
		t.Fatal(err)
	}
	out = exits(t, cli.ExitFailed, scale(t, dir, "prepare", "--json-lines", "some.jsonl", "--out", "other"))
	if last := lastLine(out); !strings.HasPrefix(last, "repro-scale: piece 1 of 1, ") || !strings.Contains(last, "some.jsonl:4001: ") {
		t.Errorf("with lines that are none it ends with %s", last)
	}
	exits(t, cli.ExitUsage, scale(t, dir, "prepare", "--out", "other"))
}

// Two blocks of pairs give what their texts give in one process; given again, no block is made.
func TestDistance(t *testing.T) {
	dir := t.TempDir()
	known := []string{"lion\ttiger", "a lion sleeps\tthe tiger eats", "house\tlion"}
	lines := append(slices.Clone(known), slices.Repeat([]string{"xqzzy\tlion"}, 50_000)...) // those of unknown words are quick
	lines = append(lines, known...)
	file := filepath.Join(dir, "pairs.tsv")
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	command := strings.Fields("distance --pairs pairs.tsv --out out")
	exits(t, 0, scale(t, dir, command...))
	text, err := os.ReadFile(filepath.Join(dir, "out", "distances.txt"))
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(got) != len(lines) {
		t.Fatalf("%d distances of %d pairs", len(got), len(lines))
	}
	space, err := english.Open(cpu.New())
	if err != nil {
		t.Fatal(err)
	}
	defer space.Close()
	for i, line := range known {
		a, b, _ := strings.Cut(line, "\t")
		want, err := space.ByTransport().Compare(t.Context(), a, b)
		if err != nil {
			t.Fatal(err)
		}
		if cost := strconv.FormatFloat(want.Distance, 'g', -1, 64); got[i] != cost || got[len(got)-len(known)+i] != cost {
			t.Errorf("%s: %s and %s, want %s", line, got[i], got[len(got)-len(known)+i], cost)
		}
	}
	if got[3] != "unknown" {
		t.Errorf("the distance of an unknown word is %s", got[3])
	}
	blocks, err := filepath.Glob(filepath.Join(dir, "out", batch.Blocks, "*"))
	if err != nil || len(blocks) != 2 {
		t.Fatalf("blocks %q, %v", blocks, err)
	}
	stat := func() map[string]os.FileInfo {
		t.Helper()
		files := map[string]os.FileInfo{}
		for _, path := range blocks {
			if files[path], err = os.Stat(path); err != nil {
				t.Fatal(err)
			}
		}
		return files
	}
	before := stat()
	exits(t, 0, scale(t, dir, command...))
	kept(t, before, stat())
	exits(t, cli.ExitData, scale(t, dir, strings.Fields("distance --pairs absent --out out")...))
	exits(t, cli.ExitUsage, scale(t, dir, strings.Fields("distance --pairs pairs.tsv --out out --space open")...))
}

// Barycenters, neighbours and sentences found are those that the blocks give in one process, however they are cut.
func TestTexts(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := errors.Join(os.WriteFile(at("texts"), []byte("lion\nxqzzy\na lion sleeps\nthe house of the lion\n"), 0o666),
		os.WriteFile(at("text"), []byte("the tiger sleeps in the grass .\nshe bought a house .\n"), 0o666)); err != nil {
		t.Fatal(err)
	}
	space, err := english.Open(cpu.New())
	if err != nil {
		t.Fatal(err)
	}
	defer space.Close()
	if _, err := search.Write(t.Context(), at("index"), space, corpus.Text{Files: []string{at("text")}, Tokenised: true}, "", nil); err != nil {
		t.Fatal(err)
	}
	x, err := search.Open(at("index"), space)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	debiased, err := space.With(cmdlib.Options{Combination: cmdlib.DebiasedBarycenter, Engine: cpu.New()})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args string
		want func() (*batch.Batch, error)
	}{
		{"barycenter --debiased", func() (*batch.Batch, error) {
			return batch.Histograms(debiased, at("texts"), filepath.Join(at("want"), "barycenters.npy"))
		}},
		{"neighbours -n 2", func() (*batch.Batch, error) { return batch.Neighbours(space.ByTransport(), at("texts"), 2, at("want")) }},
		{"search -n 2 --in index", func() (*batch.Batch, error) {
			return batch.Search(x, space, search.Options{N: 2}, at("texts"), at("want"))
		}},
	} {
		want, err := c.want()
		if err != nil {
			t.Fatal(err)
		}
		want.Cut(2)
		for number := range want.Blocks() {
			if _, err := want.Make(t.Context(), number); err != nil {
				t.Fatal(err)
			}
		}
		if err := want.Join(t.Context()); err != nil {
			t.Fatal(err)
		}
		exits(t, 0, scale(t, dir, strings.Fields(c.args+" --texts texts --out out")...))
		if got, is := contents(t, at("out")), contents(t, at("want")); got[want.Name] == "" || got[want.Name] != is[want.Name] {
			t.Errorf("%s: %q, want %q", c.args, got[want.Name], is[want.Name])
		}
		if err := errors.Join(os.RemoveAll(at("out")), os.RemoveAll(at("want"))); err != nil {
			t.Fatal(err)
		}
	}
	exits(t, cli.ExitUsage, scale(t, dir, "neighbours", "--texts", "texts", "--out", "out", "-n", "0"))
	exits(t, cli.ExitData, scale(t, dir, "search", "--texts", "texts", "--out", "out", "--in", "nowhere"))
}

// worker is a program as engines start it.
func worker(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "repro-scale")
	if err := os.Symlink(self, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// Killed again and again, as soon as it has finished one to eight files,
// it ends with the same counts, and makes no finished file again.
func TestKilled(t *testing.T) {
	dir, want := world(t)
	untilDone(t, dir, strings.Fields(sharding), 20)
	same(t, dir, want)
}

// Text that killed engines prepare, too, is what one process makes of it.
func TestKilledPreparing(t *testing.T) {
	dir, _ := world(t)
	text, err := os.ReadFile(filepath.Join(dir, "corpus.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "texts"), 0o777); err != nil {
		t.Fatal(err)
	}
	const n = 24
	for i := range n {
		if err := os.WriteFile(filepath.Join(dir, "texts", fmt.Sprintf("%02d.txt", i)), text[i*len(text)/n:(i+1)*len(text)/n], 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := prepare.Run(t.Context(), filepath.Join(dir, "prepared"), prepare.Options{Sources: []prepare.Source{{Kind: prepare.Text, Paths: []string{filepath.Join(dir, "texts")}}}, Seed: 1}); err != nil {
		t.Fatal(err)
	}
	untilDone(t, dir, strings.Fields("prepare --text texts --size 1B --out job"), n)
	got, want := contents(t, filepath.Join(dir, "job", "corpus")), contents(t, filepath.Join(dir, "prepared"))
	if len(got) != len(want) || len(want) != 4 {
		t.Errorf("%d files, want %d", len(got), len(want))
	}
	for name, content := range want {
		if got[name] != content {
			t.Errorf("%s has %d bytes, which are not the %d of one process", name, len(got[name]), len(content))
		}
	}
}

// untilDone starts a command, kills it as soon as it has finished one to eight files,
// and starts it again, until it is done. It wants so many files, and none made again.
func untilDone(t *testing.T, dir string, command []string, want int) {
	t.Helper()
	random := rand.New(rand.NewPCG(3, 4))
	files, killed := map[string]os.FileInfo{}, 0
	for done := false; !done; {
		if killed > 100 {
			t.Fatal("no end")
		}
		c := scale(t, dir, command...)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- c.Wait() }()
		enough := len(files) + 1 + random.IntN(8)
		for waiting := true; waiting; {
			select {
			case err := <-ended:
				waiting = false
				var exit *exec.ExitError
				switch {
				case err == nil:
					done = true
				case errors.As(err, &exit) && exit.ExitCode() == -1:
					killed++
				default:
					t.Fatal(err)
				}
			case <-time.After(time.Millisecond):
				now := finished(t, dir)
				kept(t, files, now)
				if files = now; len(files) >= enough {
					_ = c.Process.Kill() // it may have ended
					enough = 1 << 30
				}
			}
		}
	}
	kept(t, files, finished(t, dir))
	t.Logf("%d files, %d processes killed", len(files), killed)
	if len(files) < want || killed < 3 {
		t.Errorf("%d files made, %d processes killed: too few to tell anything", len(files), killed)
	}
}

// What cannot be read, and what takes more memory than there is, ends
// the job with the name of the shard; the log names what was begun.
func TestFaults(t *testing.T) {
	dir, _ := world(t)
	text, err := os.ReadFile(filepath.Join(dir, "corpus.txt"))
	if err != nil {
		t.Fatal(err)
	}
	out := exits(t, cli.ExitFailed, scale(t, dir, append(strings.Fields(sharding), "--memory", "1000TB")...))
	if last := lastLine(out); !strings.HasPrefix(last, "repro-scale: shard ") || !strings.Contains(last, "corpus.txt") || !strings.Contains(last, "of memory") {
		t.Errorf("without memory it ends with %s", last)
	}
	if err := os.RemoveAll(filepath.Join(dir, "job")); err != nil {
		t.Fatal(err)
	}
	text[70_000] = 0
	if err := os.WriteFile(filepath.Join(dir, "corpus.txt"), text, 0o666); err != nil {
		t.Fatal(err)
	}
	out = exits(t, cli.ExitFailed, scale(t, dir, strings.Fields(sharding)...))
	if last := lastLine(out); !strings.HasPrefix(last, "repro-scale: shard 3 of ") || !strings.Contains(last, "NUL byte") {
		t.Errorf("with a text that is none it ends with %s", last)
	}
	if !strings.Contains(out, "words of shard 3 of ") {
		t.Errorf("the log does not name what was begun: %s", out)
	}
	for _, args := range []string{"", "count", "count --text corpus.txt --out other -- --nonsense", "count --text corpus.txt --out other -- rest"} {
		exits(t, cli.ExitUsage, scale(t, dir, strings.Fields(args)...))
	}
}

func lastLine(out string) string {
	lines := strings.Split(strings.TrimSpace(out), "\n")
	return lines[len(lines)-1]
}

// A worker whose engine was killed ends itself. The engine is a shell, whose worker asks a server that does not answer.
func TestWorkerEndsWithItsEngine(t *testing.T) {
	server, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	engine := exec.CommandContext(t.Context(), "sh", "-c", fmt.Sprintf("%s --id=1 --provision_endpoint=%s & wait", worker(t), server.Addr()))
	if err := engine.Start(); err != nil {
		t.Fatal(err)
	}
	asked, err := server.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer asked.Close()
	if err := engine.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = engine.Wait()
	if err := asked.SetReadDeadline(time.Now().Add(15 * time.Second)); err != nil {
		t.Fatal(err)
	}
	// The worker itself would wait for two minutes.
	if _, err := io.Copy(io.Discard, asked); errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error("the worker lives on")
	}
}
