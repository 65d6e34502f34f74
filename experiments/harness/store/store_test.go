package store

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv("STORE_TEST_WORKER"); dir != "" {
		worker(dir)
		return
	}
	if dir := os.Getenv("STORE_TEST_USER"); dir != "" { // until it is told to end
		_, err := Open(dir)
		fmt.Println(err)
		io.ReadAll(os.Stdin)
		return
	}
	os.Exit(m.Run())
}

var background = context.Background()

func open(t *testing.T, dir string) *Store {
	t.Helper()
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// remove removes the artefact whose key starts with start.
func remove(s *Store, start Key) error {
	info, err := s.Match(start)
	if err != nil {
		return err
	}
	_, err = s.Remove(background, info)
	return err
}

// warnings collects what is logged during the test.
func warnings(t *testing.T) *bytes.Buffer {
	var b bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&b, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	return &b
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// builder writes two files and counts how often it does.
type builder struct{ runs atomic.Int32 }

func (b *builder) build(_ context.Context, dir string) error {
	b.runs.Add(1)
	return errors.Join(
		os.WriteFile(filepath.Join(dir, "a.txt"), []byte("contents of a"), 0o666),
		os.Mkdir(filepath.Join(dir, "part"), 0o777),
		os.WriteFile(filepath.Join(dir, "part", "b.txt"), []byte("contents of b"), 0o666))
}

var stage = Stage{Name: "counts", Version: 1, Params: map[string]any{"window": 10}}

func get(t *testing.T, s *Store, b *builder) string {
	t.Helper()
	dir, err := s.Get(background, stage, b.build)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := read(t, filepath.Join(dir, "a.txt")), read(t, filepath.Join(dir, "part", "b.txt")); a != "contents of a" || b != "contents of b" {
		t.Fatalf("got %q and %q", a, b)
	}
	return dir
}

func noLeftovers(t *testing.T, s *Store) {
	t.Helper()
	if left, _ := os.ReadDir(filepath.Join(s.dir, tmpName)); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// The expected key was computed with Python's json and hashlib: the SHA-256 of
// {"stage":"sppmi","version":2,"params":{"Shift":1,"a<b":[1,0.75]},"inputs":["aa","bb"]}.
func TestKey(t *testing.T) {
	type params struct {
		Values []float64 `json:"a<b"`
		Shift  int
	}
	s := Stage{Name: "sppmi", Version: 2, Params: params{[]float64{1, 0.75}, 1}, Inputs: []Key{"aa", "bb"}}
	const want = "22d48ce535656663b477a74740d13dbe429069fd0dcd5e2efe2b5c2a01003a7c"
	if got := s.Key(); got != want {
		t.Errorf("key %s, want %s", got, want)
	}
	s.Params = map[string]any{"Shift": 1.0, "a<b": []float32{1, 0.75}}
	if got := s.Key(); got != want {
		t.Errorf("key %s of the same parameters in another form, want %s", got, want)
	}
	keys := map[Key]string{want: "itself"}
	for change, other := range map[string]Stage{
		"name":    {"sppmi2", 2, s.Params, s.Inputs, "", nil},
		"version": {"sppmi", 3, s.Params, s.Inputs, "", nil},
		"params":  {"sppmi", 2, params{[]float64{1, 0.5}, 1}, s.Inputs, "", nil},
		"order":   {"sppmi", 2, s.Params, []Key{"bb", "aa"}, "", nil},
		"inputs":  {"sppmi", 2, s.Params, []Key{"aa"}, "", nil},
		"nothing": {"sppmi", 2, nil, nil, "", nil},
	} {
		if same, ok := keys[other.Key()]; ok {
			t.Errorf("another %s has the key of %s", change, same)
		}
		keys[other.Key()] = change
	}
	for _, bad := range []Stage{{Name: "tmp"}, {Name: ""}, {Name: "A/b"}, {Name: "a", Params: func() {}}} {
		func() {
			defer func() {
				if r := recover(); r == nil || !strings.HasPrefix(fmt.Sprint(r), "store: ") {
					t.Errorf("%v: panic %v", bad.Name, r)
				}
			}()
			bad.Key()
		}()
	}
}

func TestMadeOnce(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "new", "store [x]*"))
	var b builder
	if s.Has(stage) {
		t.Error("an empty store has the artefact")
	}
	dir := get(t, s, &b)
	if again := get(t, s, &b); again != dir || !s.Has(stage) {
		t.Errorf("folders %s and %s", dir, again)
	}
	get(t, open(t, s.dir), &b)
	if n := b.runs.Load(); n != 1 {
		t.Errorf("made %d times", n)
	}
	other := stage
	other.Version = 2
	if _, err := s.Get(background, other, b.build); err != nil || b.runs.Load() != 2 {
		t.Errorf("another version: %v, made %d times in all", err, b.runs.Load())
	}
	if want := filepath.Join(s.Dir(), "counts", string(stage.Key()[:16])); dir != want {
		t.Errorf("folder %s, want %s", dir, want)
	}
	noLeftovers(t, s)
}

// meta.json depends on the artefact alone, so two stores can be compared.
func TestMetaBytes(t *testing.T) {
	var b builder
	s1, s2 := open(t, t.TempDir()), open(t, t.TempDir())
	one, two := read(t, filepath.Join(get(t, s1, &b), metaName)), read(t, filepath.Join(get(t, s2, &b), metaName))
	if one != two {
		t.Errorf("%s differs from\n%s", one, two)
	}
	for _, want := range []string{`"key": "` + string(stage.Key()), `"window": 10`, `"name": "part/b.txt"`, `"size": 13`} {
		if !strings.Contains(one, want) {
			t.Errorf("no %s in %s", want, one)
		}
	}
}

func TestConcurrentGetsBuildOnce(t *testing.T) {
	s := open(t, t.TempDir())
	var b builder
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			dir, err := s.Get(background, stage, func(ctx context.Context, dir string) error {
				time.Sleep(20 * time.Millisecond)
				return b.build(ctx, dir)
			})
			if err != nil || read(t, filepath.Join(dir, "a.txt")) != "contents of a" {
				t.Errorf("%s %v", dir, err)
			}
		})
	}
	wg.Wait()
	if n := b.runs.Load(); n != 1 {
		t.Errorf("made %d times", n)
	}
}

