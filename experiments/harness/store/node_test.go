package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"contextmover/internal/disk"
)

// numbers is a node in memory of that many bytes, about.
func numbers(name string, bytes int, made *atomic.Int32) Node[[]float64] {
	return Node[[]float64]{Name: name, Version: 1, Make: func(context.Context) ([]float64, error) {
		made.Add(1)
		return make([]float64, bytes/8), nil
	}}
}

// A value is made once by one store, and read from its files by another; a folder's value is its path.
func TestNode(t *testing.T) {
	type value struct {
		Name   string
		Points []float32 `json:"-"`
		Length int       `json:"-"`
	}
	made := 0
	data := Source(func() ([]Ref, error) { return []Ref{{Key: "abc"}}, nil })
	node := Node[*value]{
		Name: "kept", Version: 1, Params: map[string]int{"k": 2}, Inputs: []Input{data, Key("d")},
		Parts: func(v **value) []Part {
			if *v == nil {
				*v = new(value)
			}
			return []Part{JSON("value.json", *v), Array("points.npy", &(*v).Points)}
		},
		Complete: func(_ context.Context, v **value) error {
			(*v).Length = len((*v).Points)
			return nil
		},
		Make: func(context.Context) (*value, error) {
			made++
			return &value{"a", []float32{1, 2}, 7}, nil
		},
	}
	want := Stage{Name: "kept", Version: 1, Params: node.Params, Inputs: []Key{"abc", "d"}}.Key()
	if keys, err := Keys(node); err != nil || keys[0] != want {
		t.Errorf("keys %s, %v", keys, err)
	}
	dir := t.TempDir()
	for range 2 {
		s := open(t, dir)
		for range 2 {
			got, err := Get(background, s, node)
			if err != nil || !reflect.DeepEqual(got, &value{"a", []float32{1, 2}, 2}) {
				t.Errorf("%+v, %v", got, err)
			}
		}
	}
	if made != 1 {
		t.Errorf("made %d times", made)
	}
	s := open(t, dir)
	folder := Node[string]{
		Name: "folder", Version: 1, Inputs: []Input{node},
		Fill: func(_ context.Context, dir string) error {
			return disk.WriteFile(filepath.Join(dir, "text"), []byte("b"))
		},
	}
	if path, err := Get(background, s, folder); err != nil || read(t, filepath.Join(path, "text")) != "b" {
		t.Errorf("%q, %v", path, err)
	}
	lost := errors.New("lost")
	folder.Inputs = []Input{Source(func() ([]Ref, error) { return nil, lost })}
	if _, err := Get(background, s, folder); !errors.Is(err, lost) {
		t.Errorf("an input without a key: %v", err)
	}
}

// Memory holds what was asked for last, up to its limit; one value beyond that is held until the next.
func TestMemoryIsBounded(t *testing.T) {
	s := open(t, t.TempDir())
	s.memory.limit = 1000
	var made atomic.Int32
	ask := func(want int32, name string, bytes int) {
		t.Helper()
		if _, err := Get(background, s, numbers(name, bytes, &made)); err != nil || made.Load() != want {
			t.Fatalf("%s: %v, made %d, expected %d", name, err, made.Load(), want)
		}
		if s.memory.bytes > 1000 && s.memory.order.Len() > 1 {
			t.Errorf("%d bytes in %d values", s.memory.bytes, s.memory.order.Len())
		}
	}
	ask(1, "a", 400)
	ask(2, "b", 400)
	ask(2, "a", 400)
	ask(3, "c", 400) // b is the one that was asked for longest ago
	ask(3, "a", 400)
	ask(4, "b", 400)
	ask(5, "big", 4000)
	ask(5, "big", 4000)
	ask(6, "a", 400)
	ask(7, "big", 4000)
}

func TestBytesOf(t *testing.T) {
	type point struct{ X, Y float32 }
	shared := make([]float64, 100)
	for _, test := range []struct {
		of    any
		bytes int64
	}{
		{make([]float32, 100), 24 + 400},
		{make([]float64, 10, 100), 24 + 800},
		{&struct{ A, B []float64 }{shared, shared}, 8 + 24 + 800 + 24},
		{[]string{"ab", "c"}, 24 + 2*16 + 3},
		{make([]point, 10), 24 + 80},
		{(*point)(nil), 8},
		{nil, 0},
	} {
		if got := bytesOf(reflect.ValueOf(test.of), map[uintptr]bool{}); got != test.bytes {
			t.Errorf("%T takes %d bytes, expected %d", test.of, got, test.bytes)
		}
	}
}

