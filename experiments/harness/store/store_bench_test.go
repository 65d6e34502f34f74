package store

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// BenchmarkVerify is the time to get an artefact of 256 MB that is already there.
func BenchmarkVerify(b *testing.B) {
	dir := b.TempDir()
	const files, size = 4, 64 << 20
	build := func(_ context.Context, dir string) error {
		for i := range files {
			if err := os.WriteFile(filepath.Join(dir, strconv.Itoa(i)), make([]byte, size), 0o666); err != nil {
				return err
			}
		}
		return nil
	}
	b.SetBytes(files * size)
	for b.Loop() {
		s, err := Open(dir)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := s.Get(background, stage, build); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkMakeSmall is what the store adds to making an artefact of one small file.
func BenchmarkMakeSmall(b *testing.B) {
	s, err := Open(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	i := 0
	for b.Loop() {
		i++
		_, err := s.Get(background, Stage{Name: "small", Version: 1, Params: i}, func(_ context.Context, dir string) error {
			return os.WriteFile(filepath.Join(dir, "x"), []byte("x"), 0o666)
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}