func TestErrorKeepsNothing(t *testing.T) {
	s := open(t, t.TempDir())
	boom := errors.New("boom")
	fail := func(ctx context.Context, dir string) error {
		var b builder
		return errors.Join(b.build(ctx, dir), boom)
	}
	if _, err := s.Get(background, stage, fail); !errors.Is(err, boom) {
		t.Errorf("error %v", err)
	}
	func() {
		defer func() { recover() }()
		s.Get(background, stage, func(context.Context, string) error { panic("bug") })
	}()
	for want, build := range map[string]func(context.Context, string) error{
		"a file called meta.json": func(_ context.Context, dir string) error {
			return os.WriteFile(filepath.Join(dir, metaName), nil, 0o666)
		},
		"link, which is no plain file": func(_ context.Context, dir string) error {
			return os.Symlink("elsewhere", filepath.Join(dir, "link"))
		},
	} {
		if _, err := s.Get(background, stage, build); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	if s.Has(stage) {
		t.Error("a failed artefact was kept")
	}
	noLeftovers(t, s)
	var b builder
	get(t, s, &b)
}

// When a call that makes an artefact is interrupted, another that waits makes it.
func TestInterrupted(t *testing.T) {
	s := open(t, t.TempDir())
	ctx, cancel := context.WithCancel(background)
	defer cancel()
	started := make(chan bool)
	var b builder
	first, other := make(chan error), make(chan error)
	go func() {
		_, err := s.Get(ctx, stage, func(ctx context.Context, dir string) error {
			close(started)
			<-ctx.Done()
			return ctx.Err()
		})
		first <- err
	}()
	<-started
	go func() {
		_, err := s.Get(background, stage, b.build)
		other <- err
	}()
	time.Sleep(10 * time.Millisecond) // so that it may wait; if it comes later, the outcome is the same
	cancel()
	if err := <-first; !errors.Is(err, context.Canceled) {
		t.Errorf("the interrupted call: %v", err)
	}
	if err := <-other; err != nil || b.runs.Load() != 1 {
		t.Errorf("the other call: %v, %d made", err, b.runs.Load())
	}
	if _, err := s.Get(ctx, stage, b.build); !errors.Is(err, context.Canceled) {
		t.Errorf("on an ended context: %v", err)
	}
	noLeftovers(t, s)
}

func TestDamageIsMadeAgain(t *testing.T) {
	flip := func(path string, at int) error {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		text[(at+len(text))%len(text)] ^= 1
		return os.WriteFile(path, text, 0o666)
	}
	for name, test := range map[string]struct {
		spoil     func(dir string) error
		file, why string
	}{
		"flipped byte": {func(dir string) error { return flip(filepath.Join(dir, "a.txt"), 3) }, "a.txt", "SHA-256"},
		"deleted file": {func(dir string) error { return os.Remove(filepath.Join(dir, "part", "b.txt")) }, "part/b.txt", "is missing"},
		"shorter file": {func(dir string) error { return os.Truncate(filepath.Join(dir, "a.txt"), 5) }, "a.txt", "has 5 bytes, expected 13"},
		"extra file":   {func(dir string) error { return os.WriteFile(filepath.Join(dir, "x"), nil, 0o666) }, "x", "is not part"},
		"a link": {func(dir string) error {
			p := filepath.Join(dir, "a.txt")
			return errors.Join(os.Remove(p), os.Symlink("x", p))
		}, "a.txt", "no plain file"},
		"no meta":     {func(dir string) error { return os.Remove(filepath.Join(dir, metaName)) }, metaName, "is missing"},
		"empty meta":  {func(dir string) error { return os.Truncate(filepath.Join(dir, metaName), 0) }, metaName, "no JSON"},
		"other meta":  {func(dir string) error { return flip(filepath.Join(dir, metaName), 12) }, metaName, "key"},
		"end of meta": {func(dir string) error { return flip(filepath.Join(dir, metaName), -1) }, metaName, "no JSON"},
		"spaces": {func(dir string) error {
			return os.WriteFile(filepath.Join(dir, metaName), []byte(readText(dir)+" "), 0o666)
		}, metaName, "was changed"},
		"foreign meta":  {func(dir string) error { return os.WriteFile(filepath.Join(dir, metaName), otherMeta(t), 0o666) }, metaName, "belongs to the key"},
		"a file, not a": {func(dir string) error { return errors.Join(os.RemoveAll(dir), os.WriteFile(dir, nil, 0o666)) }, metaName, "not a directory"},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, t.TempDir())
			var b builder
			dir := get(t, s, &b)
			if err := test.spoil(dir); err != nil {
				t.Fatal(err)
			}
			damage, err := s.Verify(background)
			if name == "a file, not a" { // not known as the store's until it is wanted
				damage, err = check(background, dir, stage.Key())
			}
			if err != nil || len(damage) != 1 || damage[0].File != test.file || !strings.Contains(damage[0].Problem, test.why) {
				t.Errorf("Verify: %v %v, want %s: %s", damage, err, test.file, test.why)
			}
			log := warnings(t)
			get(t, open(t, s.dir), &b) // as a new process would
			if b.runs.Load() != 2 {
				t.Errorf("made %d times", b.runs.Load())
			}
			for _, want := range []string{"level=WARN", dir, "file=" + test.file, test.why} {
				if !strings.Contains(log.String(), want) {
					t.Errorf("no %q in the log: %s", want, log)
				}
			}
			if damage, err := s.Verify(background); err != nil || len(damage) > 0 {
				t.Errorf("afterwards: %v %v", damage, err)
			}
			noLeftovers(t, s)
		})
	}
}

