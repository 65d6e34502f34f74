package vectorasm

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// The kernels of search, singular vectors and pairwise distances are what their generators write.
func TestGenerated(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the generators")
	}
	var generators []string
	for _, folder := range []string{
		"cmdlib/search/internal/*", "cmdlib/embedding/*", "cmdlib/internal/pairwise",
	} {
		pattern := "../../" + folder + "/gen_neon.go"
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %d generators, %v", pattern, len(found), err)
		}
		generators = append(generators, found...)
	}
	for _, generator := range generators {
		folder, dir := filepath.Dir(generator), t.TempDir()
		c := exec.Command("go", "run", "gen_neon.go", dir)
		c.Dir = folder
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", generator, err, out)
		}
		assembly, err := filepath.Glob(filepath.Join(folder, "*_arm64.s"))
		if err != nil || len(assembly) != 1 {
			t.Fatalf("%s: assembly %v, %v", folder, assembly, err)
		}
		want, err := os.ReadFile(filepath.Join(dir, filepath.Base(assembly[0])))
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(assembly[0])
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what gen_neon.go writes: run go generate", assembly[0])
		}
	}
}
