package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"contextmover/experiments/harness/published"
	"contextmover/experiments/judge/verdict"
)

// Every number and claim that the article names is one that the recorded runs write, so that it can be built.
func TestArticleNamesNumbersThatExist(t *testing.T) {
	w := world{dir: t.TempDir()}
	text, err := os.ReadFile("../../article/article.tex")
	if err != nil {
		t.Fatal(err)
	}
	macros := ""
	for _, profile := range []string{"open", "systems", "best", "encoders", "patterns"} {
		code, stdout, stderr := w.repro(t, "clone", "table", "--as", "macros", "--profile", profile)
		if code != 0 {
			t.Fatalf("%s: exit code %d: %s", profile, code, stderr)
		}
		if profile != "open" {
			stdout = strings.ReplaceAll(stdout, `\cm@set{`, `\cm@set{`+profile+":")
		}
		macros += stdout
	}
	named := 0
	look := func(kind, pattern string, address func(m []string) string) {
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(string(text), -1) {
			if strings.ContainsAny(m[0], `#`) || strings.Contains(m[len(m)-1], `\`) { // of a macro's definition
				continue
			}
			named++
			if want := address(m); !strings.Contains(macros, want) {
				t.Errorf("%s: no run writes %s", m[0], want)
			}
		}
		if named == 0 {
			t.Errorf("the article names no %s", kind)
		}
	}
	look("cell", `\\cm(?:ours|printed|interval)\{([^{}]*)\}\{([^{}]*)\}\{([^{}]*)\}`, func(m []string) string {
		return `\cm@set{` + m[1] + "}{" + m[2] + "}{" + m[3] + "}{"
	})
	look("row", `\\(?:p?row|score|scoreci|printed)(?:\[(\w+:)\])?\{([^{}]*)\}`, func(m []string) string {
		return `\cm@set{` + m[1] + "table1_sts_summary}{" + m[2] + "}{average}{"
	})
	look("row of geometry", `\\georow(?:\[(\w+:)\])?\{([^{}]*)\}`, func(m []string) string {
		return `\cm@set{` + m[1] + "sts_geometry}{" + m[2] + "}{discrete/− true}{"
	})
	look("baseline", `\\(?:baserow|gain)(?:\[(\w+:)\])?\{([^{}]*)\}`, func(m []string) string {
		return `\cm@set{` + m[1] + "tableS12_hypernymy_full_AP}{" + m[2] + "}{Avg_Gain_printed}{"
	})
	look("claim", `\\(?:claimrow|openrow|cm(?:verdict|evidence|claim))\{(C\d+)\}`, func(m []string) string {
		return `\cm@claim{` + m[1] + "}{"
	})
	look("total", `\\cmtotal\{([^{}]*)\}`, func(m []string) string { return `\@namedef{cm@total@` + m[1] + "}{" })
	// What could have failed stands in the text and in the table, whatever became of it.
	discussed, _, _ := strings.Cut(string(text), `\section{Claims}`)
	for _, c := range whole(t).Claims {
		if c.Kind != published.CouldFail || c.Decision == verdict.NotTestable {
			continue
		}
		if !strings.Contains(string(text), `\claimrow{`+c.ID+"}") || !strings.Contains(discussed, `\cmevidence{`+c.ID+"}") &&
			!strings.Contains(discussed, `\cmverdict{`+c.ID+"}") && !strings.Contains(discussed, "claim "+c.ID) {
			t.Errorf("%s, which %s, is missing from the text or from the table of claims", c.ID, c.Verdict)
		}
	}
	t.Logf("%d numbers", named)
}
