// Command licences finds the licence of every module that the packages of the folder
// above, or of the module scale in it, are built or tested with, on any system that they
// are for. It fails where a module has none, or one that the list allowed.txt has not.
//
//	go -C tools run ./licences
//	go -C tools run ./licences notices
//
// With the word notices it prints the texts that must go with a released program.
package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

//go:embed allowed.txt
var allowedText string

func main() {
	do := check
	if len(os.Args) == 2 && os.Args[1] == "notices" {
		do = notices
	}
	if err := do(os.Stdout, ".."); err != nil {
		fmt.Fprintln(os.Stderr, "licences:", err)
		os.Exit(1)
	}
}

func check(out io.Writer, root string) error {
	folders := map[string]string{} // of modules
	for _, system := range []string{"linux", "darwin", "windows"} {
		for _, dir := range []string{root, filepath.Join(root, "scale")} {
			packages, err := list(dir, []string{"GOOS=" + system, "CGO_ENABLED=1"}, "-test", "-tags", "cuda", "./...")
			if err != nil {
				return err
			}
			for _, p := range packages {
				folders[p.module()] = p.Module.Dir
			}
		}
	}
	if len(folders) == 0 {
		return errors.New("no dependencies were found: run it in the folder tools")
	}
	allowed := strings.Fields(allowedText)
	var problems []error
	for _, module := range slices.Sorted(maps.Keys(folders)) {
		name, _, _ := strings.Cut(module, " ")
		found, err := licence(folders[module], chosen[name], allowed)
		if err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", module, err))
			continue
		}
		fmt.Fprintf(out, "%s\t%s\n", module, found)
	}
	return errors.Join(problems...)
}

// A pkg is a package of another module.
type pkg struct {
	Dir    string
	Module *struct {
		Path, Version, Dir string
		Main               bool
		Replace            *struct{ Path string } // by a folder here
	}
}

// module returns the path and the version of the package's module.
func (p pkg) module() string { return p.Module.Path + " " + p.Module.Version }

// list returns the packages of other modules that those named by args, of the module in root, depend on.
func list(root string, env []string, args ...string) (packages []pkg, err error) {
	cmd := exec.Command("go", append([]string{"list", "-deps", "-json=Dir,Module"}, args...)...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), env...)
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	for d := json.NewDecoder(bytes.NewReader(text)); ; {
		var p pkg
		if err := d.Decode(&p); err == io.EOF {
			return packages, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		if m := p.Module; m != nil && !m.Main && m.Replace == nil {
			packages = append(packages, p)
		}
	}
}

// isLicence reports whether a file says by its name, in lower case, that it is a licence.
func isLicence(name string) bool {
	return strings.HasPrefix(name, "licen") || strings.HasPrefix(name, "copying") ||
		strings.HasPrefix(name, "unlicense")
}

// chosen is the file of the licence that we take of modules that leave the choice, or have several.
var chosen = map[string]string{
	"github.com/golang/freetype":          "licenses/ftl.txt", // or the GPL
	"github.com/opencontainers/go-digest": "LICENSE",          // the other is that of its documents
}

// licence returns the licences of a module: of one of its files, or of all that say so by their name. It is an
// error if one is not allowed.
func licence(dir, file string, allowed []string) (string, error) {
	files := []string{file}
	if file == "" {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return "", err
		}
		files = nil
		for _, e := range entries {
			if !e.IsDir() && isLicence(strings.ToLower(e.Name())) {
				files = append(files, e.Name())
			}
		}
	}
	var found, other []string
	for _, f := range files {
		text, err := os.ReadFile(filepath.Join(dir, f))
		if err != nil {
			return "", err
		}
		for _, m := range licensecheck.Scan(text).Match {
			if slices.Contains(allowed, m.ID) {
				found = append(found, m.ID)
			} else {
				other = append(other, m.ID)
			}
		}
	}
	slices.Sort(found)
	switch {
	case len(other) > 0:
		return "", fmt.Errorf("licence %s, expected one of %s", strings.Join(other, ", "), strings.Join(allowed, ", "))
	case len(found) == 0:
		return "", fmt.Errorf("no licence was recognised in %s", dir)
	}
	return strings.Join(slices.Compact(found), ", "), nil
}
