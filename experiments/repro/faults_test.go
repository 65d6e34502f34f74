package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"text/tabwriter"
	"time"

	"contextmover/cmdlib/npy"
	"contextmover/experiments/harness/dataset"
	"contextmover/experiments/harness/method"
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/store"
	"contextmover/experiments/paper/timings"
	"contextmover/experiments/repro/cli"
	"contextmover/experiments/repro/paper"
	"contextmover/internal/disk"
)

// command is a command that writes, in a small world of its own.
type command struct {
	name string
	args []string
	call func() error // instead of args
	// put are files that are there before, by their paths.
	put map[string]string
	// needs are the files and folders that the commands read.
	needs []string
	// before are the commands that make the old state.
	before [][]string
	// whole are folders whose files change together, or files; what else is written changes file by file.
	whole []string
	// stores are looked at as stores are: what is an artefact is sound.
	stores []string
	// final commands refuse to replace what is finished, so that the same command ends with exit code 4 then.
	final bool
}

// TestFaults lets operations on the disk fail, one at a time, under every command that writes,
// as SQLite's tests do: once only that one, as of a full disk, and once that and all after it,
// as of a process that is killed. Afterwards there is the old state or the new one, an exit
// code of 0 means the new one, and the same command then succeeds and leaves nothing beside it.
//
// By itself it tries the first and the last operation of every kind, and of commands with few
// operations each. With CONTEXTMOVER_FAULTS=profiles it does that under the commands on a profile
// and under notebooks, too, and with CONTEXTMOVER_FAULTS=all it tries each operation of all.
func TestFaults(t *testing.T) {
	base := quickFolder(t)
	smallWorld(t, base)
	copied := dataset.File{Path: "sets/pairs.tsv", Bytes: 4, SHA256: hex.EncodeToString(sum("new\n"))}
	// Longer than what a transfer reads at once, so that it is written in several pieces.
	served := strings.Repeat("a line of what is served\n", 8000)
	fetched := dataset.File{Path: "sets/served.txt", Bytes: int64(len(served)), SHA256: hex.EncodeToString(sum(served)), Source: "somebody/something@0123:served.txt"}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "served.txt", time.Time{}, strings.NewReader(served))
	}))
	defer server.Close()
	// What is written is as it would be after minutes of measuring.
	measure := paper.Measure
	defer func() { paper.Measure = measure }()
	paper.Measure = func(_ context.Context, w *pipeline.Workspace) (*timings.Timings, error) {
		measured := float64(w.Profile.Vectors.Dim)
		return &timings.Timings{
			Machine: "a machine", Threads: 2, Engine: "cpu", Bins: 20, Iterations: 100, Sets: []timings.Timing{{Set: "one", Pairs: 10, Seconds: measured}, {Set: "Total", Pairs: 10, Seconds: measured}},
			Text: []timings.TextTiming{{Row: "runtime: batching speed-up", What: "speed-up", On: "another machine", Unit: "x", Ours: measured}},
		}, nil
	}
	text := []string{"--text", "text.txt"}
	counts := append([]string{"corpus", "count", "--out", "counts", "--min-count", "2"}, text...)
	older := append([]string{"corpus", "count", "--out", "counts", "--min-count", "300"}, text...)
	space := append([]string{"build", "--out", "space", "--min-count", "5", "--dim", "4", "--clusters", "6", "--shift", "1"}, text...)
	tiny := []string{"run", "wordsim", "--profile", "small.toml", "--data", "data", "--store", "store"}
	other := []string{"run", "wordsim", "--profile", "other.toml", "--data", "data", "--store", "store"}
	tune := []string{"tune", "sts", "--data", "data", "--store", "store", "--profile"}
	prepare := []string{"corpus", "prepare", "--out", "prepared", "--text", "document.txt"}
	notebooks := []string{"notebooks", "first.ipynb", "second.ipynb", "--store"}
	timings := []string{"timings", "--store", "store", "--set"}
	verify := []string{"verify", "--profile", "small.toml"}
	more := []string{"run", "sts", "--profile", "small.toml", "--data", "data", "--store", "store"}
	commands := []command{
		{name: "corpus count", needs: []string{"text.txt"}, args: counts, before: [][]string{older}, whole: []string{"counts"}},
		{name: "corpus count, first", needs: []string{"text.txt"}, args: counts, whole: []string{"counts"}},
		{name: "corpus count --memory", needs: []string{"text.txt"}, args: append([]string{"--memory=1kB"}, counts...), before: [][]string{older}, whole: []string{"counts"}},
		{name: "embed svd", needs: []string{"text.txt"}, args: []string{"embed", "svd", "--counts", "counts", "--dim", "4", "--out", "vectors"},
			before: [][]string{counts, {"embed", "svd", "--counts", "counts", "--dim", "3", "--out", "vectors"}}, whole: []string{"vectors"}},
		{name: "embed glove", needs: []string{"text.txt"}, args: []string{"embed", "glove", "--counts", "counts", "--dim", "4", "--epochs", "1", "--out", "counts"},
			before: [][]string{counts, {"embed", "svd", "--counts", "counts", "--dim", "3", "--out", "counts"}}, whole: []string{"counts"}},
		{name: "build", needs: []string{"text.txt"}, args: append([]string{"--force"}, space...), before: [][]string{append([]string{"--seed=2"}, space...)}, whole: []string{"space"}},
		{name: "search --index", needs: []string{"text.txt"}, args: []string{"search", "--in", "text.txt", "--index", "index"}, final: true},
		{name: "search --index, more", needs: []string{"text.txt"}, args: []string{"search", "--in", "more.txt", "--in", "index", "--index", "larger"}, final: true, put: map[string]string{"more.txt": "the lion eats\n"},
			before: [][]string{{"search", "--in", "text.txt", "--index", "index"}}},
		{name: "corpus prepare", needs: []string{"document.txt", "documents.jsonl"},
			args:   append(prepare, "--force", "--json-lines", "documents.jsonl"),
			before: [][]string{prepare}, whole: []string{"prepared"}},
		{name: "figure density", needs: []string{"text.txt"}, args: []string{"figure", "density", "--space", "space", "lion", "hammer", "--out", "figures"},
			before: [][]string{space, {"figure", "density", "--space", "space", "lion", "tiger", "--out", "figures"}}},
		{name: "distance --pairs", args: []string{"distance", "--pairs", "pairs.tsv", "--out", "distances"}, put: map[string]string{"pairs.tsv": "lion\ttiger\nlion\thouse\n"}},
		{name: "encode", args: []string{"encode", "--method", "comb", "--texts", "texts.txt", "--out", "histograms.npy"}, put: map[string]string{"texts.txt": "lion tiger\nxqzzy\n"}},
		{name: "neighbours --texts", args: []string{"neighbours", "--texts", "texts.txt", "--out", "neighbours"}, put: map[string]string{"texts.txt": "xqzzy\n"}},
		{name: "search --texts", needs: []string{"text.txt"}, args: []string{"search", "--in", "index", "--texts", "texts.txt", "--out", "nearest"}, put: map[string]string{"texts.txt": "lion\nxqzzy\n"},
			before: [][]string{{"search", "--in", "text.txt", "--index", "index"}}},
		{name: "ot plan", needs: []string{"M.npy", "a.npy", "b.npy"}, args: []string{"ot", "plan", "--cost", "M.npy", "--a", "a.npy", "--b", "b.npy", "--out", "T.npy"},
			before: [][]string{{"ot", "plan", "--cost", "M.npy", "--a", "b.npy", "--b", "b.npy", "--out", "T.npy"}}},
		{name: "run", needs: []string{"data", "small.toml", "other.toml"}, args: tiny, before: [][]string{tiny, other, {"clean", "--store", "store", "wordsim-scores"}}, stores: []string{"store"}},
		{name: "verify", needs: []string{"data", "small.toml"}, args: verify, before: [][]string{tiny, verify, more}},
		{name: "verify --update", needs: []string{"data", "small.toml"}, args: append(verify, "--update"), before: [][]string{tiny, append(verify, "--update"), more}, whole: []string{"experiments/judge/verdict/reference/small"}},
		{name: "tune", needs: []string{"data", "small.toml", "tuned.toml"}, args: append(tune, "small.toml"), before: [][]string{append(tune, "tuned.toml"), {"clean", "--store", "store", "sts-validation"}}, stores: []string{"store"}},
		{name: "notebooks", needs: []string{"tools", "first.ipynb", "second.ipynb"}, args: append(notebooks, "new"), before: [][]string{append(notebooks, "old")}},
		{name: "timings", args: append(timings, "vectors.dim=8"), before: [][]string{append(timings, "vectors.dim=7")}},
		{name: "report", needs: []string{"data", "small.toml"}, args: []string{"report", "--profile", "small.toml"}, before: [][]string{tiny}},
		{name: "clean", needs: []string{"data", "other.toml"}, args: []string{"clean", "--store", "store", "--all"}, before: [][]string{other}, stores: []string{"store"}},
		{name: "man", args: []string{"man", "man"}},
		{name: "data fetch --from", needs: []string{"from"}, call: func() error {
			f := &dataset.Fetcher{Dir: "fetched"}
			_, _, err := f.Copy(t.Context(), "from", []dataset.File{copied})
			return err
		}},
		{name: "data fetch", call: func() error {
			f := &dataset.Fetcher{Dir: "fetched", Mirror: server.URL}
			_, err := f.Fetch(t.Context(), []dataset.File{fetched})
			return err
		}},
		{name: "data fetch, going on", put: map[string]string{"fetched/sets/served.txt": "damaged", "fetched/sets/served.txt.part": served[:1000]}, call: func() error {
			f := &dataset.Fetcher{Dir: "fetched", Mirror: server.URL}
			_, err := f.Fetch(t.Context(), []dataset.File{fetched})
			return err
		}},
	}
	table := [][]string{{"command", "operations", "tried", "old", "new", "some files new", "again"}}
	for _, c := range commands {
		// A profile's and a notebook's take minutes.
		if os.Getenv("CONTEXTMOVER_FAULTS") == "" && (slices.Contains(c.needs, "data") || slices.Contains(c.needs, "tools")) {
			continue
		}
		t.Run(c.name, func(t *testing.T) { table = append(table, tryFaults(t, base, c)) })
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, row := range table {
		fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	w.Flush()
	t.Logf("faults, once by themselves and once with all that follows:\n%s", &b)
}

func sum(text string) []byte {
	s := sha256.Sum256([]byte(text))
	return s[:]
}

// smallWorld puts down what the commands read.
func smallWorld(t *testing.T, dir string) {
	t.Helper()
	w := newWorld(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	tools, err := filepath.Abs("../../tools")
	if err == nil {
		err = errors.Join(os.CopyFS(at("data"), os.DirFS(w.data)), os.Symlink(tools, at("tools")), os.MkdirAll(at("from/sets"), 0o777),
			os.WriteFile(at("from/sets/pairs.tsv"), []byte("new\n"), 0o666),
			npy.Write(at("M.npy"), []int{2, 2}, []float32{0, 1, 1, 0}), npy.Write(at("a.npy"), []int{2}, []float32{.5, .5}), npy.Write(at("b.npy"), []int{2}, []float32{.25, .75}))
	}
	if err != nil {
		t.Fatal(err)
	}
	// The profiles have one of each kind, so that a run takes little time.
	write := func(name string, change func(p *profile.Profile)) {
		p, err := profile.Load(w.profile, nil)
		if err != nil {
			t.Fatal(err)
		}
		p.Seeds = profile.Seeds{STS: 1, Hypernymy: 1, WordSim: 1, Shuffles: 1}
		p.WordSim.Sets, p.WordSim.Blocks = p.WordSim.Sets[1:2], p.WordSim.Blocks[:1]
		p.WordSim.Blocks[0].Clusters = 20
		p.STS.Rows = slices.DeleteFunc(p.STS.Rows, func(r profile.Row) bool {
			return !slices.Contains([]string{"sif", "sif-pc", "comb", "chosen-euclidean-mix"}, r.ID)
		})
		for i := range p.STS.Rows {
			if p.STS.Rows[i].HasHistograms() {
				p.STS.Rows[i] = p.STS.Rows[i].With("clusters", 20)
			}
			if p.STS.Rows[i].ID == "sif" { // so that there is something to hold against the paper
				p.STS.Rows[i].PublishedSummary, p.STS.Groups[0].Published = "a_unsup_glove_tbc/SIF", "STS12"
			}
		}
		p.STS.Select.Transport, p.STS.Tune.Transport = method.Grid{"mix": {0.4}}, method.Grid{"mix": {0.3}}
		change(p)
		if err := os.WriteFile(at(name), []byte(p.TOML()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("small.toml", func(*profile.Profile) {})
	write("other.toml", func(p *profile.Profile) { p.Vectors.Dim = 10 })
	write("tuned.toml", func(p *profile.Profile) { p.STS.Tune.Transport["mix"] = []any{0.5} })
	writeNotebook(t, at("first.ipynb"), "!echo the store is $CONTEXTMOVER_STORE")
	writeNotebook(t, at("second.ipynb"), "!echo $CONTEXTMOVER_STORE is the store")
	random := rand.New(rand.NewPCG(1, 2))
	var text strings.Builder
	for range 400 {
		pick := func(words string) string { f := strings.Fields(words); return f[random.IntN(len(f))] }
		fmt.Fprintf(&text, "the %s eats meat in the forest\nthe %s hits the nail\n", pick("lion tiger bear wolf"), pick("hammer saw axe chisel"))
	}
	if err := errors.Join(os.WriteFile(at("text.txt"), []byte(text.String()), 0o666), os.WriteFile(at("document.txt"), []byte("Mr. Bellew went to the garden. He slept.\n"), 0o666),
		os.WriteFile(at("documents.jsonl"), []byte(`{"title": "A", "text": "It was there."}`), 0o666)); err != nil {
		t.Fatal(err)
	}
}

// do runs the command in the working folder and returns its exit code.
func (c command) do(t *testing.T, args []string) int {
	t.Helper()
	if args == nil {
		if err := c.call(); err != nil {
			return 1
		}
		return 0
	}
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	if testing.Verbose() && os.Getenv("CONTEXTMOVER_FAULTS_LOG") != "" {
		null = os.Stderr
	}
	// Flags of the command stand behind its name, wherever they were put.
	return run(append(slices.DeleteFunc(slices.Clone(args), func(a string) bool { return a == args[0] && strings.HasPrefix(a, "--") }), flagsBefore(args)...), io.Discard, null)
}

func flagsBefore(args []string) []string {
	if strings.HasPrefix(args[0], "--") {
		return args[:1]
	}
	return nil
}

// quickFolder is a temporary folder, in memory where there is such a disk: syncing it takes no time.
func quickFolder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "faults-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// operation is one that a command did.
type operation struct {
	op   disk.Op
	path string // below the world's folder
}

// tryFaults returns the command's row of the table.
func tryFaults(t *testing.T, base string, c command) []string {
	root := quickFolder(t)
	prepared := filepath.Join(root, "prepared")
	if err := os.MkdirAll(filepath.Join(prepared, "temp"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range c.needs {
		if err := os.Symlink(filepath.Join(base, name), filepath.Join(prepared, name)); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(prepared)
	for path, text := range c.put {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	for _, before := range c.before {
		if code := c.do(t, before); code != 0 {
			t.Fatalf("%v: exit code %d", before, code)
		}
	}
	fresh := func() string {
		dir := filepath.Join(root, "world")
		if err := errors.Join(os.Chdir(prepared), os.RemoveAll(dir), os.CopyFS(dir, os.DirFS(prepared)), os.Chdir(dir)); err != nil {
			t.Fatal(err)
		}
		t.Setenv("TMPDIR", filepath.Join(dir, "temp"))
		return dir
	}
	dir := fresh()
	before := lookAt(t, dir, c)
	var operations []operation
	var lock sync.Mutex
	restore := disk.Inject(func(op disk.Op, path string) error {
		lock.Lock()
		defer lock.Unlock()
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		operations = append(operations, operation{op, strings.TrimPrefix(path, dir)})
		return nil
	})
	code := c.do(t, c.args)
	restore()
	if code != 0 {
		t.Fatalf("exit code %d", code)
	}
	after := lookAt(t, dir, c)
	if len(operations) == 0 || maps.Equal(before, after) {
		t.Fatalf("%d operations, and nothing is new", len(operations))
	}
	synced(t, operations)
	chosen := choose(operations)
	outcomes, tried := map[string]int{}, 0
	for _, n := range chosen {
		for _, killed := range []bool{false, true} {
			dir := fresh()
			var done atomic.Int64
			restore := disk.Inject(func(op disk.Op, path string) error {
				switch now := int(done.Add(1)); {
				case now == n && !killed:
					return syscall.ENOSPC
				case now >= n && killed:
					return syscall.EIO
				}
				return nil
			})
			code := c.do(t, c.args)
			restore()
			if int(done.Load()) < n {
				continue // a transfer came in fewer pieces
			}
			tried++
			where := fmt.Sprintf("operation %d (%s %s), killed %v", n, operations[n-1].op, operations[n-1].path, killed)
			got := lookAt(t, dir, c)
			outcome := compare(t, where, c, before, got, after)
			outcomes[outcome]++
			if code == 0 && outcome != "new" {
				t.Errorf("%s: exit code 0, but the outcome is %s", where, outcome)
			}
			if code := c.do(t, c.args); code != 0 && !(c.final && code == cli.ExitData && outcome == "new") {
				t.Errorf("%s: again: exit code %d", where, code)
				continue
			}
			outcomes["again"]++
			if got := lookAt(t, dir, c); !maps.Equal(got, after) {
				t.Errorf("%s: again: %s", where, difference(got, after))
			}
			leftovers(t, where, dir)
		}
	}
	return []string{c.name, fmt.Sprint(len(operations)), fmt.Sprint(tried), fmt.Sprint(outcomes["old"]), fmt.Sprint(outcomes["new"]), fmt.Sprint(outcomes["some"]), fmt.Sprint(outcomes["again"])}
}

// synced complains about names that are given for good but may be gone after the machine has lost its power, since
// their folder was not synced afterwards.
func synced(t *testing.T, operations []operation) {
	t.Helper()
	for i, o := range operations {
		folder := filepath.Dir(o.path)
		if o.op != disk.OpRename || ownFile.MatchString(filepath.ToSlash(folder)) || runtime.GOOS == "windows" {
			continue
		}
		if !slices.ContainsFunc(operations[i:], func(s operation) bool { return s.op == disk.OpSync && filepath.Clean("/"+s.path) == folder }) {
			t.Errorf("%s %s: its folder is not synced afterwards", o.op, o.path)
		}
	}
}

var (
	digits = regexp.MustCompile(`[0-9a-f]{16}|[0-9.]+`)
	// Durations with their units and the blanks around them.
	measured = regexp.MustCompile(`(?:[0-9a-f]{16}|[-─ ]*[0-9][-0-9.,e+]*(?: (?:s|min|times|a second))?[-─ ]*)+|[-─ ]{2,}`)
	ownFile  = regexp.MustCompile(`(^|/)\.[^/]*-[0-9a-f]{16}(/|$|\.old)`)
)

// choose returns the numbers of the operations that are to fail, from 1.
func choose(operations []operation) (chosen []int) {
	all := os.Getenv("CONTEXTMOVER_FAULTS") == "all"
	first, last := map[string]int{}, map[string]int{}
	for i, o := range operations {
		class := string(o.op)
		if len(operations) <= 15 { // else by the kind of operation alone
			class += " " + digits.ReplaceAllString(o.path, "#")
		}
		if first[class] == 0 {
			first[class] = i + 1
		}
		last[class] = i + 1
		if all {
			chosen = append(chosen, i+1)
		}
	}
	if !all {
		chosen = append(slices.Collect(maps.Values(first)), slices.Collect(maps.Values(last))...)
	}
	slices.Sort(chosen)
	return slices.Compact(chosen)
}

// lookAt returns the files below dir that are a command's business, by path. What a store has is its artefacts;
// dates and durations are left out.
func lookAt(t *testing.T, dir string, c command) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, name := range c.stores {
		if _, err := os.Stat(name); err != nil {
			continue
		}
		s, err := store.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		damage, err := s.Verify(t.Context())
		if err != nil || len(damage) > 0 {
			t.Errorf("the store: %v, %v", damage, err)
		}
		infos, err := s.List()
		if err != nil {
			t.Fatal(err)
		}
		for _, info := range infos {
			files[name+"/"+info.Stage+"/"+string(info.Key)] = fmt.Sprint(info.Files)
		}
	}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		name, _ := filepath.Rel(dir, path)
		name = filepath.ToSlash(name)
		if err != nil || e.IsDir() {
			if e != nil && (slices.Contains(c.stores, name) || name == "temp" || name == "store" || ownFile.MatchString(name)) {
				return fs.SkipDir
			}
			return err
		}
		// What has been loaded of a download is gone on with.
		if ownFile.MatchString(name) || slices.Contains(c.needs, name) || filepath.Ext(name) == ".part" {
			return nil
		}
		text, err := os.ReadFile(path)
		files[name] = string(text)
		if strings.HasPrefix(name, "results/") { // has durations
			files[name] = measured.ReplaceAllString(string(text), "#")
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// compare returns whether got is old, new, or has some new files, and complains if it is anything else.
func compare(t *testing.T, where string, c command, before, got, after map[string]string) string {
	t.Helper()
	if maps.Equal(got, before) {
		return "old"
	}
	if maps.Equal(got, after) {
		return "new"
	}
	for _, whole := range c.whole {
		of := func(files map[string]string) map[string]string {
			part := maps.Clone(files)
			maps.DeleteFunc(part, func(name, _ string) bool { return name != whole && !strings.HasPrefix(name, whole+"/") })
			return part
		}
		// Between the old files and the new ones some may be missing.
		within := func(part, all map[string]string) bool {
			return !slices.ContainsFunc(slices.Collect(maps.Keys(part)), func(name string) bool { return all[name] != part[name] })
		}
		if part := of(got); !within(part, of(before)) && !within(part, of(after)) {
			t.Errorf("%s: %s is neither the old nor the new one: from the old %s; from the new %s", where, whole, difference(part, of(before)), difference(part, of(after)))
		}
	}
	for name, text := range got {
		if old, ok := before[name]; ok && old == text {
			continue
		}
		if now, ok := after[name]; !ok || now != text {
			t.Errorf("%s: %s is neither the old nor the new one", where, name)
		}
	}
	for name := range before {
		_, there := got[name]
		inWhole := slices.ContainsFunc(c.whole, func(whole string) bool { return strings.HasPrefix(name, whole+"/") })
		if _, stays := after[name]; !there && stays && !inWhole {
			t.Errorf("%s: %s is gone", where, name)
		}
	}
	return "some"
}

func difference(got, want map[string]string) string {
	var list []string
	for name, text := range want {
		if other, ok := got[name]; !ok {
			list = append(list, "lacks "+name)
		} else if other != text {
			list = append(list, "another "+name)
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			list = append(list, "has "+name)
		}
	}
	slices.Sort(list)
	return strings.Join(list[:min(5, len(list))], ", ")
}

// Nothing but what is asked for needs a place: where there is no folder
// for temporary files, or none that can be written, all is made as ever.
func TestWithoutTemporaryFolder(t *testing.T) {
	dir := quickFolder(t)
	smallWorld(t, dir)
	t.Chdir(dir)
	folders := map[string]string{"missing": filepath.Join(dir, "missing"), "file": filepath.Join(dir, "text.txt"), "read-only": filepath.Join(dir, "read-only")}
	if err := os.Mkdir(folders["read-only"], 0o555); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat("/proc/self"); os.Getuid() == 0 && err == nil { // root may write anywhere but there
		folders["read-only"] = "/proc"
	}
	for name, folder := range folders {
		t.Setenv("TMPDIR", folder)
		for _, args := range [][]string{
			{"build", "--text", "text.txt", "--out", "space", "--min-count", "5", "--dim", "4", "--clusters", "6", "--shift", "1"},
			{"figure", "density", "--space", "space", "lion", "hammer", "--out", "figures"},
			{"corpus", "prepare", "--text", "document.txt", "--out", "prepared"},
			{"corpus", "count", "--text", "text.txt", "--out", "counts", "--min-count", "2", "--memory", "1kB"},
			{"notebooks", "first.ipynb"},
		} {
			if code := (command{}).do(t, args); code != 0 {
				t.Errorf("%s: %v: exit code %d", name, args, code)
			}
		}
		for _, output := range []string{"space", "figures/*.pdf", "prepared/text-00.txt.zst", "counts/vocab.txt", "executed/mini/first.ipynb"} {
			if made, err := filepath.Glob(output); err != nil || len(made) == 0 {
				t.Errorf("%s: no %s", name, output)
			}
		}
		for _, output := range []string{"space", "figures", "prepared", "counts", "executed"} {
			if err := os.RemoveAll(output); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// leftovers complains about what is left of anything unfinished.
func leftovers(t *testing.T, where, dir string) {
	t.Helper()
	filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		name, _ := filepath.Rel(dir, path)
		if err == nil && (ownFile.MatchString(filepath.ToSlash(name)) || filepath.Dir(name) == "temp" || filepath.Ext(name) == ".part") {
			t.Errorf("%s: left behind: %s", where, name)
		}
		return nil
	})
}
