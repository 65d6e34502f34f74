package verdict

import (
	"bytes"
	"strings"
	"testing"

	"contextmover/experiments/harness/results"
)

// A claim's verdict and evidence stand in the macros as they do in the report, with a minus that LaTeX sets as one.
func TestMacros(t *testing.T) {
	r := Judge("open", one(
		average("CoMB", results.Paper, 40, normal(40, 1, 1)), average("NBoW", results.Paper, 50, normal(50, 1, 2)),
	))
	var out bytes.Buffer
	if err := r.Macros(&out); err != nil {
		t.Fatal(err)
	}
	c := claim(t, r, "C01")
	if !strings.HasPrefix(c.Evidence, "difference -") {
		t.Fatalf("evidence %q", c.Evidence)
	}
	want := `\cm@claim{C01}{CoMB (plain, GloVe/TBC) beats NBoW on the STS12-15 average}{` + c.Verdict + `}{difference $-$`
	if !strings.Contains(out.String(), want) {
		t.Errorf("%q is not in\n%s", want, out.String())
	}
	for _, want := range []string{"\n\\@namedef{cm@total@fail}{1}\n", "\n\\@namedef{cm@total@cells}{1,271}\n", `]}{fails}{}{open}`, "Of the paper's 30 testable claims 0 hold, 1 fail"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in the macros", want)
		}
	}
}
