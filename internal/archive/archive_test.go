package archive

import (
	"bytes"
	"errors"
	"io"
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

// FuzzZip reads from any bytes: whatever an archive says of itself, no more is read than was asked for, and the
// text is what it is outside of the archive.
func FuzzZip(f *testing.F) {
	f.Add(zipped(f, "a", "x 1 2\n"), "")
	f.Add(zipped(f, "a", "x 1 2\n", "b", "y 1\n"), "b")
	f.Add(zipped(f), "a")
	f.Add([]byte("PK\x05\x06"), "")
	f.Fuzz(func(t *testing.T, content []byte, name string) {
		z, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
		if err != nil {
			return
		}
		r, err := openMember(z, "v.zip", name)
		if err != nil {
			return
		}
		defer r.Close()
		const limit = 1 << 16
		text, err := bounded.ReadAll(member{ReadCloser: r, archive: "v.zip"}, int64(len(content)), limit)
		if len(text) > limit || err != nil && !errors.Is(err, bounded.ErrTooLarge) && !strings.Contains(err.Error(), "v.zip: damaged zip archive") {
			t.Fatalf("%d bytes, error %v", len(text), err)
		}
		if again := zipped(t, "v", string(text)); err == nil && len(text) > 0 {
			z, err := zip.NewReader(bytes.NewReader(again), int64(len(again)))
			if err != nil {
				t.Fatal(err)
			}
			r, err := openMember(z, "v.zip", "v")
			if err != nil {
				t.Fatal(err)
			}
			if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, text) {
				t.Fatalf("%q, error %v, want %q", got, err, text)
			}
		}
	})
}
