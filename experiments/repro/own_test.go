package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"contextmover/experiments/harness/miniworld"
	"contextmover/experiments/repro/cli"
	"contextmover/internal/printable"
)

// TestOwnText runs the scripts about one's own text and embedding.
func TestOwnText(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/own",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"code":          exitsWith,
			"same_distance": sameDistance,
			// mirror STATUS sets MIRROR to the address of a server that answers everything with a status.
			"mirror": func(ts *testscript.TestScript, _ bool, args []string) {
				status, err := strconv.Atoi(args[0])
				ts.Check(err)
				server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.Error(w, r.URL.Path, status) }))
				ts.Defer(server.Close)
				ts.Setenv("MIRROR", server.URL)
			},
			// world DIR writes a corpus and sentence pairs.
			"world": func(ts *testscript.TestScript, _ bool, args []string) {
				w := miniworld.Generate(miniworld.DefaultSeed, 60_000)
				ts.Check(w.Write(ts.MkAbs(args[0])))
			},
			// running FILE OTHER joins lines to paragraphs with capitals at the starts of sentences.
			"running": func(ts *testscript.TestScript, _ bool, args []string) {
				lines := strings.Split(strings.TrimSpace(ts.ReadFile(args[0])), "\n")
				var b strings.Builder
				for i, line := range lines {
					b.WriteString(strings.ToUpper(line[:1]) + line[1:])
					b.WriteByte(" \n"[min(1, i%5/4)])
				}
				ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(b.String()), 0o666))
			},
		},
		Setup: func(e *testscript.Env) error {
			e.Setenv("CONTEXTMOVER_DATA", "")
			e.Setenv("XDG_DATA_HOME", filepath.Join(e.WorkDir, "home"))
			e.Setenv("XDG_CACHE_HOME", filepath.Join(e.WorkDir, "cache"))
			return nil
		},
	})
}

// sameDistance checks that a space's distance between two texts is minus their score under the
// method, and that it names how it combines words: same_distance SPACE METHOD COMBINATION
func sameDistance(ts *testscript.TestScript, _ bool, args []string) {
	const from, to = "the dog sleeps in the barn", "the cat sings in the house"
	ts.Check(os.WriteFile(ts.MkAbs("pair.tsv"), []byte(from+"\t"+to+"\n"), 0o666))
	var distance struct {
		Distance  float64
		Sentences string
	}
	var scores struct{ Scores []struct{ Score float64 } }
	ts.Check(ts.Exec("repro", "distance", from, to, "--space", args[0], "--method", args[1], "--json"))
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &distance))
	ts.Check(ts.Exec("repro", "score", "--space", args[0], "--pairs", "pair.tsv", "--method", args[1], "--json"))
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &scores))
	// Both are the same problem in float32, with the cost computed anew for the score.
	if d := distance.Distance + scores.Scores[0].Score; math.Abs(d) > 1e-6 {
		ts.Fatalf("distance %v, score %v", distance.Distance, scores.Scores[0].Score)
	}
	if distance.Sentences != args[2] {
		ts.Fatalf("words are combined by %q, want %q", distance.Sentences, args[2])
	}
}

// process prepares repro as a process of its own.
func process(t *testing.T, dir string, environment []string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// TestMain runs main for a process of this name.
	return &exec.Cmd{Path: self, Dir: dir, Env: append(os.Environ(), environment...), Args: append([]string{"repro"}, args...)}
}

// ownText writes a corpus to a folder and returns the folder.
func ownText(t *testing.T, tokens int) string {
	t.Helper()
	dir := t.TempDir()
	w := miniworld.Generate(miniworld.DefaultSeed, tokens)
	if err := w.Write(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// contents returns the files in a folder by name.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	if data, err := os.ReadFile(dir); err == nil { // a space, which is one file
		files["space"] = string(data)
		return files
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[e.Name()] = string(data)
	}
	return files
}

func same(t *testing.T, what string, a, b map[string]string) {
	t.Helper()
	if len(a) == 0 || len(a) != len(b) {
		t.Fatalf("%s: %d files and %d", what, len(a), len(b))
	}
	for name, content := range a {
		if b[name] != content {
			t.Errorf("%s: %s differs", what, name)
		}
	}
}

