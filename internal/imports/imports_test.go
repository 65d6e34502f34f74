// Package imports holds the project to its plan: which way imports go,
// what the library exports, how long lines and lists of parameters are.
package imports

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const root = "../.."

// Each folder's packages may import those of the folders behind it, and of no other. The longest folder that has a
// package decides: inside experiments, the front (repro, display, explore, notebook) imports judge, judge imports paper
// and beyond, these import harness, and harness imports show. Nothing in paper knows what goes beyond it.
var directions = map[string][]string{
	"internal":            {"internal"},
	"cmdlib":              {"cmdlib", "internal"},
	"cuda":                {"cuda", "cmdlib/ot", "internal"},
	"experiments":         {"experiments", "cuda", "cmdlib", "internal"},
	"experiments/judge":   {"experiments/judge", "experiments/paper", "experiments/beyond", "experiments/harness", "experiments/show", "cmdlib", "internal"},
	"experiments/beyond":  {"experiments/beyond", "experiments/paper", "experiments/harness", "experiments/show", "cmdlib", "internal"},
	"experiments/paper":   {"experiments/paper", "experiments/harness", "experiments/show", "cmdlib", "internal"},
	"experiments/harness": {"experiments/harness", "experiments/show", "cuda", "cmdlib", "internal"},
	"experiments/show":    {"experiments/show", "cmdlib", "internal"},
	"bench":               {"bench", "experiments", "cuda", "cmdlib", "internal"},
	"notebooks":           {"experiments"},
}

// importPackage is what go list says of a package.
type importPackage struct {
	Dir, ImportPath                                                      string
	GoFiles, CgoFiles, IgnoredGoFiles, SFiles, IgnoredOtherFiles, HFiles []string
	Imports, TestImports, XTestImports                                   []string
	Module                                                               struct{ Path string }
}

func list(t *testing.T) (packages []importPackage) {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=Dir,ImportPath,GoFiles,CgoFiles,IgnoredGoFiles,SFiles,IgnoredOtherFiles,HFiles,Imports,TestImports,XTestImports,Module", "./...")
	cmd.Dir = root
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for d := json.NewDecoder(bytes.NewReader(text)); ; {
		var p importPackage
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
	if len(packages) < 20 {
		t.Fatalf("%d packages: this is not the whole project", len(packages))
	}
	return packages
}

// in tells whether a path is a folder or lies in it.
func in(path, folder string) bool { return path == folder || strings.HasPrefix(path, folder+"/") }

func TestDirectionOfImports(t *testing.T) {
	allowed := func(from, to string) bool {
		room := from
		for directions[room] == nil {
			parent := path.Dir(room)
			if parent == room {
				return false
			}
			room = parent
		}
		return slices.ContainsFunc(directions[room], func(f string) bool { return in(to, f) })
	}
	var module string
	for _, p := range list(t) {
		module = p.Module.Path + "/"
		from := strings.TrimPrefix(p.ImportPath, module)
		check := func(imports []string, tests bool) {
			for _, to := range imports {
				to, ours := strings.CutPrefix(to, module)
				recorded := tests && to == "experiments/judge/verdict" // a test may look at the recorded run
				if ours && !recorded && !allowed(from, to) {
					t.Errorf("%s imports %s", from, to)
				}
			}
		}
		check(p.Imports, false)
		check(slices.Concat(p.TestImports, p.XTestImports), true)
	}
	notebooks, err := filepath.Glob(filepath.Join(root, "notebooks", "*.ipynb"))
	if err != nil || len(notebooks) == 0 {
		t.Fatalf("%d notebooks, %v", len(notebooks), err)
	}
	imports := regexp.MustCompile(`\\"` + regexp.QuoteMeta(module) + `([\w/.-]+)\\"`)
	for _, notebook := range notebooks {
		text, err := os.ReadFile(notebook)
		if err != nil {
			t.Fatal(err)
		}
		found := imports.FindAllSubmatch(text, -1)
		if len(found) == 0 {
			t.Errorf("%s imports nothing of the project", notebook)
		}
		for _, m := range found {
			if to := string(m[1]); !allowed("notebooks", to) {
				t.Errorf("%s imports %s", notebook, to)
			}
		}
	}
}

var functions = regexp.MustCompile(`\bmath\.(Exp2|Exp|Expm1|Log|Log2|Log10|Log1p|Pow|Asin|Asinh|Hypot)\b`)

// What reaches a result takes logarithms and the like from internal/elementary, since math's have other bits on arm64.
func TestElementaryFunctions(t *testing.T) {
	for _, p := range list(t) {
		folder := strings.TrimPrefix(p.ImportPath, p.Module.Path+"/")
		drawn := in(folder, "experiments/show/figure") || in(folder, "experiments/show/render") || in(folder, "experiments/judge/report")
		if !in(folder, "cmdlib") && !in(folder, "experiments") || drawn || in(folder, "cmdlib/ot/ottest") {
			continue
		}
		for _, name := range p.GoFiles {
			text, err := os.ReadFile(filepath.Join(p.Dir, name))
			if err != nil {
				t.Fatal(err)
			}
			for i, line := range strings.Split(string(text), "\n") {
				if call := functions.FindString(line); call != "" {
					t.Errorf("%s/%s:%d: %s, expected that of internal/elementary", folder, name, i+1, call)
				}
			}
		}
	}
}

var writes = regexp.MustCompile(`\bos\.(Create|CreateTemp|Link|Mkdir|MkdirAll|MkdirTemp|OpenFile|Remove|RemoveAll|Rename|Symlink|Truncate|WriteFile)\(`)

// The product writes through internal/disk alone, so that the tests that let the disk fail see every operation.
func TestWritesGoThroughDisk(t *testing.T) {
	forbid(t, writes, "the function of internal/disk", "internal/disk", "bench", "cuda/dev")
}

// Experiments see pairs as pipeline.Workspace.PairLines reads them: with a gold score each, and none that the settings
// were chosen on. Only commands on files of the user's own read any pairs.
func TestPairsGoThroughPipeline(t *testing.T) {
	forbid(t, regexp.MustCompile(`\bdataset\.ReadPairs\(`), "pipeline.Workspace.PairLines",
		"experiments/harness/pipeline", "experiments/repro/ask", "experiments/repro/batch", "bench")
}

// forbid reports each line that calls what the pattern matches, outside some folders.
func forbid(t *testing.T, calls *regexp.Regexp, expected string, except ...string) {
	t.Helper()
	for _, p := range list(t) {
		folder := strings.TrimPrefix(p.ImportPath, p.Module.Path+"/")
		if slices.ContainsFunc(except, func(e string) bool { return in(folder, e) }) {
			continue
		}
		for _, name := range p.GoFiles {
			text, err := os.ReadFile(filepath.Join(p.Dir, name))
			if err != nil {
				t.Fatal(err)
			}
			for i, line := range strings.Split(string(text), "\n") {
				if call := calls.FindString(line); call != "" {
					t.Errorf("%s/%s:%d: %s…), expected %s", folder, name, i+1, call, expected)
				}
			}
		}
	}
}
