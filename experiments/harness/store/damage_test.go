package store

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// chain is a store with: base; part made of a file of base; middle, made of base; top, made of middle; reader, which
// gets middle without naming it; and other, made of nothing.
func chain(t *testing.T) (s *Store, stages map[string]Stage) {
	s = open(t, t.TempDir())
	base := Stage{Name: "base", Version: 1}
	file, err := Keys(FileOf{base.Key(), "sub/file"})
	if err != nil {
		t.Fatal(err)
	}
	middle := Stage{Name: "middle", Version: 1, Inputs: []Key{base.Key()}}
	stages = map[string]Stage{
		"base": base, "middle": middle,
		"part":   {Name: "part", Version: 1, Inputs: file},
		"top":    {Name: "top", Version: 1, Inputs: []Key{"0123", middle.Key()}},
		"reader": {Name: "reader", Version: 1},
		"other":  {Name: "other", Version: 1},
	}
	for _, name := range []string{"base", "middle", "part", "top", "reader", "other"} {
		obtain(t, s, stages, name)
	}
	return s, stages
}

// obtain gets an artefact of the chain and tells whether it was made.
func obtain(t *testing.T, s *Store, stages map[string]Stage, name string) (made bool) {
	t.Helper()
	_, err := s.Get(background, stages[name], func(ctx context.Context, dir string) error {
		made = true
		if name == "reader" {
			if _, err := s.Get(ctx, stages["middle"], func(context.Context, string) error { return fmt.Errorf("there is no middle") }); err != nil {
				return err
			}
		}
		if err := os.Mkdir(filepath.Join(dir, "sub"), 0o777); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, "sub", "file"), []byte("contents of "+name), 0o666)
	})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return made
}

// What is damaged is never read in the making of something, however it is opened; what was made of it before stays.
func TestDamagedInput(t *testing.T) {
	s, stages := chain(t)
	file := filepath.Join(s.path("middle", stages["middle"].Key()), "sub", "file")
	write(t, file, strings.Repeat("x", len(read(t, file))))
	if err := remove(s, stages["top"].Key()); err != nil {
		t.Fatal(err)
	}
	log := warnings(t)
	s = open(t, s.Dir()) // as a new process would
	_, err := s.Get(background, stages["top"], func(_ context.Context, dir string) error {
		if found, ok := s.Find(stages["middle"]); ok {
			t.Errorf("found the damaged input %s", found)
		}
		return os.WriteFile(filepath.Join(dir, "file"), nil, 0o666)
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"problem=", file[:len(file)-len("/sub/file")]} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log lacks %q: %s", want, log)
		}
	}
	for _, name := range []string{"base", "middle", "reader", "part", "other"} {
		if made := obtain(t, s, stages, name); made != (name == "middle") {
			t.Errorf("%s is made again: %v", name, made)
		}
	}
	if damage, err := s.Verify(background); err != nil || len(damage) > 0 {
		t.Errorf("%v, %v", damage, err)
	}
}