func readText(dir string) string {
	text, _ := os.ReadFile(filepath.Join(dir, metaName))
	return string(text)
}

func otherMeta(t *testing.T) []byte {
	s := open(t, t.TempDir())
	dir, err := s.Get(background, Stage{Name: "counts", Version: 9}, func(context.Context, string) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	return []byte(readText(dir))
}

// Every single flipped bit of meta.json is noticed.
func TestEveryByteOfMeta(t *testing.T) {
	s := open(t, t.TempDir())
	var b builder
	dir := get(t, s, &b)
	path := filepath.Join(dir, metaName)
	text := []byte(read(t, path))
	for i := range text {
		text[i] ^= 1 << (i % 8)
		write(t, path, string(text))
		text[i] ^= 1 << (i % 8)
		if damage, err := check(background, dir, stage.Key()); err != nil || len(damage) == 0 {
			t.Errorf("byte %d (%q) flipped: %v %v", i, text[i], damage, err)
		}
	}
}

func TestRemovedSince(t *testing.T) {
	s := open(t, t.TempDir())
	var b builder
	get(t, s, &b)
	if err := remove(s, stage.Key()); err != nil {
		t.Fatal(err)
	}
	if s.Has(stage) {
		t.Error("removed but found")
	}
	get(t, s, &b)
	if b.runs.Load() != 2 {
		t.Errorf("made %d times", b.runs.Load())
	}
	if err := remove(s, stage.Key()[:6]); err != nil {
		t.Error(err)
	}
	for _, key := range []Key{stage.Key(), "12", ""} {
		if err := remove(s, key); err == nil {
			t.Errorf("removed %q from an empty store", key)
		}
	}
	noLeftovers(t, s)
}

// What another process may be about to read is not removed.
func TestRemoveInUse(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: nothing can be locked here")
	}
	s := open(t, t.TempDir())
	var b builder
	get(t, s, &b)
	user := exec.Command(os.Args[0], "-test.run=^$")
	user.Env = append(os.Environ(), "STORE_TEST_USER="+s.dir)
	stop, err := user.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := user.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := user.Start(); err != nil {
		t.Fatal(err)
	}
	if said, err := bufio.NewReader(out).ReadString('\n'); said != "<nil>\n" {
		t.Fatalf("the other process says %q, %v", said, err)
	}

	if err := remove(s, stage.Key()); err == nil || !strings.Contains(err.Error(), "another process uses "+s.dir) {
		t.Errorf("removed with %v what another process uses", err)
	}
	get(t, open(t, s.dir), &b)
	if b.runs.Load() != 1 {
		t.Error("it was removed")
	}

	stop.Close()
	if err := user.Wait(); err != nil {
		t.Fatal(err)
	}
	if err := remove(s, stage.Key()); err != nil || s.Has(stage) {
		t.Errorf("%v: not removed", err)
	}
}

