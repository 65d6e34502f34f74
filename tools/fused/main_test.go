package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What the compiler fuses is found, with its place; a converted product and math.FMA are not.
func TestFusedPlacesAreFound(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for name, text := range map[string]string{
		"go.mod": "module x\n\ngo 1.26\n",
		"x.go": `package x

import "math"

func Fused(x, y, z float64) float64 { return x*y + z }

func Half(x, z float32) float32 { return z - x/2 }

func Kept(x, y, z float64) float64 { return float64(x*y) + z }

func Meant(x, y, z float64) float64 { return math.FMA(x, y, z) }
`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	root, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	listing, err := compile([]string{"./..."})
	if err != nil {
		t.Fatal(err)
	}
	places, err := find(listing, root+"/")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"x.go:5: func Fused(x, y, z float64) float64 { return x*y + z }",
		"x.go:7: func Half(x, z float32) float32 { return z - x/2 }",
	}
	if !slices.Equal(places, want) {
		t.Errorf("places\n%s\nwant\n%s", strings.Join(places, "\n"), strings.Join(want, "\n"))
	}
}
