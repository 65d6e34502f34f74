package main

import (
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	const list = "# a comment\nTestRoot needs root\nTestReal data\n"
	const ok = `{"Action":"pass","Package":"m/a"}` + "\n"
	for name, c := range map[string]struct {
		events string
		data   bool
		want   string // in the error, empty if there is none
	}{
		"passes":         {`{"Action":"pass","Package":"m/a","Test":"TestX"}` + "\n" + ok, false, ""},
		"named":          {`{"Action":"skip","Package":"m/a/b","Test":"TestRoot"}` + "\n" + ok, true, ""},
		"a part":         {`{"Action":"skip","Package":"m/a/b","Test":"TestRoot/part"}` + "\n" + ok, true, ""},
		"no data":        {`{"Action":"skip","Package":"m/a","Test":"TestReal"}` + "\n" + ok, false, ""},
		"data":           {`{"Action":"skip","Package":"m/a","Test":"TestReal"}` + "\n" + ok, true, "m/a TestReal"},
		"not named":      {`{"Action":"skip","Package":"m/a","Test":"TestRoots"}` + "\n" + ok, true, "m/a TestRoots"},
		"no tests":       {`{"Action":"skip","Package":"m/c"}` + "\n" + ok, true, ""},
		"a test fails":   {`{"Action":"fail","Package":"m/a","Test":"TestX"}` + "\n" + ok, true, "1 tests"},
		"does not build": {`{"Action":"build-fail","ImportPath":"m/a"}` + "\n" + ok, true, "1 tests"},
		"go fails":       {"go: cannot find main module\n", true, "no package"},
		"nothing":        {"", true, "no package"},
	} {
		var out strings.Builder
		err := check(strings.NewReader(c.events), &out, parse(list, c.data))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
}

// What a failing test has printed is shown, what a passing one has is not.
func TestOutput(t *testing.T) {
	var out strings.Builder
	err := check(strings.NewReader(`{"Action":"output","Package":"m","Test":"TestA","Output":"good\n"}
{"Action":"output","Package":"m","Test":"TestB","Output":"bad\n"}
{"Action":"pass","Package":"m","Test":"TestA"}
{"Action":"fail","Package":"m","Test":"TestB"}
{"Action":"output","Package":"m","Output":"FAIL\tm\t1s\n"}
{"Action":"fail","Package":"m"}
`), &out, nil)
	if err == nil || out.String() != "bad\nFAIL\tm\t1s\n" {
		t.Errorf("%q, %v", out.String(), err)
	}
}
