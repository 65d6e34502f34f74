package notebook

import (
	"strings"
	"testing"
	"time"
)

func TestKeyboard(t *testing.T) {
	for source, want := range map[string]string{
		"var x int\n%%\nfmt.Scan(&x)":                     "fmt.Scan",
		"%%\nin := bufio.NewScanner(os.Stdin)\n_ = in":    "os.Stdin",
		"!*ls\n%%\nfmt . Scanln( &x )":                    "fmt.Scanln",
		"%with_inputs\n!read x":                           "%with_inputs",
		"// fmt.Scan(&x)\n%%\nfmt.Println(\"os.Stdin\")":  "",
		"%%\nfmt.Sscan(\"1\", &x); rows.Scan(&x)":         "",
		"type os struct{ Stdout int }\n%%\nos.Stdout = 1": "",
	} {
		if got := keyboard(source); got != want {
			t.Errorf("%q: %q, expected %q", source, got, want)
		}
	}
}

// A cell that reads the keyboard is refused at once: nobody types while a notebook is executed without Jupyter.
func TestExecuteRefusesTheKeyboard(t *testing.T) {
	began := time.Now()
	n, err := execute(t, Options{Timeout: time.Hour}, "import \"fmt\"\nvar x int\n%%\nfmt.Scan(&x)")
	if err == nil || !strings.Contains(err.Error(), "fmt.Scan") || !strings.Contains(err.Error(), "standard input") {
		t.Fatalf("%v after %v, expected that the cell reads standard input", err, time.Since(began))
	}
	if o := n.Cells[0].Outputs; len(o) != 1 || o[0].Error != "StdinNotImplementedError" {
		t.Errorf("outputs %+v, expected one error", o)
	}
}
