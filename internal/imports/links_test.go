package imports

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

var (
	// link is a link or an image of Markdown, or of HTML within it.
	link = regexp.MustCompile(`\]\(([^)\s]+)\)|(?:src|href)="([^"]+)"`)
	// fenced is a block of code, which has no links.
	fenced = regexp.MustCompile("(?ms)^```.*?^```|(?m)^    .*$|`[^`\n]*`")
	// pageName is a page of this repository, as code and messages name it.
	pageName = regexp.MustCompile(`\bdocs/[a-z0-9/-]+\.(?:md|svg|png)\b`)
	heading  = regexp.MustCompile(`(?m)^#+ (.*)$`)
)

// Every relative link of a page leads to a file of this repository, and to a heading of it where it names one.
// The same holds for the pages that code, profiles and scripts name.
func TestLinksResolve(t *testing.T) {
	links, names := 0, 0
	for _, name := range tracked(t) {
		kind := path.Ext(name)
		if strings.HasPrefix(name, "tables/") || strings.Contains(name, "testdata") ||
			kind != ".md" && kind != ".go" && kind != ".toml" && kind != ".sh" && kind != ".py" {
			continue
		}
		text := string(read(t, name))
		for _, page := range pageName.FindAllString(text, -1) {
			names++
			if _, err := os.Stat(filepath.Join(root, page)); err != nil && !strings.HasSuffix(name, "_test.go") {
				t.Errorf("%s names %s, which is not there", name, page)
			}
		}
		if kind != ".md" {
			continue
		}
		for _, m := range link.FindAllStringSubmatch(fenced.ReplaceAllString(text, ""), -1) {
			target := m[1] + m[2]
			if strings.Contains(target, ":") {
				continue // another site
			}
			links++
			file, anchor, _ := strings.Cut(target, "#")
			to := name
			if file != "" {
				to = path.Join(path.Dir(name), file)
			}
			if _, err := os.Stat(filepath.Join(root, to)); err != nil {
				t.Errorf("%s: the link %s leads nowhere", name, target)
			} else if anchor != "" && path.Ext(to) == ".md" && !anchors(string(read(t, to)))[anchor] {
				t.Errorf("%s: %s has no heading for #%s", name, to, anchor)
			}
		}
	}
	if links < 50 || names < 10 {
		t.Errorf("%d links and %d names of pages were found, expected at least 50 and 10", links, names)
	}
}

// anchors are the names that hosts of Git repositories give the headings of a page.
func anchors(text string) map[string]bool {
	all := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(text, -1) {
		var b strings.Builder
		for _, r := range strings.ToLower(m[1]) {
			switch {
			case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
				b.WriteRune(r)
			case r == ' ':
				b.WriteByte('-')
			}
		}
		all[b.String()] = true
	}
	return all
}

// The test above sees a link to a file that is not there, and knows headings with signs.
func TestAnchors(t *testing.T) {
	if all := anchors("# What held, and what did not\n## λ\n"); !all["what-held-and-what-did-not"] || !all["λ"] || all["what"] {
		t.Errorf("%v", all)
	}
}