// When the context of who makes a value ends, another who waits makes it; a value that nobody wants is not made on.
func TestNodeIsCancelled(t *testing.T) {
	s := open(t, t.TempDir())
	started, proceed := make(chan bool), make(chan bool)
	node := Node[int]{Name: "slow", Version: 1, Make: func(ctx context.Context) (int, error) {
		started <- true
		select {
		case <-proceed:
			return 7, nil
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}}
	ask := func(ctx context.Context, of *sync.WaitGroup, want error) {
		of.Go(func() {
			if v, err := Get(ctx, s, node); !errors.Is(err, want) || err == nil && v != 7 {
				t.Errorf("%d, %v, expected %v", v, err, want)
			}
		})
	}
	ctx, cancel := context.WithCancel(background)
	var leave, stay sync.WaitGroup
	ask(ctx, &leave, context.Canceled)
	<-started
	ask(ctx, &leave, context.Canceled)
	ask(background, &stay, nil)
	time.Sleep(10 * time.Millisecond) // so that they may wait; if they come later, the outcome is the same
	cancel()
	leave.Wait()
	<-started
	close(proceed)
	stay.Wait()
	if v, err := Get(background, s, node); err != nil || v != 7 {
		t.Errorf("asked again: %d, %v", v, err)
	}
}

// An error is everybody's and is forgotten; so is a panic.
func TestNodeFails(t *testing.T) {
	s := open(t, t.TempDir())
	boom, runs := errors.New("boom"), 0
	node := Node[int]{Name: "fails", Version: 1, Make: func(context.Context) (int, error) {
		if runs++; runs == 2 {
			panic("boom")
		}
		return 0, boom
	}}
	if _, err := Get(background, s, node); !errors.Is(err, boom) {
		t.Error(err)
	}
	func() {
		defer func() {
			if p := fmt.Sprint(recover()); !strings.HasPrefix(p, "boom") || !strings.Contains(p, "node_test.go") {
				t.Errorf("recovered %v", p)
			}
		}()
		Get(background, s, node)
		t.Error("no panic")
	}()
	if _, err := Get(background, s, node); !errors.Is(err, boom) || runs != 3 {
		t.Errorf("%v, %d runs", err, runs)
	}
}

// What is shared is made once in turn, though memory has room for one of it alone, and values are in the nodes' order.
func TestAll(t *testing.T) {
	s := open(t, t.TempDir())
	s.memory.limit = 1500
	var shared [3]atomic.Int32
	var most, now atomic.Int32
	var nodes []Node[int]
	for i := range 12 {
		of := i % 3
		big := numbers(fmt.Sprint("big", of), 1000, &shared[of])
		nodes = append(nodes, Node[int]{Name: "small", Version: i, Subject: fmt.Sprint("small ", i), Shared: []Input{big},
			Make: func(ctx context.Context) (int, error) {
				if n := now.Add(1); n > most.Load() {
					most.Store(n)
				}
				defer now.Add(-1)
				time.Sleep(2 * time.Millisecond)
				_, err := Get(ctx, s, big)
				return i, err
			}})
	}
	values, err := All(background, s, nodes)
	if err != nil || !slices.Equal(values, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}) {
		t.Errorf("%v, %v", values, err)
	}
	for of := range shared {
		if n := shared[of].Load(); n != 1 {
			t.Errorf("what is shared was made %d times", n)
		}
	}
	if runtime.GOMAXPROCS(0) > 1 && most.Load() < 2 {
		t.Error("no two were made beside one another")
	}
	nodes[5].Version, nodes[5].Make = 100, func(context.Context) (int, error) { return 0, errors.New("boom") }
	if _, err := All(background, s, nodes); err == nil || err.Error() != "small 5: boom" {
		t.Error(err)
	}
}

// What stands behind inputs that are no artefacts is written down with what is made of them, and is what counts as read
// where a value in memory is asked for itself; what is got for a making does not.
func TestThrough(t *testing.T) {
	s := open(t, t.TempDir())
	text := Node[string]{Name: "text", Version: 1, Fill: func(_ context.Context, dir string) error {
		return disk.WriteFile(filepath.Join(dir, "text"), []byte("b"))
	}}
	length := Node[int]{
		Name: "length", Version: 1, Inputs: []Input{FileOf{text, "text"}, Key("data")},
		Make: func(ctx context.Context) (int, error) {
			_, err := Get(ctx, s, text)
			return 1, err
		},
	}
	table := Node[int]{
		Name: "table", Version: 1, Subject: "a row", Inputs: []Input{length, text},
		Parts: func(v *int) []Part { return []Part{JSON("n.json", v)} },
		Make:  func(ctx context.Context) (int, error) { return Get(ctx, s, length) },
	}
	keys, err := Keys(table, text)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		node Node[int]
		want map[Key][]string
	}{{table, map[Key][]string{keys[0]: {"a row"}}}, {length, map[Key][]string{keys[1]: nil, "data": nil}}} {
		ctx, reads := Reading(background)
		for range 2 {
			if _, err := Get(ctx, s, test.node); err != nil {
				t.Fatal(err)
			}
		}
		if got := reads.Subjects(); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s reads %v, expected %v", test.node.Name, got, test.want)
		}
	}
	info, err := s.Lookup(keys[0])
	if want := []Key{keys[1], "data", keys[1]}; err != nil || !slices.Equal(info.From, want) || info.Subject != "a row" {
		t.Errorf("made from %v, expected %v, of %q: %v", info.From, want, info.Subject, err)
	}
	if _, err := s.Lookup("data"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("data is no artefact, and looked up: %v", err)
	}
}
