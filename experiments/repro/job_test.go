package main

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

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
		shares := [][]string{{"--share", "1/3"}, {"--share", "2/3"}, {"--share", "3/3"}}
		if args[0] == "tune" { // a search is not shared
			shares = shares[:1]
			shares[0] = nil
		}
		for _, share := range shares {
			c := process(t, dir, []string{"GOMAXPROCS=1"}, slices.Concat(args, share)...)
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			processes = append(processes, c)
			go func() { ended <- c.Wait() }()
		}
		enough := len(finished) + 1 + random.IntN(3)
		done = true
		for left := len(shares); left > 0; {
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

// Of many pairs and texts killed processes make in the end what one process
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
	exits(t, dir, 0, "search --in text --index index")
	for _, c := range []struct {
		lines          int // in six blocks
		known, unknown string
		args           string
		file, blocks   string // in the folder; file is "" where --out names the folder
	}{
		{300_000, "a lion\tthe house", "xqzzy\tlion", "distance --method average --pairs lines", "", "blocks"},
		{12_000, "a lion in the house", "xqzzy", "encode --method comb --texts lines", "rows.npy", "rows.npy.blocks"},
		{300, "lion", "xqzzy", "neighbours --method average --texts lines", "", "blocks"},
		{60, "a lion in the house", "xqzzy", "search --method average --in index --texts lines", "", "blocks"},
	} {
		name := strings.Fields(c.args)[0]
		write("lines", c.lines, c.known, c.unknown)
		for _, folder := range []string{name, "whole-" + name} {
			if err := os.Mkdir(filepath.Join(dir, folder), 0o777); err != nil {
				t.Fatal(err)
			}
		}
		out := filepath.Join(name, c.file)
		exits(t, dir, 0, c.args+" --out whole-"+out)
		files := func() map[string]os.FileInfo {
			blocks, err := filepath.Glob(filepath.Join(dir, name, c.blocks, "[0-9]*"))
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
		killed := killedUntilDone(t, dir, random, files, strings.Fields(c.args+" --out "+out)...)
		if len(files()) != 6 || killed < 3 {
			t.Errorf("%s: %d blocks, %d processes killed: too few to tell anything", name, len(files()), killed)
		}
		for _, file := range []string{"", c.blocks} {
			same(t, name, contents(t, filepath.Join(dir, "whole-"+name, file)), contents(t, filepath.Join(dir, name, file)))
		}
		nothingLeft(t, filepath.Join(dir, name))
		// A damaged block is made anew, by whichever process finds it.
		path := filepath.Join(dir, name, c.blocks, "00003")
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		content[len(content)/2] ^= 1
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
		if says := exits(t, dir, 0, c.args+" --out "+out+" --share 1/3"); !strings.Contains(says, "1 of 6 blocks made, 1 were there") {
			t.Errorf("%s: a damaged block, and it says %s", name, says)
		}
		same(t, name, contents(t, filepath.Join(dir, "whole-"+name)), contents(t, filepath.Join(dir, name)))
	}
}

// A search that is killed again and again leaves a store in which a search
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
