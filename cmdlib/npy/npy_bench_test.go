package npy

import (
	"path/filepath"
	"testing"
)

func BenchmarkRead(b *testing.B) {
	path := filepath.Join(b.TempDir(), "a.npy")
	data := make([]float32, 100000*300)
	if err := Write(path, []int{100000, 300}, data); err != nil {
		b.Fatal(err)
	}
	b.Run("whole", func(b *testing.B) {
		b.SetBytes(int64(4 * len(data)))
		for b.Loop() {
			if _, _, err := Read[float32](path); err != nil {
				b.Fatal(err)
			}
		}
	})
}
