package npy

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func roundTrip[T Element](t *testing.T, shape []int, data []T) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.npy")
	if err := Write(path, shape, data); err != nil {
		t.Fatal(err)
	}
	gotShape, got, err := Read[T](path)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(gotShape, shape) || !slices.Equal(got, data) {
		t.Errorf("read %v %v, wrote %v %v", gotShape, got, shape, data)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if gotShape, got, err := View[T](raw); err != nil || !slices.Equal(gotShape, shape) || !slices.Equal(got, data) {
		t.Errorf("viewed %v %v, %v, wrote %v %v", gotShape, got, err, shape, data)
	}
	h, err := readHeader(bytes.NewReader(raw))
	if err != nil || h.length%64 != 0 {
		t.Errorf("elements start at byte %d (%v), expected a multiple of 64", h.length, err)
	}
}

func TestRoundTrip(t *testing.T) {
	roundTrip(t, []int{2, 3}, []float32{1, 2, 3, -4, float32(math.Inf(1)), math.SmallestNonzeroFloat32})
	roundTrip(t, []int{4}, []float64{1, -2, 1e300, math.Pi})
	roundTrip(t, []int{2, 1, 2}, []int32{math.MinInt32, math.MaxInt32, 0, 1})
	roundTrip(t, []int{2}, []int64{math.MinInt64, math.MaxInt64})
	roundTrip(t, []int{0, 5}, []float32{})
	roundTrip(t, []int{}, []float64{7})
	long := make([]float32, 100003)
	for i := range long {
		long[i] = float32(i)
	}
	roundTrip(t, []int{len(long)}, long)
}

// The bytes numpy 2.4 writes for numpy.save(f, numpy.array([[1, 2], [3, 4]], '<i4')).
func TestBytesOfNumpy(t *testing.T) {
	want := append([]byte("\x93NUMPY\x01\x00v\x00{'descr': '<i4', 'fortran_order': False, 'shape': (2, 2), }"),
		bytes.Repeat([]byte(" "), 58)...)
	want = append(want, "\n\x01\x00\x00\x00\x02\x00\x00\x00\x03\x00\x00\x00\x04\x00\x00\x00"...)
	path := filepath.Join(t.TempDir(), "a.npy")
	if err := Write(path, []int{2, 2}, []int32{1, 2, 3, 4}); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("wrote\n%q, numpy writes\n%q", got, want)
	}
}

