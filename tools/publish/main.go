// Command publish gives the repository's modules another path: it rewrites the module lines,
// all imports (of every platform and build tag), the notebooks' and the documents' mentions of
// packages, and the README's words on how to get the library.
//
//	go -C tools run ./publish host/owner/name
//
// It can be run again, with another path.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/format"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "publish: name the new path: make publish-as MODULE=host/owner/name")
		os.Exit(2)
	}
	changed, err := publish("..", os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "publish:", err)
		os.Exit(1)
	}
	fmt.Printf("%d files name %s now; look at them with git diff, and run make test\n", changed, os.Args[1])
}

// publish gives the modules in root and root/tools the path module, and returns how many
// files it has changed. Nothing is changed if the path cannot be one.
func publish(root, module string) (changed int, err error) {
	if host, _, _ := strings.Cut(module, "/"); !strings.Contains(host, ".") {
		return 0, fmt.Errorf("%q begins with no host: expected host/owner/name, as in example.org/someone/mover",
			module)
	}
	old, err := goTool(root, "list", "-m")
	if err != nil {
		return 0, err
	}
	// It knows what a path may consist of.
	if _, err := goTool(root, "mod", "edit", "-module="+module); err != nil {
		return 0, err
	}
	// What stands before a folder of the repository, and is not the end of a longer path.
	folders, err := packageFolders(root)
	if err != nil {
		return 0, err
	}
	path := regexp.MustCompile(`(^|[^\w./-])` + regexp.QuoteMeta(old) + `/(` + strings.Join(folders, "|") + `)\b`)
	bareModule := regexp.MustCompile(`(?m)^((?:require|replace) )` + regexp.QuoteMeta(old) + `( )`)
	unpublished := regexp.MustCompile(`(?s)<!-- unpublished -->.*?<!-- /unpublished -->`)
	changed = 1 // go.mod
	err = filepath.WalkDir(root, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() {
			if base := e.Name(); name != root && (base == "bin" || base == ".git") {
				return filepath.SkipDir
			}
			return nil
		}
		if !e.Type().IsRegular() {
			return nil
		}
		before, err := os.ReadFile(name)
		if err != nil || bytes.IndexByte(before, 0) >= 0 { // no text
			return err
		}
		after := path.ReplaceAll(before, []byte("${1}"+module+"/${2}"))
		if filepath.Base(name) == "go.mod" { // of the example, which names the module without a package
			after = bareModule.ReplaceAll(after, []byte("${1}"+module+"${2}"))
		}
		if filepath.Base(name) == "README.md" {
			after = unpublished.ReplaceAll(after,
				[]byte("    go get "+module+"/cmdlib                         # the library\n"+
					"    go install "+module+"/experiments/repro@latest   # the program"))
		}
		if bytes.Equal(before, after) {
			return nil
		}
		if filepath.Ext(name) == ".go" {
			if after, err = format.Source(after); err != nil { // the order of imports
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		changed++
		return os.WriteFile(name, after, 0o666)
	})
	return changed, err
}

// packageFolders returns the folders of root that a package's path can go on with.
func packageFolders(root string) ([]string, error) {
	entries, err := os.ReadDir(root)
	var folders []string
	for _, e := range entries {
		if e.IsDir() && e.Name()[0] != '.' && e.Name() != "bin" {
			folders = append(folders, regexp.QuoteMeta(e.Name()))
		}
	}
	return folders, err
}

// goTool returns what go prints in a folder.
func goTool(dir string, args ...string) (string, error) {
	c := exec.Command("go", args...)
	c.Dir = dir
	out, err := c.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = errors.New(strings.TrimSpace(string(exit.Stderr)))
	}
	return strings.TrimSpace(string(out)), err
}
