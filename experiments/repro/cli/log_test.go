package cli

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"contextmover/internal/printable"
)

// A question says nothing but its warnings.
func TestLog(t *testing.T) {
	for question, want := range map[bool]string{true: "odd", false: "compared odd later"} {
		var b bytes.Buffer
		logger := slog.New(NewLog(&b, question))
		logger.With("of", 3).Info("compared")
		logger.Warn("odd")
		logger.Info("later")
		var got []string
		for line := range strings.Lines(b.String()) {
			_, message, _ := strings.Cut(line, "msg=")
			got = append(got, strings.Fields(message)[0])
		}
		if strings.Join(got, " ") != want {
			t.Errorf("question %t: got %v, expected %v:\n%s", question, got, want, b.String())
		}
	}
}

// On a terminal a record is a sentence; what a word may do to the terminal it does not.
func TestLogForPeople(t *testing.T) {
	var b bytes.Buffer
	logger := slog.New(forPeople{w: &b}).With("space", "english")
	logger.Info("compared")
	logger.WithGroup("g").Warn("unknown words are left out", "words", "a\x1b[2J", "number", 2)
	slog.New(forPeople{w: &b}).Error("full")
	slog.New(forPeople{w: &b}).Debug("no one asked")
	want := "compared (space: english)\nwarning: unknown words are left out (space: english; words: a" +
		printable.Text("\x1b") + "[2J; number: 2)\nerror: full\n"
	if b.String() != want {
		t.Errorf("got\n%s, expected\n%s", b.String(), want)
	}
}
