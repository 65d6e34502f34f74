package embedding

import (
	"os"
	"path/filepath"
	"testing"
)

func BenchmarkRead(b *testing.B) {
	v := random(20000, 100)
	dir := b.TempDir()
	for name, write := range map[string]func(string) error{
		"glove":  func(p string) error { return v.Write(b.Context(), p, GloVe) },
		"binary": func(p string) error { return v.Write(b.Context(), p, Word2VecBinary) },
	} {
		path := filepath.Join(dir, name)
		if err := write(path); err != nil {
			b.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			b.SetBytes(info.Size())
			for b.Loop() {
				if _, err := Read(b.Context(), path); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkWriteGloVe(b *testing.B) {
	v := random(20000, 100)
	path := filepath.Join(b.TempDir(), "v")
	for b.Loop() {
		if err := v.Write(b.Context(), path, GloVe); err != nil {
			b.Fatal(err)
		}
	}
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(info.Size())
}
