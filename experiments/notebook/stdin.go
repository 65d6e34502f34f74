package notebook

import (
	"go/scanner"
	gotoken "go/token"
	"slices"
	"strings"
)

// readers are the names by which a cell reads what somebody types, by package.
var readers = map[string][]string{
	"os":  {"Stdin"},
	"fmt": {"Scan", "Scanf", "Scanln"},
}

// keyboard returns the first expression of a cell that reads standard input, or "". The kernel gives each program an
// open pipe in which nothing ever arrives and does not tell that it is read, so a cell that waits for it can only be
// recognised by its source.
func keyboard(source string) string {
	for line := range strings.Lines(source) {
		if command := strings.Fields(line); len(command) > 0 &&
			(command[0] == "%with_inputs" || command[0] == "%with_password") {
			return command[0]
		}
	}

	var s scanner.Scanner
	text := []byte(source)
	ignore := func(gotoken.Position, string) {} // lines that are not Go: the kernel says what is wrong with them
	s.Init(gotoken.NewFileSet().AddFile("", -1, len(text)), text, ignore, 0)
	var last [2]string // the two tokens before: a package's name and a period
	for {
		_, kind, literal := s.Scan()
		if kind == gotoken.EOF {
			return ""
		}
		if kind == gotoken.IDENT && last[1] == "." && slices.Contains(readers[last[0]], literal) {
			return last[0] + "." + literal
		}
		if kind == gotoken.PERIOD {
			literal = "."
		}
		last = [2]string{last[1], literal}
	}
}
