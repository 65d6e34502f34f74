package embedding

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zip"

	"contextmover/internal/bounded"
)

// zipped returns a zip archive of files given as name, content, name, content.
func zipped(t testing.TB, files ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		w, err := z.Create(files[i])
		if err == nil {
			_, err = io.WriteString(w, files[i+1])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestZip(t *testing.T) {
	const glove, binary = "a 1 2\nb 3 4\n", "1 1\nc \x00\x00\x80\x3f"
	one := zipped(t, "vectors/", "", "vectors/glove.txt", glove, "__MACOSX/._glove.txt", "x")
	folder := filepath.Join(t.TempDir(), "folder.zip")
	if err := errors.Join(os.Mkdir(folder, 0o700), os.WriteFile(filepath.Join(folder, "v.txt"), []byte(glove), 0o600)); err != nil {
		t.Fatal(err)
	}
	if v, err := Read(t.Context(), filepath.Join(folder, "v.txt")); err != nil || v.Len() != 2 {
		t.Errorf("a folder that is named like an archive: %v, error %v", v, err)
	}
	two := zipped(t, "glove.txt", glove, "google.bin", binary)
	for _, c := range []struct {
		name    string
		content []byte
		member  string
		want    []string
	}{
		{"v.zip", one, "", []string{"a", "b"}},
		{"v.zip", one, "/vectors/glove.txt", []string{"a", "b"}},
		{"without the ending", one, "", []string{"a", "b"}},
		{"v.zip", two, "/google.bin", []string{"c"}},
		{"v.zip", two, "/glove.txt", []string{"a", "b"}},
		{"v.zip", zipped(t, "long.txt", "a 1 2\n"+strings.Repeat("x", 1<<16)+" 1 2\n"), "", []string{"a", strings.Repeat("x", 1<<16)}},
	} {
		path := filepath.Join(t.TempDir(), c.name)
		if err := os.WriteFile(path, c.content, 0o600); err != nil {
			t.Fatal(err)
		}
		v, err := Read(t.Context(), path+c.member)
		if err != nil || !slices.Equal(v.Words, c.want) {
			t.Errorf("%s%s: %v, error %v", c.name, c.member, v, err)
		}
	}
}

func TestZipErrors(t *testing.T) {
	const glove = "a 1 2\nb 3 4\n"
	whole := zipped(t, "glove.txt", glove)
	change := func(old, by string) []byte {
		if !bytes.Contains(whole, []byte(old)) {
			t.Fatalf("the archive has no %q", old)
		}
		return bytes.ReplaceAll(whole, []byte(old), []byte(by))
	}
	directory := bytes.Index(whole, []byte("PK\x01\x02"))
	unknown := slices.Clone(whole)
	unknown[directory+10] = 9 // deflate64
	damaged := slices.Clone(whole)
	damaged[directory+16]++ // the checksum
	many := make([]string, 24)
	for i := range many {
		many[i] = string(rune('a' + i))
	}
	for _, c := range []struct {
		name, member string
		content      []byte
		want         string
	}{
		{"no archive", "/glove.txt", []byte(glove), "is no zip archive"},
		{"cut", "", whole[:len(whole)-9], "damaged one; fetch it again"},
		{"cut magic", "", []byte("PK\x03\x04"), "damaged one; fetch it again"},
		{"empty", "", zipped(t), "the archive is empty, expected a file in it"},
		{"only a folder", "", zipped(t, "vectors/", ""), "the archive is empty"},
		{"several", "", zipped(t, "a.txt", glove, "b.txt", glove), `the archive has 2 files, a.txt, b.txt; name one of them, as in `},
		{"very many", "", zipped(t, many...), `q, s and 2 more; name one`},
		{"other name", "/b.txt", whole, `has no file "b.txt", but glove.txt`},
		{"one name twice", "/a", zipped(t, "a", glove, "a", glove), `the archive has 2 files, a, a; name one of them`},
		{"unknown method", "", unknown, "unpack it if it is sound: zip: unsupported compression algorithm"},
		{"damaged", "", damaged, "damaged zip archive, fetch it again"},
		{"other magic within", "/glove.txt", change("PK\x03\x04", "PK\x03\x05"), "damaged zip archive, fetch it again"},
		{"malformed vectors", "", zipped(t, "glove.txt", "a 1 2\nb 3 x\n"), `:2: word "b": component 2 is "x"`},
	} {
		path := filepath.Join(t.TempDir(), "v.zip")
		if err := os.WriteFile(path, c.content, 0o600); err != nil {
			t.Fatal(err)
		}
		v, err := Read(t.Context(), path+c.member)
		if err == nil || v != nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: error %v, want one with %q", c.name, err, c.want)
		}
	}
	absent := filepath.Join(t.TempDir(), "absent.zip/v.txt")
	if _, err := Read(t.Context(), absent); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}

// An archive of little that unpacks to much is read no further than the bound, and reading it can be interrupted.
func TestZipBomb(t *testing.T) {
	const limit = 1 << 20
	path := filepath.Join(t.TempDir(), "v.zip")
	if err := os.WriteFile(path, zipped(t, "v.txt", strings.Repeat("a 0.1 0.1\n", 4*limit)), 0o600); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Size() > limit/10 {
		t.Fatalf("no bomb: %v, %v", info.Size(), err)
	}
	if got, err := readAll(t.Context(), path, limit); got != nil || !errors.Is(err, bounded.ErrTooLarge) || !strings.Contains(err.Error(), path+": holds more than 1.0 MB") {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Read(ctx, path); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