// Every step is interrupted at many moments and leaves nothing half-written; afterwards it makes, with one
// thread or two, the same bytes.
func TestInterruptedStepsLeaveNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: interrupts each command several times; leave out -short")
	}
	dir := ownText(t, 200_000)
	if code, stderr := finish(t, process(t, dir, nil, "corpus", "count", "--text", "corpus.txt", "--min-count", "3", "--out", "c")); code != 0 {
		t.Fatal(stderr)
	}
	for _, c := range []struct {
		name string
		args []string
	}{
		{"count", strings.Fields("corpus count --text corpus.txt --min-count 3")},
		{"count in little memory", strings.Fields("corpus count --text corpus.txt --min-count 3 --memory 300kB")},
		{"svd", strings.Fields("embed svd --counts c --dim 100")},
		{"glove", strings.Fields("embed glove --counts c --dim 20 --epochs 5")},
		{"build", strings.Fields("build --text corpus.txt --min-count 3 --dim 100 --clusters 60 --force")},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := strings.ReplaceAll(c.name, " ", "-")
			command := func(folder string, threads int) *exec.Cmd {
				return process(t, dir, []string{fmt.Sprintf("GOMAXPROCS=%d", threads)}, append(c.args, "--out", folder)...)
			}
			start := time.Now()
			if code, stderr := finish(t, command(out+"-1", 1)); code != 0 {
				t.Fatal(stderr)
			}
			whole := time.Since(start)
			want := contents(t, filepath.Join(dir, out+"-1"))

			interrupted := 0
			random := rand.New(rand.NewPCG(3, 4))
			for range 5 {
				cmd := command(out+"-2", 2)
				var stderr bytes.Buffer
				cmd.Stderr = &stderr
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				// Before it has its handler, a signal ends the process like any other.
				time.Sleep(30*time.Millisecond + time.Duration(random.Float64()*float64(whole)))
				if err := cmd.Process.Signal(os.Interrupt); err != nil && !errors.Is(err, os.ErrProcessDone) {
					t.Fatal(err)
				}
				cmd.Wait()
				switch code := cmd.ProcessState.ExitCode(); {
				case code == cli.ExitInterrupted:
					interrupted++
					if !strings.HasSuffix(stderr.String(), "repro: interrupted\n") {
						t.Errorf("stderr %q", stderr.String())
					}
				case code != 0 && cmd.ProcessState.Sys().(syscall.WaitStatus).Signal() != syscall.SIGINT:
					t.Fatalf("exit code %d: %s", code, stderr.String())
				}
				left := contents(t, filepath.Join(dir, out+"-2"))
				for name, content := range left {
					if want[name] != content {
						t.Errorf("%s (%d bytes) is left behind", name, len(content))
					}
				}
				// Of GloVe's files both or none: counts belong to their vocabulary.
				if _, counts := left["cooccurrence.bin"]; counts && left["vocab.txt"] == "" {
					t.Error("counts without a vocabulary")
				}
				aside, err := filepath.Glob(filepath.Join(dir, "."+out+"*"))
				if err != nil || len(aside) > 0 {
					t.Errorf("left behind: %v %v", aside, err)
				}
				os.RemoveAll(filepath.Join(dir, out+"-2"))
			}
			t.Logf("%d of 5 interrupted", interrupted)
			if code, stderr := finish(t, command(out+"-2", 2)); code != 0 {
				t.Fatal(stderr)
			}
			same(t, "one thread and two", want, contents(t, filepath.Join(dir, out+"-2")))
		})
	}
}

// Counting keeps no pairs in memory, and in little memory, with pieces on disk, it makes the same file.
func TestCountingInLittleMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: counts 1.5 million tokens twice; leave out -short")
	}
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("SKIPPED: needs /proc to see the memory of a process")
	}
	dir := t.TempDir()
	if err := writeText(filepath.Join(dir, "text.txt"), 1_500_000, 30_000, 20); err != nil {
		t.Fatal(err)
	}
	peak := func(args ...string) (most int64) {
		cmd := process(t, dir, []string{"GOMAXPROCS=2"}, append(strings.Fields("corpus count --text text.txt --tokenised"), args...)...)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		for {
			select {
			case err := <-ended:
				if err != nil {
					t.Fatalf("%v: %s", err, stderr.String())
				}
				return most
			case <-time.After(2 * time.Millisecond):
				// Not the process's own account of its maximum, which begins with that of its parent.
				status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
				if err != nil {
					continue
				}
				if _, after, ok := strings.Cut(string(status), "VmHWM:"); ok {
					var kilobytes int64
					fmt.Sscan(after, &kilobytes)
					most = max(most, kilobytes*1024)
				}
			}
		}
	}
	few := peak("--out", "few", "--min-count", "5000") // the program and the mapped text
	free := peak("--out", "free", "--min-count", "5")
	want := contents(t, filepath.Join(dir, "free"))
	needs := int64(12 * len(want["cooccurrence.bin"]) / 16) // 12 bytes a pair
	limited := peak("--out", "limited", "--min-count", "5", "--memory", "1MB")
	same(t, "counts in little memory", want, contents(t, filepath.Join(dir, "limited")))
	t.Logf("pairs need %s; peak memory %s, limited %s, of few words %s",
		printable.Bytes(needs), printable.Bytes(free), printable.Bytes(limited), printable.Bytes(few))
	for name, peak := range map[string]int64{"all at once": free, "in little memory": limited} {
		if more := peak - few; more > needs/2 {
			t.Errorf("%s: %s more than for few words, expected at most %s", name, printable.Bytes(more), printable.Bytes(needs/2))
		}
	}
}

