// Command skips reads what go test -json prints and shows it as go test does without -json. It
// fails where a test failed, and where one was skipped that the list may-skip.txt does not name:
// on a machine that is set up to run the tests, nothing is left out unnoticed.
package main

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
)

//go:embed may-skip.txt
var mayText string

func main() {
	if err := check(os.Stdin, os.Stdout, parse(mayText, os.Getenv("CONTEXTMOVER_DATA") != "")); err != nil {
		fmt.Fprintln(os.Stderr, "skips:", err)
		os.Exit(1)
	}
}

// parse returns the names of the list's tests: those that need data only if there is none.
func parse(text string, data bool) map[string]bool {
	may := make(map[string]bool)
	for line := range strings.Lines(text) {
		name, why, _ := strings.Cut(strings.TrimSpace(line), " ")
		if name != "" && name != "#" && (why != "data" || !data) {
			may[name] = true
		}
	}
	return may
}

// event is a line of go test -json: see go doc test2json.
type event struct {
	Action, Package, ImportPath, Test, Output string
}

func check(in io.Reader, out io.Writer, may map[string]bool) error {
	output := make(map[string]*strings.Builder) // of tests that have not ended
	passed, failed := 0, 0
	var skipped []string
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadString('\n')
		if line == "" && err == io.EOF {
			break
		}
		if err != nil && err != io.EOF {
			return err
		}
		var e event
		if json.Unmarshal([]byte(line), &e) != nil { // not a test's: go's own words
			fmt.Fprint(out, line)
			continue
		}
		name := e.Package + " " + e.Test
		switch e.Action {
		case "output", "build-output":
			switch {
			case e.Test == "" && e.Output != "PASS\n":
				fmt.Fprint(out, e.Output)
			case e.Test != "":
				if output[name] == nil {
					output[name] = new(strings.Builder)
				}
				output[name].WriteString(e.Output)
			}
		case "pass":
			delete(output, name)
			if e.Test == "" {
				passed++
			}
		case "skip":
			test, _, _ := strings.Cut(e.Test, "/") // without its part
			if e.Test != "" && !may[test] {
				skipped = append(skipped, name)
				fmt.Fprint(out, output[name])
			}
			delete(output, name)
		case "fail", "build-fail":
			failed++
			if o := output[name]; o != nil {
				fmt.Fprint(out, o)
			}
			delete(output, name)
		}
	}
	switch {
	case failed > 0:
		return fmt.Errorf("%d tests and packages failed", failed)
	case len(skipped) > 0:
		return fmt.Errorf("skipped, and not in tools/skips/may-skip.txt:\n%s", strings.Join(skipped, "\n"))
	case passed == 0:
		return fmt.Errorf("no package was tested")
	}
	return nil
}
