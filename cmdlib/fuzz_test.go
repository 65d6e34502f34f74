package cmdlib

import (
	"archive/zip"
	"bytes"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"contextmover/cmdlib/internal/npz"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/reference"
)

// Whatever the file of a space holds, whole or packed, it opens as what it says it is, or not at all, and takes no
// more memory than its size justifies. With a member's name the data are its content, with the right checksum; without
// one they are the file.
func FuzzOpen(f *testing.F) {
	s, c := explained(f)
	var files [2]map[string][]byte // the members of a whole space and of a packed one
	for i, write := range []func(path string) error{
		func(path string) error { return Write(f.Context(), path, c) },
		func(path string) error { return s.Pack(f.Context(), path, Packing{}) },
	} {
		path := filepath.Join(f.TempDir(), "space")
		if err := write(path); err != nil {
			f.Fatal(err)
		}
		whole, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(whole, "", i == 1)
		f.Add(whole[:len(whole)/2], "", i == 1)
		from, err := npz.Read(whole, "a space")
		if err != nil {
			f.Fatal(err)
		}
		files[i] = make(map[string][]byte)
		for _, name := range from.Names() {
			content, err := from.Bytes(name)
			if err != nil {
				f.Fatal(err)
			}
			files[i][name] = content
			f.Add(content, name, i == 1)
			f.Add(content[:len(content)/2], name, i == 1)
			for _, edit := range [][2]string{
				{`"words": 60`, `"words": 9223372036854775807`}, {`"bins": 20`, `"bins": 9223372036854775807`},
				{`"dim": 3`, `"dim": -1`}, {`"tokens": `, `"tokens": -`}, {`"distances": [`, `"distances": [1,`},
				{`"estimated": 60`, `"estimated": 59`}, {"(60, ", "(61, "}, {"'<i4'", "'<f4'"},
			} {
				if text := string(content); strings.Contains(text, edit[0]) {
					f.Add([]byte(strings.Replace(text, edit[0], edit[1], 1)), name, i == 1)
				}
			}
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, member string, packed bool) {
		if member != "" {
			members := files[0]
			if packed {
				members = files[1]
			}
			var file bytes.Buffer
			z := zip.NewWriter(&file)
			for name, content := range members {
				if name == member {
					content = data
				}
				w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
				if err == nil {
					_, err = w.Write(content)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			if err := z.Close(); err != nil {
				t.Fatal(err)
			}
			data = file.Bytes()
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		s, err := OpenBytes(data, reference.New())
		var h ot.Histograms
		if err == nil {
			defer s.Close()
			h, err = s.Histograms()
		}
		runtime.ReadMemStats(&after)
		if took, most := after.TotalAlloc-before.TotalAlloc, uint64(256<<20+64*len(data)); took > most {
			t.Fatalf("%d bytes took %d of memory", len(data), took)
		}
		if err != nil {
			if !strings.HasPrefix(err.Error(), "cmdlib: ") {
				t.Fatalf("error %q", err)
			}
			return
		}
		n, k := len(s.Words), s.Cost.K
		if n == 0 || len(s.Counts) != n || len(h.Data) != n*k || len(s.Centroids) != k*s.Dim || len(s.Cost.Data) != k*k {
			t.Fatalf("%d words, %d counts, %d bins, %d dimensions", n, len(s.Counts), k, s.Dim)
		}
		for i, w := range s.Words {
			if id, ok := s.ID(w); !ok || int(id) != i {
				t.Fatalf("word %d, %q, is found at %d, %t", i, w, id, ok)
			}
		}
		if packed { // else histograms are not looked at
			for i := range n {
				sum := float32(0)
				for _, x := range h.Row(i) {
					sum += x
				}
				if sum != 0 && !(math.Abs(float64(sum)-1) < 1e-3) {
					t.Fatalf("the histogram of %q sums to %v", s.Words[i], sum)
				}
				if _, err := s.sources(int32(i), 0); err != nil {
					t.Fatal(err)
				}
			}
			if v, err := encoded32(t.Context(), s, []string{"elephant wrod1"}); err == nil && (len(v) != s.Dim || v[0] != v[0]) {
				t.Fatalf("the vector %v", v)
			}
		}
		s.Name(0, 2)
		s.similar("wrod1", 3)
	})
}
