package create

import (
	"path/filepath"
	"strings"
	"testing"

	"contextmover/internal/scratch"
)

// What fits is in memory; what does not is on disk, if passes over it fit and the
// disk has room; else it is refused, with all sizes. A limit stands for what is free.
func TestPlace(t *testing.T) {
	if !scratch.Maps {
		t.Skip("SKIPPED: this system maps no files here")
	}
	takes := takes{memory: 8e9, passes: 2e9, disk: 5e9}
	for _, c := range []struct {
		name              string
		limit, free, disk int64
		known             bool
		onDisk            bool
		want              []string
	}{
		{name: "fits", free: 8e9, known: true},
		{name: "nobody knows", free: 1},
		{name: "passes", free: 7e9, known: true, disk: 5e9, onDisk: true},
		{name: "limit", limit: 3e9, free: 9e9, known: true, disk: 6e9, onDisk: true},
		{name: "tight", free: 1.5e9, known: true, disk: 5e9, onDisk: true},
		{name: "too little memory", free: 9e8, known: true, disk: 5e9, want: []string{"8.0 GB of memory", "2.0 GB if all counts", "900.0 MB are free", "--min-count"}},
		{name: "too little disk", free: 7e9, known: true, disk: 4e9, want: []string{"2.0 GB and 5.0 GB of disk", "4.0 GB are free", "--out"}},
	} {
		dir := ""
		d, err := takes.place(c.limit, filepath.Join("there", "out"), func() (int64, bool) { return c.free, c.known }, func(of string) (int64, bool) {
			dir = of
			return c.disk, true
		})
		if (d != nil) != c.onDisk || (err != nil) != (c.want != nil) {
			t.Errorf("%s: on disk %t, error %v", c.name, d != nil, err)
		}
		for _, want := range c.want {
			if err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q in it", c.name, err, want)
			}
		}
		if (c.onDisk || c.disk == 4e9) && dir != "there" {
			t.Errorf("%s: looked for room in %q", c.name, dir)
		}
	}
}