// TestMalformedFiles gives every reader of the commands what is wrong in one place, and wants
// the place and what to do.
func TestMalformedFiles(t *testing.T) {
	dir := ownText(t, 60_000)
	write := func(name, content string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range []string{"corpus count --text corpus.txt --out good", "build --counts good --dim 10 --clusters 20 --out space"} {
		if code, stderr := finish(t, process(t, dir, nil, strings.Fields(args)...)); code != 0 {
			t.Fatal(stderr)
		}
	}
	vocabulary := "the 5\ncat 4\nsat 3\n"
	record := func(i, j int32, x float64) string {
		b := binary.LittleEndian.AppendUint32(nil, uint32(i))
		b = binary.LittleEndian.AppendUint32(b, uint32(j))
		return string(binary.LittleEndian.AppendUint64(b, math.Float64bits(x)))
	}
	const count, svd, build, score = "corpus count --out x --text bad.txt", "embed svd --dim 2 --out x --counts bad", "build --out x --counts good --vectors bad.vec", "score --space space --pairs bad.tsv"
	for _, c := range []struct {
		name, args string
		file       string
		content    string
		want       string // parts of the message, in order
	}{
		{"NUL in a text", count, "bad.txt", "a b\nc\nd \x00 e\n", "bad.txt:3: NUL byte|iconv"},
		{"UTF-16", count, "bad.txt", "\xff\xfea\x00b\x00", "bad.txt:1: NUL byte|iconv"},
		{"<unk> in a text", count + " --tokenised", "bad.txt", "a b\nc <unk>\n", "bad.txt:2: the token <unk>|replace it"},
		{"cut gzip", count, "bad.txt", "\x1f\x8b\x08\x00\x00", "bad.txt: damaged gzip|fetch or make it again"},
		{"cut zstd", count, "bad.txt", "\x28\xb5\x2f\xfd\x04", "bad.txt: damaged zstd|again"},
		{"xz", count, "bad.txt", "\xfd7zXZ\x00.....", "bad.txt: is compressed with xz|decompress it first"},
		{"too little text", count, "bad.txt", "a b\nc d\n", "none of the 4 distinct words of bad.txt|give more text or a smaller minimum count"},
		{"vocabulary without count", svd, "bad/vocab.txt", "the 5\ncat\n", "vocab.txt:2:|expected a word, a blank and its count"},
		{"vocabulary with a broken count", svd, "bad/vocab.txt", "the 5\ncat four\n", "vocab.txt:2: count \"four\"|expected a whole number"},
		{"vocabulary with a word twice", svd, "bad/vocab.txt", "the 5\ncat 4\nthe 3\n", "vocab.txt:3: word \"the\" again|write another word in one of the two"},
		{"empty vocabulary", svd, "bad/vocab.txt", "", "vocab.txt|no words"},
		{"cut counts", svd, "bad/cooccurrence.bin", record(1, 2, 1) + "abc", "cooccurrence.bin: record 2|make it again"},
		{"counts of another vocabulary", svd, "bad/cooccurrence.bin", record(1, 2, 1) + record(4, 1, 1), "cooccurrence.bin: record 2|does the vocabulary belong to these counts?"},
		{"counts that are none", svd, "bad/cooccurrence.bin", record(1, 2, math.NaN()), "cooccurrence.bin|record 1|expected"},
		{"ragged vectors", build, "bad.vec", "the 1 2 3\ncat 1 2 3\nsat 1 2\n", "bad.vec:3: 2 components, expected 3|the line is cut"},
		{"vectors with words for numbers", build, "bad.vec", "the 1 2 3\ncat 1 x 3\nsat 1 2 3\n", "bad.vec:2:|expected"},
		{"vectors that are not finite", build, "bad.vec", "the 1 2 3\ncat 1 NaN 3\n", "bad.vec:2: word \"cat\": component 2 is NaN|leave the word out"},
		{"vectors with a word twice", build, "bad.vec", "the 1 2 3\ncat 1 2 3\nthe 1 2 3\n", "bad.vec: line 3: the word \"the\"|remove one of them"},
		{"vectors that are cut", build, "bad.vec", "3 2\nthe 1 2\ncat 1 2\n", "bad.vec:1: the header announces 3 words|fetch it again"},
		{"no vectors", build, "bad.vec", "", "bad.vec: the file is empty|expected word vectors"},
		{"vectors of another language", build, "bad.vec", "Häuser 1 2 3\nZiege 1 2 4\n", "bad.vec: none of its words|same language and case"},
		{"pairs with a field missing", score, "bad.tsv", "1\ta b\tc d\n2\ta b\n", "bad.tsv:2: 2 fields, expected 3|separate the fields"},
		{"pairs with a broken score", score, "bad.tsv", "1\ta b\tc d\nhigh\ta b\tc d\n", "bad.tsv:2:|\"high\"|number"},
		{"pairs with an empty sentence", score, "bad.tsv", "1\ta b\tc d\n1\t\tc d\n", "bad.tsv:2: sentence 1 is empty|write it or remove the line"},
		{"no pairs", score, "bad.tsv", "", "bad.tsv|no sentence pairs"},
		{"no tabs", score, "bad.tsv", "a sentence\n", "bad.tsv:1: 1 field|separated by tabs"},
		{"a space that is cut", "score --space bad.space --pairs sts/mini-topic/changes.tsv", "bad.space", "PK\x03\x04", "bad.space: damaged|expected a space, as repro build writes it"},
		{"no space", "score --space sts --pairs sts/mini-topic/changes.tsv", "bad.txt", "", "sts is damaged: a folder|expected a space"},
		{"no text", "corpus count --out x --text absent.txt", "bad.txt", "", "absent.txt|no such file"},
		{"no counts", "embed glove --out x --counts absent", "bad.txt", "", "absent|no such file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			write("bad/vocab.txt", vocabulary)
			write("bad/cooccurrence.bin", record(1, 2, 1)+record(2, 1, 1))
			write(c.file, c.content)
			code, stderr := finish(t, process(t, dir, nil, strings.Fields(c.args)...))
			message := strings.TrimSpace(stderr)
			message = message[strings.LastIndexByte(message, '\n')+1:]
			if code != cli.ExitData {
				t.Errorf("exit code %d, want %d", code, cli.ExitData)
			}
			rest := message
			for _, want := range strings.Split(c.want, "|") {
				at := strings.Index(rest, want)
				if at < 0 {
					t.Errorf("the message lacks %q: %s", want, message)
					break
				}
				rest = rest[at+len(want):]
			}
			if entries, _ := os.ReadDir(filepath.Join(dir, "x")); len(entries) > 0 {
				t.Errorf("%d files are left in the output folder", len(entries))
			}
		})
	}
}