func write(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.npy")
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// file puts together a file of the given version and header text.
func file(version byte, text, data string) string {
	length := []byte{byte(len(text)), byte(len(text) >> 8)}
	if version > 1 {
		length = append(length, 0, 0)
	}
	return magic + string([]byte{version, 0}) + string(length) + text + data
}

func TestOtherWritersHeaders(t *testing.T) {
	for _, content := range []string{
		file(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", "\x00\x00\x80\x3f\x00\x00\x00\x40"),
		file(1, "{\"shape\": (2, ), \"fortran_order\": False, \"descr\": \"<f4\"}\n", "\x00\x00\x80\x3f\x00\x00\x00\x40"),
		file(2, "{'descr':'<f4','fortran_order':False,'shape':(2,),} ", "\x00\x00\x80\x3f\x00\x00\x00\x40"),
		file(1, "{u'descr': u'<f4', 'fortran_order': False, 'shape': (2L,), }", "\x00\x00\x80\x3f\x00\x00\x00\x40"), // Python 2
		file(3, " { 'fortran_order' :False , 'shape':( 2 , ) ,'descr':'<f4' , }\n", "\x00\x00\x80\x3f\x00\x00\x00\x40"),
	} {
		path := write(t, content)
		shape, data, err := Read[float32](path)
		if err != nil || !slices.Equal(shape, []int{2}) || !slices.Equal(data, []float32{1, 2}) {
			t.Errorf("%q: %v %v %v", content, shape, data, err)
		}
		// Some of these put the elements at odd places, from where a view copies them.
		if _, data, err := View[float32]([]byte(content)); err != nil || !slices.Equal(data, []float32{1, 2}) {
			t.Errorf("%q: viewed %v, %v", content, data, err)
		}
	}
}

func TestErrors(t *testing.T) {
	header := func(descr, order, shape string) string {
		return fmt.Sprintf("{'descr': %s, 'fortran_order': %s, 'shape': %s, }\n", descr, order, shape)
	}
	for want, content := range map[string]string{
		"not a .npy file":                       "word count\n",
		"does not start with":                   "",
		"format version 9.0":                    file(9, header("'<f4'", "False", "(1,)"), "abcd"),
		"ends within its header":                file(1, header("'<f4'", "False", "(1,)"), "")[:40],
		"a header of 20000 bytes":               file(1, strings.Repeat(" ", 20000), ""),
		"in Fortran order":                      file(1, header("'<f4'", "True", "(2, 2)"), strings.Repeat("x", 16)),
		"big-endian ('>f4')":                    file(1, header("'>f4'", "False", "(1,)"), "abcd"),
		"elements of the type '|b1'":            file(1, header("'|b1'", "False", "(4,)"), "abcd"),
		"elements of the type '<f2'":            file(1, header("'<f2'", "False", "(2,)"), "abcd"),
		"records with named fields":             file(1, header("[('x', '<f4')]", "False", "(1,)"), "abcd"),
		"holds float64 ('<f8'), expected float": file(1, header("'<f8'", "False", "(1,)"), "abcdefgh"),
		"is cut short: 75 bytes, expected 76":   file(1, header("'<f4'", "False", "(2,)"), "abcdefg"),
		"is too long":                           file(1, header("'<f4'", "False", "(1,)"), "abcde"),
		"more elements than memory can hold":    file(1, header("'<f4'", "False", "(4294967296, 4294967296)"), ""),
		"beyond what memory can hold":           file(1, header("'<f4'", "False", "(99999999999999999999,)"), ""),
		"is cut short: 8":                       file(1, header("'<f4'", "False", "(4611686018427,)"), "abcd"),
		"descr twice":                           file(1, "{'descr': '<f4', 'descr': '<f8'}", ""),
	} {
		path := write(t, content)
		_, _, err := Read[float32](path)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "npy: "+path) {
			t.Errorf("Read: %v, want an error with %q", err, want)
		}
		if _, data, err := View[float32]([]byte(content)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("View: %v %v, want an error with %q", data, err, want)
		}
	}
	for _, text := range []string{
		header("'<f4'", "False", "(-1,)"), header("'<f4'", "False", "(1)"), header("'<f4'", "False", "(1 2)"),
		header("'<f4'", "0", "(1,)"), header("'<f4'", "'<f4'", "(1,)"), header("'<f4'", "False", "False"), "{'order': 1}",
		"{'descr': '<f4', 'fortran_order': False}", header("'<f4'", "False", "(1,)") + "x", "{descr: 1}", "", "{", "}", "{}",
	} {
		_, _, err := View[float32]([]byte(file(1, text, "abcd")))
		if err == nil || !strings.Contains(err.Error(), "expected the keys descr, fortran_order and shape") {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, _, err := Read[float32](filepath.Join(t.TempDir(), "absent.npy")); !os.IsNotExist(unwrap(err)) {
		t.Error(err)
	}
	if _, _, err := Read[float32](t.TempDir()); err == nil || !strings.Contains(err.Error(), "folder") {
		t.Error(err)
	}
}

func unwrap(err error) error {
	for {
		u, ok := err.(interface{ Unwrap() error })
		if !ok {
			return err
		}
		if os.IsNotExist(err) {
			return err
		}
		err = u.Unwrap()
	}
}

func TestConversion(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.npy")
	check := func() {
		t.Helper()
		shape, f4, err := ReadFloats[float32](path)
		if err != nil || !slices.Equal(f4, []float32{1, -2, 3}) || !slices.Equal(shape, []int{3}) {
			t.Errorf("%v %v %v", shape, f4, err)
		}
		shape, f8, err := ReadFloats[float64](path)
		if err != nil || !slices.Equal(f8, []float64{1, -2, 3}) || !slices.Equal(shape, []int{3}) {
			t.Errorf("%v %v %v", shape, f8, err)
		}
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(Write(path, []int{3}, []float32{1, -2, 3}))
	check()
	must(Write(path, []int{3}, []float64{1, -2, 3}))
	check()
	must(Write(path, []int{3}, []int32{1, -2, 3}))
	check()
	must(Write(path, []int{3}, []int64{1, -2, 3}))
	check()

	long := make([]float64, 10000)
	long[9000] = 1e39
	must(Write(path, []int{100, 100}, long))
	if _, f8, err := ReadFloats[float64](path); err != nil || f8[9000] != 1e39 {
		t.Error(err)
	}
	if _, _, err := ReadFloats[float32](path); err == nil || !strings.Contains(err.Error(), "element 9000 is 1e+39") {
		t.Error(err)
	}
	long[9000] = math.Inf(-1)
	must(Write(path, []int{100, 100}, long))
	if _, f4, err := ReadFloats[float32](path); err != nil || !math.IsInf(float64(f4[9000]), -1) {
		t.Error(err)
	}
}

// A failed Write leaves the old file and no other.
func TestWriteFails(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.npy")
	if err := os.Mkdir(path, 0o777); err != nil { // cannot be renamed over
		t.Fatal(err)
	}
	if err := Write(path, []int{1}, []float32{1}); err == nil {
		t.Error("wrote over a folder")
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("%v left behind (%v)", entries, err)
	}
	if err := Write(filepath.Join(dir, "absent", "a.npy"), []int{1}, []float32{1}); err == nil {
		t.Error("wrote into an absent folder")
	}
	for _, shape := range [][]int{{2}, {-1}, {-1, -1}, {math.MaxInt, 2}} {
		func() {
			defer func() {
				if r := recover(); r == nil || !strings.HasPrefix(fmt.Sprint(r), "npy: ") {
					t.Errorf("shape %v: panic %v", shape, r)
				}
			}()
			Write(filepath.Join(dir, "b.npy"), shape, []float32{1})
		}()
	}
}

func TestSwap(t *testing.T) {
	b := []byte{1, 2, 3, 4, 5, 6, 7, 8}
	swap(b, 4)
	if !bytes.Equal(b, []byte{4, 3, 2, 1, 8, 7, 6, 5}) {
		t.Error(b)
	}
}

// Whatever a header says, reading it neither panics nor asks for memory the file
// does not justify, and what is accepted can be written and read again.
func FuzzHeader(f *testing.F) {
	f.Add([]byte(file(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n", "")))
	f.Add([]byte(file(2, "{'descr': '<i8', 'fortran_order': False, 'shape': (), }\n", "")))
	f.Add([]byte(file(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 99999999999), }\n", "")))
	f.Add([]byte(file(1, "{'descr': [('x', '<f4')], 'fortran_order': True, 'shape': (2), }\n", "")))
	f.Add([]byte(file(1, "{u'descr': u'<i4', 'fortran_order': False, 'shape': (3L, 3L), }\n", "")))
	f.Add([]byte(magic))
	f.Fuzz(func(t *testing.T, content []byte) {
		h, err := readHeader(bytes.NewReader(content))
		if err != nil {
			return
		}
		if h.count < 0 || h.count*h.size() < 0 || h.length > len(content) {
			t.Fatalf("%q: %+v", content, h)
		}
		if len(h.shape) > 1000 {
			return
		}
		again, err := readHeader(bytes.NewReader(formatHeader(h.descr, h.shape)))
		if err != nil || again.descr != h.descr || again.count != h.count || !slices.Equal(again.shape, h.shape) {
			t.Fatalf("%+v became %+v (%v)", h, again, err)
		}
	})
}