func TestList(t *testing.T) {
	s := open(t, t.TempDir())
	write(t, filepath.Join(s.dir, "notes.txt"), "not an artefact")
	if infos, err := s.List(); err != nil || len(infos) != 0 {
		t.Errorf("%v %v", infos, err)
	}
	var b builder
	dir := get(t, s, &b)
	vocabulary := Stage{Name: "a", Version: 3, Params: struct{ MinCount int }{10}, Inputs: []Key{stage.Key()}}
	if _, err := s.Get(background, vocabulary, func(context.Context, string) error { return nil }); err != nil {
		t.Fatal(err)
	}
	infos, err := s.List()
	if err != nil || len(infos) != 2 {
		t.Fatalf("%v %v", infos, err)
	}
	v, c := infos[0], infos[1]
	if v.Stage != "a" || v.Version != 3 || v.Params != `{"MinCount":10}` || len(v.From) != 1 || v.From[0] != stage.Key() || v.Key != vocabulary.Key() {
		t.Errorf("%+v", v)
	}
	if c.Dir != dir || c.Key != stage.Key() || c.Damage != nil || c.Size < 26 || len(c.Files) != 2 || c.By == "" ||
		time.Since(c.Made) > time.Minute || time.Since(c.Made) < -time.Minute || c.Duration <= 0 || c.Duration > time.Minute {
		t.Errorf("%+v", c)
	}
	write(t, filepath.Join(dir, metaName), "{}")
	write(t, filepath.Join(dir, madeName), "")
	infos, err = s.List()
	if err != nil || len(infos) != 2 || infos[1].Damage == nil || infos[1].Key != stage.Key()[:16] || infos[1].Stage != "counts" {
		t.Errorf("%+v %v", infos, err)
	}
	if err := remove(s, infos[1].Key); err != nil {
		t.Error(err)
	}
	if _, err := s.Match(stage.Key()); err == nil {
		t.Error("found what does not exist")
	}
}

