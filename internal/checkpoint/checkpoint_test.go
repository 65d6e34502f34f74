package checkpoint

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

type settings struct {
	Name  string `json:"name"`
	Count int    `json:"count,omitempty"`
}

// What was written is read, with the key of its content; any byte that is another, or missing, or behind it, is damage.
func TestManifest(t *testing.T) {
	path := filepath.Join(t.TempDir(), "manifest.json")
	var got settings
	if _, err := ReadManifest(path, &got); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nothing is there: %v", err)
	}
	want := settings{"a \"checksum\": \"0\"\n}", 12}
	if err := WriteManifest(path, want); err != nil {
		t.Fatal(err)
	}
	key, err := ReadManifest(path, &got)
	if err != nil || got != want {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	damaged := func(what string, content []byte) {
		t.Helper()
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
		var d *DamagedError
		if _, err := ReadManifest(path, new(settings)); !errors.As(err, &d) || d.Path != path {
			t.Errorf("%s: %v", what, err)
		}
	}
	for at := range content {
		for bit := range 8 {
			changed := bytes.Clone(content)
			changed[at] ^= 1 << bit
			damaged(fmt.Sprintf("byte %d, bit %d", at, bit), changed)
		}
		damaged(fmt.Sprintf("cut to %d bytes", at), content[:at])
	}
	damaged("more behind", append(bytes.Clone(content), '\n'))
	damaged("a field that there is not, under the right checksum", Seal([]byte("{\n\t\"nam\": \"a\"\n}")))
	want.Count++
	if err := WriteManifest(path, want); err != nil {
		t.Fatal(err)
	}
	if other, err := ReadManifest(path, &got); err != nil || other == key {
		t.Errorf("another content has the same key, or %v", err)
	}
}

// Damaged files of a stamp are named, each by what is wrong with it.
func TestStamp(t *testing.T) {
	dir := t.TempDir()
	place := Place[string]{Stamp: filepath.Join(dir, "stamp"), Dir: filepath.Join(dir, "made"), Key: KeyOf("%d", 1)}
	a, b := filepath.Join(place.Dir, "a"), filepath.Join(place.Dir, "b")
	fill := func() {
		t.Helper()
		err := errors.Join(os.MkdirAll(place.Dir, 0o777),
			os.WriteFile(a, []byte("one"), 0o666), os.WriteFile(b, []byte("two"), 0o666))
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := place.Open(t.Context()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no stamp: %v", err)
	}
	fill()
	made, err := place.Write(t.Context(), "more", "a", "b")
	if err != nil {
		t.Fatal(err)
	}
	there, err := place.Open(t.Context())
	if err != nil || fmt.Sprint(there) != fmt.Sprint(made) || there.Result != "more" || there.Files["b"].Bytes != 3 {
		t.Errorf("%+v, %v, want %+v", there, err, made)
	}
	for _, c := range []struct {
		damage func() error
		path   string
		what   string
	}{
		{func() error { return os.Truncate(b, 2) }, b, "2 bytes, expected 3"},
		{func() error { return os.WriteFile(a, []byte("onE"), 0o666) }, a, "checksum"},
		{func() error { return os.Remove(b) }, b, "not there"},
		{func() error { place.Key = KeyOf("%d", 2); return nil }, place.Stamp, "something else"},
	} {
		fill()
		if err := c.damage(); err != nil {
			t.Fatal(err)
		}
		var d *DamagedError
		_, err := place.Open(t.Context())
		if !errors.As(err, &d) || d.Path != c.path || !strings.Contains(d.What, c.what) {
			t.Errorf("%v, want %q of %s", err, c.what, c.path)
		}
	}
}

// A step makes what is absent or damaged and nothing else; a file that
// it reads is made anew once, and one that it does not know never.
func TestStep(t *testing.T) {
	var log []string
	opens, makes := error(nil), []error{nil}
	s := Step[int]{
		Tell: func(d *DamagedError) { log = append(log, "tell "+d.Path) },
		Open: func(context.Context) (int, error) { return 1, opens },
		Make: func(context.Context) (int, error) {
			log = append(log, "make")
			err := makes[0]
			makes = makes[1:]
			return 2, err
		},
		Remake: func(_ context.Context, d *DamagedError) error {
			log = append(log, "remake "+d.Path)
			if d.Path == "unknown" {
				return d
			}
			return nil
		},
	}
	bad := func(path string) error { return fmt.Errorf("so: %w", &DamagedError{Path: path}) }
	absent := fmt.Errorf("so: %w", fs.ErrNotExist)
	for name, c := range map[string]struct {
		opens error
		makes []error
		value int
		fails bool
		log   string
	}{
		"there":             {nil, nil, 1, false, ""},
		"absent":            {absent, []error{nil}, 2, false, "make"},
		"damaged":           {bad("it"), []error{nil}, 2, false, "tell it,make"},
		"cannot be opened":  {errors.New("no"), nil, 1, true, ""},
		"cannot be made":    {absent, []error{errors.New("no")}, 2, true, "make"},
		"reads damaged":     {absent, []error{bad("a"), bad("b"), nil}, 2, false, "make,remake a,make,remake b,make"},
		"is damaged again":  {absent, []error{bad("a"), bad("a")}, 2, true, "make,remake a,make"},
		"reads the unknown": {absent, []error{bad("unknown")}, 2, true, "make,remake unknown"},
	} {
		log, opens, makes = nil, c.opens, c.makes
		value, made, err := s.Get(t.Context())
		did := strings.Join(log, ",")
		if (err != nil) != c.fails || value != c.value || made != (value == 2 && !c.fails) || did != c.log {
			t.Errorf("%s: %d, made %t, %v, %q", name, value, made, err, did)
		}
	}
}

// The same plan stays; another one, and a damaged one, is an error, and the folders are there.
func TestPlan(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "job")
	plan := settings{"a", 1}
	fine := func() error { return nil }
	if _, err := ReadPlan(dir, "plan.json", &plan, fine); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no plan: %v", err)
	}
	for range 2 {
		if err := WritePlan(dir, "plan.json", plan, "some"); err != nil {
			t.Fatal(err)
		}
	}
	if info, err := os.Stat(filepath.Join(dir, "some")); err != nil || !info.IsDir() {
		t.Error(err)
	}
	says := func(err error, what string) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%v, want %q", err, what)
		}
	}
	says(WritePlan(dir, "plan.json", settings{"b", 1}), "another job")
	_, err := ReadPlan(dir, "plan.json", &plan, func() error { return errors.New("refused") })
	says(err, "refused: remove that file")
	if err := os.Truncate(filepath.Join(dir, "plan.json"), 9); err != nil {
		t.Fatal(err)
	}
	_, err = ReadPlan(dir, "plan.json", &plan, fine)
	says(err, "remove that file")
	says(WritePlan(dir, "plan.json", plan), "remove that file")
}
