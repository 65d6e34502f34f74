package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"contextmover/experiments/miniworld"
	"contextmover/experiments/repro/cli"
)

// jobWorld is a folder, quick to write to, with a text and what corpus count makes of it.
func jobWorld(t *testing.T) (dir string, want map[string]string) {
	t.Helper()
	dir = quickFolder(t)
	w, err := miniworld.Generate(miniworld.DefaultSeed, 60_000)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(dir); err != nil {
		t.Fatal(err)
	}
	exits(t, dir, 0, "corpus count --text corpus.txt --min-count 3 --out whole")
	exits(t, dir, 0, "corpus shard --text corpus.txt --min-count 3 --size 30kB --part 500kB --out job")
	return dir, contents(t, filepath.Join(dir, "whole"))
}

// exits runs repro as a process, wants its exit code, and returns what it printed and logged.
func exits(t *testing.T, dir string, want int, args string) string {
	t.Helper()
	var out bytes.Buffer
	c := process(t, dir, nil, strings.Fields(args)...)
	c.Stdout = &out
	code, stderr := finish(t, c)
	if code != want {
		t.Fatalf("%s: exit code %d, want %d: %s", args, code, want, stderr)
	}
	return out.String() + stderr
}

// finishedFiles returns those that a step of a job has finished, with what tells one from another that took its place.
func finishedFiles(t *testing.T, dir string) map[string]os.FileInfo {
	t.Helper()
	files := map[string]os.FileInfo{}
	for _, step := range []string{"words", "pairs", "parts"} {
		names, err := filepath.Glob(filepath.Join(dir, "job", step, "[0-9]*"))
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

// killedUntilDone starts three processes with a share each, kills them as soon as they have finished one to three
// files, and starts them again, until all three have nothing left to do. It wants no finished file made again.
func killedUntilDone(t *testing.T, dir string, random *rand.Rand, files func() map[string]os.FileInfo, args ...string) (killed int) {
	t.Helper()
	finished := files()
	look := func() {
		t.Helper()
		now := files()
		for name, was := range finished {
			if is, ok := now[name]; !ok || !os.SameFile(was, is) || !was.ModTime().Equal(is.ModTime()) {
				t.Fatalf("%s was finished, and was made again", name)
			}
		}
		finished = now
	}
	for done, rounds := false, 0; !done; rounds++ {
		if rounds > 100 {
			t.Fatalf("%s: no end", args)
		}
		ended := make(chan error, 3)
		var processes []*exec.Cmd
		for _, share := range []string{"1/3", "2/3", "3/3"} {
			c := process(t, dir, []string{"GOMAXPROCS=1"}, append(slices.Clone(args), "--share", share)...)
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			processes = append(processes, c)
			go func() { ended <- c.Wait() }()
		}
		enough := len(finished) + 1 + random.IntN(3)
		done = true
		for left := 3; left > 0; {
			select {
			case err := <-ended:
				left--
				var exit *exec.ExitError
				if errors.As(err, &exit) && exit.ExitCode() == -1 {
					killed++
					done = false
				} else if err != nil {
					t.Fatalf("%s: %v", args, err)
				}
			case <-time.After(time.Millisecond):
				if look(); len(finished) >= enough {
					for _, c := range processes {
						_ = c.Process.Kill() // it may have ended
					}
					enough = 1 << 30
				}
			}
		}
	}
	look()
	return killed
}

// nothingLeft wants nothing in a folder that a killed process left.
func nothingLeft(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if strings.HasPrefix(filepath.Base(path), ".") {
			t.Errorf("%s is left", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Processes of each step are killed again and again until there is nothing left to do: the
// counts are those of one process, no finished file was made again, and nothing is left beside.
func TestKilledJobArray(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: kills dozens of processes; leave out -short")
	}
	dir, want := jobWorld(t)
	random := rand.New(rand.NewPCG(1, 2))
	files := func() map[string]os.FileInfo { return finishedFiles(t, dir) }
	killed := 0
	for _, step := range []string{"words", "pairs", "merge"} {
		killed += killedUntilDone(t, dir, random, files, "corpus", step, "--job", "job")
	}
	finished := len(files())
	t.Logf("%d files, %d processes killed", finished, killed)
	if finished < 20 || killed < 10 {
		t.Errorf("%d files made, %d processes killed: too few to tell anything", finished, killed)
	}
	same(t, "killed job array", want, contents(t, filepath.Join(dir, "job", "counts")))
	nothingLeft(t, filepath.Join(dir, "job"))
}

// Text that killed processes prepare, too, is what one process makes of it, and no piece or shard is made again.
func TestKilledPreparing(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: kills dozens of processes; leave out -short")
	}
	dir := quickFolder(t)
	args := strings.Fields("corpus prepare --text texts --json-lines lines --wikipedia pages")
	for i := range 8 {
		var text, lines, pages strings.Builder
		for j := range 200 {
			fmt.Fprintf(&text, "It was there that %d of the %d men had come from. They are all gone now, as everybody in the house knows.\n", i, j)
			fmt.Fprintf(&lines, "{\"text\": \"Of line %d of %d there is much to be said.\"}\n", j, i)
			fmt.Fprintf(&pages, "<doc id=\"%d\" url=\"u\" title=\"Page %d\">\n%s</doc>\n", j, j, strings.Repeat(fmt.Sprintf("The %d houses in the valley of number %d were built by the same man as the bridge.\n", i, j), 4))
		}
		for name, content := range map[string]string{"texts": text.String(), "lines": lines.String(), "pages": pages.String()} {
			path := filepath.Join(dir, name, fmt.Sprint(i))
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(content), 0o666)); err != nil {
				t.Fatal(err)
			}
		}
	}
	exits(t, dir, 0, strings.Join(args, " ")+" --out whole")
	job := filepath.Join(dir, "job")
	files := func() map[string]os.FileInfo {
		found := map[string]os.FileInfo{}
		for _, pattern := range []string{"marks/[0-9]*", "shards/*.json"} {
			names, err := filepath.Glob(filepath.Join(job, pattern))
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range names {
				if info, err := os.Stat(name); err == nil {
					found[name] = info
				}
			}
		}
		return found
	}
	random, killed := rand.New(rand.NewPCG(9, 10)), 0
	for range 2 { // as the last process may have ended before the others
		killed += killedUntilDone(t, dir, random, files, append(slices.Clone(args), "--size", "1B", "--out", "job")...)
	}
	t.Logf("%d files, %d processes killed", len(files()), killed)
	if len(files()) != 24+3 || killed < 6 {
		t.Errorf("%d pieces and shards, %d processes killed: too few to tell anything", len(files()), killed)
	}
	same(t, "killed preparing", contents(t, filepath.Join(dir, "whole")), contents(t, filepath.Join(job, "corpus")))
	nothingLeft(t, job)
	if out := exits(t, dir, cli.ExitData, "corpus prepare --text texts --share 1/2 --out job"); !strings.Contains(out, "another job") {
		t.Errorf("with other text it says %s", out)
	}
	if err := os.WriteFile(filepath.Join(dir, "lines", "3"), []byte("{\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if out := exits(t, dir, cli.ExitData, "corpus prepare --json-lines lines --size 1B --share 4/4 --out other"); !strings.Contains(out, "piece 4 of 8") || !strings.Contains(out, "lines/3:1: ") {
		t.Errorf("of what cannot be read it says %s", out)
	}
}

// Of many pairs and texts, too, killed processes make in the end what one process
// makes. Most of the lines are of a word that is not known, which is quick.
func TestKilledBatches(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: kills dozens of processes; leave out -short")
	}
	dir := quickFolder(t)
	random := rand.New(rand.NewPCG(5, 6))
	write := func(name string, lines int, known, unknown string) {
		t.Helper()
		var text strings.Builder
		for i := range lines {
			line := unknown
			if i%(lines/6) == 0 {
				line = known
			}
			text.WriteString(line + "\n")
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("text", 60, "the tiger sleeps", "a house near the river")
	exits(t, dir, 0, "index --in text --out index")
	for _, c := range []struct {
		lines          int // in six blocks
		known, unknown string
		args           string
	}{
		{300_000, "a lion\tthe house", "xqzzy\tlion", "distance --method average --pairs lines"},
		{12_000, "a lion in the house", "xqzzy", "barycenter --texts lines"},
		{300, "lion", "xqzzy", "neighbours --method average --texts lines"},
		{60, "a lion in the house", "xqzzy", "search --method average --in index --texts lines"},
	} {
		name := strings.Fields(c.args)[0]
		write("lines", c.lines, c.known, c.unknown)
		exits(t, dir, 0, c.args+" --out whole-"+name)
		files := func() map[string]os.FileInfo {
			blocks, err := filepath.Glob(filepath.Join(dir, name, "blocks", "[0-9]*"))
			if err != nil {
				t.Fatal(err)
			}
			found := map[string]os.FileInfo{}
			for _, path := range blocks {
				if info, err := os.Stat(path); err == nil {
					found[path] = info
				}
			}
			return found
		}
		killed := killedUntilDone(t, dir, random, files, strings.Fields(c.args+" --out "+name)...)
		if len(files()) != 6 || killed < 3 {
			t.Errorf("%s: %d blocks, %d processes killed: too few to tell anything", name, len(files()), killed)
		}
		for _, file := range []string{"", "blocks"} {
			same(t, name, contents(t, filepath.Join(dir, "whole-"+name, file)), contents(t, filepath.Join(dir, name, file)))
		}
		nothingLeft(t, filepath.Join(dir, name))
		// A damaged block is made anew, by whichever process finds it.
		path := filepath.Join(dir, name, "blocks", "00003")
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		content[len(content)/2] ^= 1
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
		if out := exits(t, dir, 0, c.args+" --out "+name+" --share 1/3"); !strings.Contains(out, "1 of 6 blocks made, 1 were there") {
			t.Errorf("%s: a damaged block, and it says %s", name, out)
		}
		same(t, name, contents(t, filepath.Join(dir, "whole-"+name)), contents(t, filepath.Join(dir, name)))
	}
}

// Processes of a search that are killed again and again leave a store in which a search
// alone finds all settings scored: it chooses what it would have chosen by itself.
func TestKilledTune(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: kills dozens of processes; leave out -short")
	}
	dir := quickFolder(t)
	smallWorld(t, dir)
	args := strings.Fields("tune sts --profile small.toml --data data --set sts.tune.transport.mix=[0.2,0.4,0.6] --set sts.tune.transport.clip=[0,10] --set sts.tune.transport.shift=[1,5] --set sts.tune.transport.reg=[0.05,0.1,0.2,0.4] --set sts.tune.transport.smoothing=[0.5,0.75,1]")
	scored := func(store string) map[string]os.FileInfo {
		files, err := filepath.Glob(filepath.Join(dir, store, "sts-validation", "*", "validation.json"))
		if err != nil {
			t.Fatal(err)
		}
		found := map[string]os.FileInfo{}
		for _, path := range files {
			if info, err := os.Stat(path); err == nil {
				found[path] = info
			}
		}
		return found
	}
	tables := func(store string) map[string]string {
		t.Helper()
		exits(t, dir, 0, strings.Join(args, " ")+" --store "+store)
		folders, err := filepath.Glob(filepath.Join(dir, "tables", "*"))
		if err != nil || len(folders) != 1 {
			t.Fatalf("tables in %q, %v", folders, err)
		}
		defer os.RemoveAll(folders[0])
		return contents(t, folders[0])
	}
	want := tables("alone")
	killed := killedUntilDone(t, dir, rand.New(rand.NewPCG(7, 8)), func() map[string]os.FileInfo { return scored("together") }, append(slices.Clone(args), "--store", "together")...)
	before := scored("together")
	t.Logf("%d settings scored, %d processes killed", len(before), killed)
	if killed < 3 || len(before) < 8 || len(before) != len(scored("alone")) {
		t.Errorf("%d processes killed, %d settings scored, %d by a search alone", killed, len(before), len(scored("alone")))
	}
	same(t, "tables", want, tables("together"))
	for path, is := range scored("together") {
		if was, ok := before[path]; !ok || !os.SameFile(was, is) || !was.ModTime().Equal(is.ModTime()) {
			t.Errorf("%s was scored again", path)
		}
	}
}

// What is damaged is found and made anew; what is missing, or cannot be read, is named.
func TestDamagedJob(t *testing.T) {
	dir, want := jobWorld(t)
	job := filepath.Join(dir, "job")
	damage := func(name string) {
		t.Helper()
		path := filepath.Join(job, name)
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		content[len(content)/3] ^= 1
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	says := func(code int, args string, wants ...string) {
		t.Helper()
		out := exits(t, dir, code, args)
		for _, want := range wants {
			if !strings.Contains(out, want) {
				t.Errorf("%s: the output lacks %q: %s", args, want, out)
			}
		}
	}
	says(cli.ExitUsage, "corpus words --job nowhere", "make one with repro corpus shard")
	says(cli.ExitData, "corpus shard --text whole/vocab.txt --out job", "there is another job")
	says(0, "corpus shard --text corpus.txt --min-count 3 --size 30kB --part 500kB --out job")
	says(cli.ExitData, "corpus pairs --job job", "job/words/00000 is not there yet", "words has to make first")
	says(0, "corpus words --job job --share 1/2")
	damage("words/00002")
	says(0, "corpus words --job job --share 2/2", "job/words/00002", "made anew", "vocab.txt")
	says(cli.ExitFailed, "corpus pairs --job job --share 2/2 --memory 1000TB", "shard 2 of", "corpus.txt", "of memory")
	damage("vocab.txt")
	says(0, "corpus pairs --job job --share 2/2", "vocab.txt", "made anew", "made, 0 were there")
	says(cli.ExitData, "corpus merge --job job", "job/pairs/00000 is not there yet", "pairs has to make first")
	says(0, "corpus pairs --job job", "were there")
	damage("pairs/00001")
	says(0, "corpus merge --job job --share 1/2", "job/pairs/00001", "made anew")
	damage("parts/00000")
	says(0, "corpus merge --job job --share 2/2", "job/parts/00000", "made anew", "cooccurrence.bin", "repro build --counts will take", "memory=")
	same(t, "mended job", want, contents(t, filepath.Join(job, "counts")))
	says(0, "corpus merge --job job", "\t0 of ")

	// A text that is not what it was when it was cut, and one that is none.
	if err := os.Remove(filepath.Join(job, "words", "00001")); err != nil {
		t.Fatal(err)
	}
	text := filepath.Join(dir, "corpus.txt")
	content, err := os.ReadFile(text)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(text, append(content, '\n'), 0o666); err != nil {
		t.Fatal(err)
	}
	says(cli.ExitData, "corpus words --job job", "shard 2 of", "corpus.txt", "make a job of it anew")
	content[40_000] = 0
	if err := os.WriteFile(text, content, 0o666); err != nil {
		t.Fatal(err)
	}
	says(cli.ExitData, "corpus words --job job", "shard 2 of", "NUL byte")
}