// Vectors of counts on disk are those of counts in memory, to the last bit; nothing is left on the disk.
func TestEmbedInPasses(t *testing.T) {
	dir := ownText(t, 100_000)
	run := func(args ...string) string {
		t.Helper()
		code, stderr := finish(t, process(t, dir, nil, args...))
		if code != 0 {
			t.Fatalf("%q: %s", args, stderr)
		}
		return stderr
	}
	run(strings.Fields("corpus count --text corpus.txt --min-count 3 --out file")...)
	for _, embed := range []string{"embed svd --dim 40", "embed glove --dim 20 --epochs 3"} {
		run(append(strings.Fields(embed), "--counts", "file", "--out", "whole")...)
		want := contents(t, filepath.Join(dir, "whole"))
		for _, memory := range []string{"1GB", "25MB"} {
			stderr := run(append(strings.Fields(embed), "--counts", "file", "--memory", memory, "--out", "again")...)
			if passes := strings.Contains(stderr, "in passes"); passes != (memory == "25MB") {
				t.Errorf("%s, %s: %s", embed, memory, stderr)
			}
			same(t, fmt.Sprintf("%s in %s", embed, memory), want, contents(t, filepath.Join(dir, "again")))
		}
		cmd := process(t, dir, nil, append(strings.Fields(embed), "--counts", "file", "--memory", "1MB", "--out", "again")...)
		if code, stderr := finish(t, cmd); code == 0 || !strings.Contains(stderr, "if all counts are left on disk") {
			t.Errorf("%s in 1 MB: exit code %d, %s", embed, code, stderr)
		}
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".again*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// writeText writes tokens from Zipf's law, the law of words.
func writeText(path string, tokens, words, length int) error {
	var text bytes.Buffer
	zipf := rand.NewZipf(rand.New(rand.NewPCG(2, 0)), 1.1, 2, uint64(words-1))
	for i := range tokens {
		end := byte(' ')
		if i%length == length-1 {
			end = '\n'
		}
		fmt.Fprintf(&text, "w%d%c", zipf.Uint64(), end)
	}
	return os.WriteFile(path, text.Bytes(), 0o666)
}
