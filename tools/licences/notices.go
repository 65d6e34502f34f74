package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// notices writes what must go with a released program of the repository in root: the origin of the built-in space of
// words, and the licences of Go and of each module that is linked for any of the systems released for.
func notices(out io.Writer, root string) error {
	linked := map[string]map[string]bool{} // folders of a module's packages, by its path and version
	for _, system := range []string{"linux", "darwin", "windows"} {
		for _, processor := range []string{"amd64", "arm64"} {
			packages, err := list(root, []string{"GOOS=" + system, "GOARCH=" + processor, "CGO_ENABLED=0"},
				"./experiments/repro")
			if err != nil {
				return err
			}
			for _, p := range packages {
				if linked[p.module()] == nil {
					linked[p.module()] = map[string]bool{}
				}
				for dir := p.Dir; ; dir = filepath.Dir(dir) { // what is copied from elsewhere has its licence beside it
					linked[p.module()][dir] = true
					if len(dir) <= len(p.Module.Dir) {
						break
					}
				}
			}
		}
	}
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("go env: %w", err)
	}
	w := &noticeWriter{out: out}
	w.line("Notices of what the program repro is made of. Its own licence is in the file LICENSE.")
	w.part("Built-in space of English words", "", filepath.Join(root, "cmdlib", "english", "README.md"))
	w.part("Go: standard library and runtime", "", filepath.Join(strings.TrimSpace(string(goroot)), "LICENSE"))
	for _, module := range slices.Sorted(maps.Keys(linked)) {
		var files []string
		for dir := range linked[module] {
			more, err := licenceFiles(dir)
			if err != nil {
				return err
			}
			files = append(files, more...)
		}
		if len(files) == 0 {
			return fmt.Errorf("%s: no file has its licence", module)
		}
		dir := slices.MinFunc(slices.Collect(maps.Keys(linked[module])), func(a, b string) int {
			return len(a) - len(b)
		})
		name, _, _ := strings.Cut(module, " ")
		if file := chosen[name]; file != "" {
			files = []string{filepath.Join(dir, file)}
		}
		slices.Sort(files)
		w.part(module, dir, files...)
	}
	return w.err
}

// licenceFiles returns the files of a folder that say by their name that they are licences or notices, and those
// in folders of licences.
func licenceFiles(dir string) (files []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		path, name := filepath.Join(dir, e.Name()), strings.ToLower(e.Name())
		switch {
		case e.IsDir() && (name == "licenses" || name == "third_party_licenses"):
			err = filepath.WalkDir(path, func(file string, e os.DirEntry, err error) error {
				if err == nil && e.Type().IsRegular() {
					files = append(files, file)
				}
				return err
			})
			if err != nil {
				return nil, err
			}
		case e.Type().IsRegular() && (isLicence(name) || strings.HasPrefix(name, "notice")):
			files = append(files, path)
		}
	}
	return files, nil
}

// noticeWriter keeps the first error.
type noticeWriter struct {
	out io.Writer
	err error
}

func (w *noticeWriter) line(s string) {
	if w.err == nil {
		_, w.err = fmt.Fprintln(w.out, s)
	}
}

// part writes a title, and each file under its name below dir.
func (w *noticeWriter) part(title, dir string, files ...string) {
	w.line("\n" + strings.Repeat("=", 80) + "\n" + title)
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			w.err = err
			return
		}
		w.line(strings.Repeat("-", 80))
		if len(files) > 1 {
			name, err := filepath.Rel(dir, f)
			if err != nil {
				w.err = err
				return
			}
			w.line(filepath.ToSlash(name) + "\n")
		}
		w.line(strings.TrimSpace(string(text)))
	}
}
