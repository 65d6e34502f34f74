package bounded

import (
	"bytes"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
)

// zeros gives zeros, and counts them, until there are more than enough.
type zeros struct{ given, enough int64 }

func (z *zeros) Read(p []byte) (int, error) {
	if z.given > z.enough {
		return 0, errors.New("nothing has stopped it")
	}
	clear(p)
	z.given += int64(len(p))
	return len(p), nil
}

func TestReadAllStopsBehindTheBound(t *testing.T) {
	for _, limit := range []int64{0, 1, 511, 512, 513, 100_000} {
		source := &zeros{enough: limit + 1000}
		all, err := ReadAll(source, 0, limit)
		if all != nil || !errors.Is(err, ErrTooLarge) {
			t.Errorf("limit %d: %d bytes, %v", limit, len(all), err)
		}
		if source.given != limit+1 {
			t.Errorf("limit %d: %d bytes read, expected one more than the limit", limit, source.given)
		}
	}
}

func TestReadAll(t *testing.T) {
	failed := errors.New("failed")
	for _, n := range []int{0, 1, 511, 512, 513, 5000, 100_000} {
		text := bytes.Repeat([]byte("x"), n)
		for _, expected := range []int64{0, int64(n), math.MaxInt64} {
			limit := int64(n) + int64(n%2) // as many bytes as the bound are no more than it
			for name, r := range map[string]io.Reader{
				"whole": bytes.NewReader(text), "bytes": iotest.OneByteReader(bytes.NewReader(text)), "end with data": iotest.DataErrReader(bytes.NewReader(text)),
			} {
				all, err := ReadAll(r, expected, limit)
				if err != nil || !bytes.Equal(all, text) {
					t.Errorf("%d bytes, %s: %d bytes, %v", n, name, len(all), err)
				}
				if int64(cap(all)) > max(512, 2*limit+2) {
					t.Errorf("%d bytes, %s: a capacity of %d", n, name, cap(all))
				}
			}
		}
		if _, err := ReadAll(io.MultiReader(bytes.NewReader(text), iotest.ErrReader(failed)), 0, math.MaxInt64); err != failed {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
}

func TestReadFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(path, []byte("four"), 0o666); err != nil {
		t.Fatal(err)
	}
	if all, err := ReadFile(path, 4); string(all) != "four" || err != nil {
		t.Errorf("%q, %v", all, err)
	}
	if _, err := ReadFile(path, 3); !errors.Is(err, ErrTooLarge) || !strings.Contains(err.Error(), path) {
		t.Error(err)
	}
	if _, err := ReadFile(path+"x", 3); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if _, err := ReadFile(filepath.Dir(path), 3); err == nil || errors.Is(err, ErrTooLarge) {
		t.Error(err)
	}
}

func TestAllocate(t *testing.T) {
	if err := allocate(5e9, 4e9); !errors.Is(err, ErrTooLarge) || !strings.Contains(err.Error(), "5.0 GB") || !strings.Contains(err.Error(), "4.0 GB") {
		t.Error(err)
	}
	if err := allocate(4e9, 4e9); err != nil {
		t.Error(err)
	}
	if err := Allocate(1); err != nil {
		t.Error(err)
	}
	if one, four := Share(1), Share(4); one < 1 || four > one {
		t.Errorf("shares of %d and %d", one, four)
	}
}
