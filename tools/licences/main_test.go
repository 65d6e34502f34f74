package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const mit = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
`

const gpl = `This program is free software: you can redistribute it and/or modify it under the terms of the GNU General
Public License as published by the Free Software Foundation, either version 3 of the License, or (at your option) any
later version.
`

func TestLicence(t *testing.T) {
	allowed := strings.Fields(allowedText)
	for name, test := range map[string]struct {
		files       map[string]string
		file        string
		found, want string // the licences, or what the error has
	}{
		"one":             {map[string]string{"LICENSE.md": "MIT License\n\n" + mit}, "", "MIT", ""},
		"none":            {map[string]string{"README": mit}, "", "", "no licence was recognised"},
		"unknown text":    {map[string]string{"LICENSE": "All rights reserved."}, "", "", "no licence was recognised"},
		"not allowed":     {map[string]string{"COPYING": gpl}, "", "", "licence GPL-3.0-or-later, expected one of MIT"},
		"one of two":      {map[string]string{"LICENSE": mit, "LICENSE-other": gpl}, "", "", "licence GPL-3.0-or-later"},
		"the one chosen":  {map[string]string{"a.txt": mit, "LICENSE": gpl}, "a.txt", "MIT", ""},
		"chosen, missing": {map[string]string{"LICENSE": mit}, "a.txt", "", "a.txt"},
	} {
		dir := t.TempDir()
		for file, text := range test.files {
			if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		found, err := licence(dir, test.file, allowed)
		if found != test.found || (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %q, %v", name, found, err)
		}
	}
}

func TestLicenceFiles(t *testing.T) {
	dir := t.TempDir()
	for _, file := range []string{"LICENSE", "NOTICE.txt", "notes.txt", "sub/LICENSE", "THIRD_PARTY_LICENSES/a/B-LICENSE"} {
		path := filepath.Join(dir, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(file), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	files, err := licenceFiles(dir)
	for i := range files {
		files[i], _ = filepath.Rel(dir, files[i])
		files[i] = filepath.ToSlash(files[i])
	}
	if want := []string{"LICENSE", "NOTICE.txt", "THIRD_PARTY_LICENSES/a/B-LICENSE"}; err != nil ||
		!slices.Equal(slices.Sorted(slices.Values(files)), want) {
		t.Errorf("licenceFiles: %v, %v; expected %v", files, err, want)
	}
}

// What is linked for this system is noticed, each with a text; so are Go and the text that words were counted in.
func TestNotices(t *testing.T) {
	var out bytes.Buffer
	if err := notices(&out, "../.."); err != nil {
		t.Fatal(err)
	}
	parts := map[string]string{}
	for _, p := range strings.Split(out.String(), "\n"+strings.Repeat("=", 80)+"\n")[1:] {
		title, text, _ := strings.Cut(p, "\n")
		parts[title] = text
	}
	packages, err := list("../..", nil, "./experiments/repro")
	if err != nil || len(packages) == 0 {
		t.Fatalf("%d packages, %v", len(packages), err)
	}
	for _, p := range packages {
		if len(parts[p.module()]) < 200 {
			t.Errorf("%s: notice %q", p.module(), parts[p.module()])
		}
	}
	for title, want := range map[string]string{
		"Built-in space of English words":                               "CC BY-SA 3.0",
		"Go: standard library and runtime":                              "Copyright 2009 The Go Authors",
		"github.com/golang/freetype v0.0.0-20170609003504-e2365dfdc4a0": "The FreeType Project LICENSE",
	} {
		if !strings.Contains(parts[title], want) {
			t.Errorf("%s: %q is missing", title, want)
		}
	}
	if strings.Contains(out.String(), "GNU GENERAL PUBLIC LICENSE") {
		t.Error("the GPL, which was not chosen, is there")
	}
}