// A folder that looks like an artefact's but has nothing of the store's in it is somebody else's.
func TestForeignFolders(t *testing.T) {
	s, stages := chain(t)
	foreign := filepath.Join(s.Dir(), "letters", "0123456789abcdef")
	if err := os.MkdirAll(foreign, 0o777); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(foreign, "letter"), "precious")
	infos, err := s.List()
	if err != nil || len(infos) != len(stages) {
		t.Errorf("%d artefacts, %v, want %d", len(infos), err, len(stages))
	}
	if damage, err := s.Verify(background); err != nil || len(damage) > 0 {
		t.Errorf("%v, %v", damage, err)
	}
	if err := remove(s, "0123456789abcdef"); err == nil || !strings.Contains(err.Error(), "no artefact") {
		t.Errorf("removed with %v", err)
	}
	if text := read(t, filepath.Join(foreign, "letter")); text != "precious" {
		t.Errorf("the letter says %q", text)
	}
}

func TestFindReadsNoContents(t *testing.T) {
	s := open(t, t.TempDir())
	var b builder
	dir := get(t, s, &b)
	write(t, filepath.Join(dir, "a.txt"), "CONTENTS OF A")
	if found, ok := s.Find(stage); !ok || found != dir {
		t.Errorf("%s %v", found, ok)
	}
	write(t, filepath.Join(dir, "a.txt"), "longer than it was")
	if _, ok := s.Find(stage); ok {
		t.Error("found with a file of another size")
	}
}

// What a killed process was making goes when the store is opened; what is being made and
// what is no business of the store's stays.
func TestOpenRemovesLeftovers(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: nothing can be locked here")
	}
	s := open(t, t.TempDir())
	mine, release, err := s.temporary()
	if err != nil {
		t.Fatal(err)
	}
	left, foreign := filepath.Join(filepath.Dir(mine), ".unfinished-0123456789abcdef"), filepath.Join(filepath.Dir(mine), "notes")
	if err := os.MkdirAll(filepath.Join(left, "part"), 0o777); err != nil {
		t.Fatal(err)
	}
	write(t, foreign, "")
	open(t, s.dir)
	if !exists(mine) || exists(left) || !exists(foreign) {
		t.Errorf("there are what is being made: %v, the leftover: %v, a foreign file: %v", exists(mine), exists(left), exists(foreign))
	}
	release()
	if exists(mine) {
		t.Error("released and still there")
	}
}

// When another process finishes first, its artefact is used and ours dropped; when
// what it left is damaged, ours takes its place.
func TestLostRace(t *testing.T) {
	for _, damaged := range []bool{false, true} {
		s := open(t, t.TempDir())
		var b builder
		dir, err := s.Get(background, stage, func(ctx context.Context, dir string) error {
			theirs := get(t, open(t, s.dir), &b)
			write(t, filepath.Join(theirs, madeName), "theirs")
			if damaged {
				write(t, filepath.Join(theirs, "a.txt"), "CONTENTS OF A")
			}
			return b.build(ctx, dir)
		})
		if err != nil {
			t.Fatal(err)
		}
		if theirs := read(t, filepath.Join(dir, madeName)) == "theirs"; theirs == damaged {
			t.Errorf("damaged %v: theirs used %v", damaged, theirs)
		}
		if a := read(t, filepath.Join(dir, "a.txt")); a != "contents of a" {
			t.Error(a)
		}
		noLeftovers(t, s)
	}
}

// Crash safety: processes that make artefacts in a shared store are killed at
// random moments. Whatever the store then calls an artefact is whole and right.

// content is what the worker's artefact i holds: enough bytes that a kill may fall
// between two writes.
func content(i int) []byte {
	b := make([]byte, 300_000)
	r := rand.NewPCG(uint64(i), 0)
	for j := range b {
		b[j] = byte(r.Uint64())
	}
	return b
}

func workStage(i int) Stage { return Stage{Name: "work", Version: 1, Params: i} }

