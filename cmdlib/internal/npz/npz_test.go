package npz

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"contextmover/cmdlib/npy"
)

// written writes a file with a text of some bytes, so that what is behind it would be misaligned, and arrays.
func written(t testing.TB, text int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.npz")
	if err := Write(path, func(w *Writer) error {
		return errors.Join(w.AddBytes("text.txt", bytes.Repeat([]byte{'x'}, text)),
			AddArray(w, "floats.npy", []int{2, 3}, []float32{1, 2, 3, 4, 5, 6}),
			AddArray(w, "large.npy", []int{2}, []int64{7, 1 << 60}),
			AddArray(w, "codes.npy", []int{3}, []uint16{1, 2, 65535}),
			AddArray(w, "none.npy", []int{0, 5}, []uint8{}))
	}); err != nil {
		t.Fatal(err)
	}
	return path
}

func array[T npy.Element](t testing.TB, f *File, name string, want []T, shape ...int) {
	t.Helper()
	if got, err := Array[T](f, name, shape...); err != nil || !slices.Equal(got, want) {
		t.Errorf("%s: %v, %v, want %v", name, got, err, want)
	}
}

// What is written is read, from a file and from memory, wherever that lies; and members are aligned.
func TestRoundTrip(t *testing.T) {
	for text := range 70 {
		path := written(t, text)
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		mapped, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		odd, err := Read(append(make([]byte, 1, len(whole)+1), whole...)[1:], "memory")
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range []*File{mapped, odd} {
			array(t, f, "floats.npy", []float32{1, 2, 3, 4, 5, 6}, 2, 3)
			array(t, f, "large.npy", []int64{7, 1 << 60}, 2)
			array(t, f, "codes.npy", []uint16{1, 2, 65535}, 3)
			array(t, f, "none.npy", []uint8{}, 0, 5)
			if b, err := f.Bytes("text.txt"); err != nil || len(b) != text || !f.Has("text.txt") || f.Has("text") {
				t.Errorf("%q, %v", b, err)
			}
			if err := f.Verify(t.Context()); err != nil || len(f.Names()) != 5 {
				t.Errorf("%v: %v", f.Names(), err)
			}
		}
		z, err := zip.OpenReader(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range z.File {
			if at, err := entry.DataOffset(); err != nil || at%alignment != 0 {
				t.Errorf("%s is at byte %d, %v", entry.Name, at, err)
			}
			r, err := entry.Open()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadAll(r); err != nil { // which compares the checksum
				t.Errorf("%s: %v", entry.Name, err)
			}
		}
		for range 2 {
			if err := errors.Join(mapped.Close(), z.Close()); err != nil && !errors.Is(err, os.ErrClosed) {
				t.Error(err)
			}
		}
	}
}

// NumPy opens the file, with its names and numbers.
func TestNumPy(t *testing.T) {
	python := os.Getenv("CONTEXTMOVER_PYTHON")
	if python == "" {
		t.Skip("SKIPPED: CONTEXTMOVER_PYTHON names no Python with NumPy")
	}
	out, err := exec.Command(python, "-c", `import sys, numpy
x = numpy.load(sys.argv[1])
print(sorted(x.keys()), x["floats"].tolist(), x["large"].tolist(), x["codes"].tolist(), x["none"].shape)`,
		written(t, 5)).CombinedOutput()
	const want = "['codes', 'floats', 'large', 'none', 'text.txt'] [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]] " +
		"[7, 1152921504606846976] [1, 2, 65535] (0, 5)\n"
	if err != nil || string(out) != want {
		t.Errorf("%s, %v", out, err)
	}
}

// What is not as it was written is damaged, and the error names file and member.
func TestErrors(t *testing.T) {
	path := written(t, 100)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	compressed, twice := new(bytes.Buffer), new(bytes.Buffer)
	z := zip.NewWriter(compressed)
	w, err := z.Create("deflated")
	if err == nil {
		_, err = w.Write(make([]byte, 1000))
	}
	if err = errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	z = zip.NewWriter(twice)
	for range 2 {
		if _, err := z.CreateHeader(&zip.FileHeader{Name: "again"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	for want, content := range map[string][]byte{
		"not a valid zip file":                         whole[:len(whole)-30],
		"deflated is damaged: it is compressed":        compressed.Bytes(),
		"again is damaged: it is there twice":          twice.Bytes(),
		"x.npz: damaged: zip: not a valid zip file":    {},
		"floats.npy is damaged: its checksum is":       bytes.Replace(whole, []byte{0, 0, 128, 63}, []byte{1, 0, 128, 63}, 1),
		"has no nothing.npy, only text.txt, floats.np": whole,
	} {
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
		f, err := Open(path)
		if err == nil {
			if _, err = Array[float32](f, "floats.npy", 2, 3); err == nil {
				_, err = f.Bytes("nothing.npy")
			} else if again := f.Verify(t.Context()); again == nil || again.Error() != err.Error() {
				t.Errorf("Verify says %v, Array %v", again, err)
			}
		}
		if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	f, err := Read(whole, "memory")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Array[float32](f, "floats.npy", 3, 2); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "the shape [2 3]") {
		t.Errorf("another shape: %v", err)
	}
	if _, err := Array[float32](f, "codes.npy", 3); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "holds uint16") {
		t.Errorf("another type: %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := f.Verify(ended); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := Open(t.TempDir()); err == nil {
		t.Error("no error for a folder")
	}
}

// Whatever a file holds, reading it is an error or its members lie within it.
func FuzzRead(f *testing.F) {
	whole, err := os.ReadFile(written(f, 9))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add(whole[len(whole)/2:])
	f.Fuzz(func(t *testing.T, content []byte) {
		z, err := Read(content, "memory")
		if err != nil {
			if !errors.Is(err, ErrDamaged) {
				t.Fatal(err)
			}
			return
		}
		total := 0
		for _, name := range z.Names() {
			b, err := z.Mapped(name)
			if err != nil {
				t.Fatal(err)
			}
			total += len(b)
			if _, err := Array[float32](z, name, 2, 3); err != nil && !errors.Is(err, ErrDamaged) {
				t.Fatal(err)
			}
		}
		_ = z.Verify(t.Context()) // an error, or not
		if total > len(content)*len(z.Names()) {
			t.Fatalf("%d bytes of members in %d", total, len(content))
		}
	})
}
