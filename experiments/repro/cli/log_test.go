package cli

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"contextmover/internal/printable"
)

// A question that is answered at once says nothing but its warnings; one that takes longer says from then on all.
func TestLog(t *testing.T) {
	for _, test := range []struct {
		name    string
		patient bool
		takes   time.Duration
		want    []string
	}{
		{"quick question", true, time.Second, []string{"odd"}},
		{"slow question", true, 3 * time.Second, []string{"odd", "later"}},
		{"other command", false, time.Second, []string{"compared", "odd", "later"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var b bytes.Buffer
				log := NewLog(&Progress{stderr: &b}, test.patient)
				logger := slog.New(log)
				logger.With("of", 3).Info("compared")
				logger.Warn("odd")
				time.Sleep(test.takes)
				synctest.Wait()
				logger.Info("later")
				time.Sleep(time.Minute)
				var got []string
				for line := range strings.Lines(b.String()) {
					_, message, _ := strings.Cut(line, "msg=")
					got = append(got, strings.Fields(message)[0])
				}
				if strings.Join(got, " ") != strings.Join(test.want, " ") {
					t.Errorf("got %v, expected %v:\n%s", got, test.want, b.String())
				}
			})
		})
	}
}

// On a terminal a record is a sentence; what a word may do to the terminal it does not.
func TestLogForPeople(t *testing.T) {
	var b bytes.Buffer
	logger := slog.New(forPeople{&Progress{stderr: &b}, slog.LevelInfo})
	logger.Info("compared")
	logger.WithGroup("g").Warn("unknown words are left out", "words", "a\x1b[2J", "number", 2)
	logger.Error("full")
	logger.Debug("no one asked")
	want := "compared\nwarning: unknown words are left out (words: a" + printable.Text("\x1b") + "[2J; number: 2)\n" +
		"error: full\n"
	if b.String() != want {
		t.Errorf("got\n%s, expected\n%s", b.String(), want)
	}
}