func buildWork(i int) func(context.Context, string) error {
	return func(_ context.Context, dir string) error {
		f, err := os.Create(filepath.Join(dir, "data"))
		if err != nil {
			return err
		}
		for c := content(i); len(c) > 0; c = c[10_000:] {
			if _, err := f.Write(c[:10_000]); err != nil {
				return err
			}
		}
		return errors.Join(f.Close(), os.WriteFile(filepath.Join(dir, "index"), []byte(strconv.Itoa(i)), 0o666))
	}
}

func worker(dir string) {
	for {
		s, err := Open(dir)
		if err == nil {
			i := rand.IntN(4)
			if rand.IntN(3) == 0 {
				// Not Remove, which fails beside another process.
				temporary, release, err := s.temporary()
				if err == nil {
					_ = os.Rename(s.path("work", workStage(i).Key()), filepath.Join(temporary, "removed"))
					release()
				}
			}
			_, err = s.Get(background, workStage(i), buildWork(i))
		}
		// Another worker may remove what we were about to use: only that is forgiven.
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

func TestKilled(t *testing.T) {
	rounds := 25
	if testing.Short() {
		rounds = 5
	}
	dir := t.TempDir()
	artefacts := 0
	// Where nothing is made in time, rounds go on, and last longer and longer.
	round := 0
	for ; round < rounds || artefacts == 0; round++ {
		var workers []*exec.Cmd
		for range 2 {
			w := exec.Command(os.Args[0], "-test.run=^$")
			w.Env = append(os.Environ(), "STORE_TEST_WORKER="+dir)
			w.Stderr = new(bytes.Buffer)
			if err := w.Start(); err != nil {
				t.Fatal(err)
			}
			workers = append(workers, w)
		}
		time.Sleep(time.Duration(20+rand.IntN(80)) * time.Millisecond * time.Duration(1+round/rounds))
		for _, w := range workers {
			w.Process.Kill()
		}
		for _, w := range workers {
			w.Wait()
			if w.ProcessState.ExitCode() == 1 {
				t.Fatalf("round %d: a worker failed: %s", round, w.Stderr)
			}
		}
		s := open(t, dir)
		noLeftovers(t, s)
		damage, err := s.Verify(background)
		if err != nil || len(damage) > 0 {
			t.Fatalf("round %d: %v %v", round, damage, err)
		}
		infos, err := s.List()
		if err != nil {
			t.Fatal(err)
		}
		for _, info := range infos {
			i, err := strconv.Atoi(info.Params)
			if err != nil || read(t, filepath.Join(info.Dir, "data")) != string(content(i)) || read(t, filepath.Join(info.Dir, "index")) != info.Params {
				t.Fatalf("round %d: wrong contents in %+v", round, info)
			}
			artefacts++
		}
	}
	t.Logf("%d artefacts looked at after %d kills", artefacts, 2*round)
}

func TestDiskFull(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("SKIPPED: needs Linux's /dev/full")
	}
	s := open(t, t.TempDir())
	_, err := s.Get(background, stage, func(_ context.Context, dir string) error {
		write(t, filepath.Join(dir, "a"), strings.Repeat("x", 12_345))
		return os.WriteFile("/dev/full", []byte("x"), 0)
	})
	var full *FullError
	if !errors.As(err, &full) || !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("%v", err)
	}
	for _, want := range []string{s.dir, "is full", "counts", "--store DIR"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in %q", want, err)
		}
	}
	noLeftovers(t, s)

	var b builder
	get(t, s, &b)
}

func TestDefaultDir(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("SKIPPED: the variables are Linux's")
	}
	t.Setenv("XDG_CACHE_HOME", "/cache")
	if dir, err := DefaultDir(); dir != "/cache/contextmover" || err != nil {
		t.Errorf("%s %v", dir, err)
	}
	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv("HOME", "")
	if _, err := DefaultDir(); err == nil || !strings.Contains(err.Error(), "--store DIR") {
		t.Errorf("%v", err)
	}
	if _, err := Open("/proc/none/store"); err == nil || !strings.Contains(err.Error(), "--store DIR") {
		t.Errorf("%v", err)
	}
}
