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

// A question that is answered at once says nothing but its warnings; one that takes longer says all, in order.
func TestLog(t *testing.T) {
	for _, test := range []struct {
		name    string
		patient bool
		takes   time.Duration
		want    []string
	}{
		{"quick question", true, time.Second, []string{"odd"}},
		{"slow question", true, 3 * time.Second, []string{"odd", "compared", "later"}},
		{"other command", false, time.Second, []string{"compared", "odd", "later"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var b bytes.Buffer
				log := NewLog(&b, test.patient)
				logger := slog.New(log)
				logger.With("of", 3).Info("compared")
				logger.Warn("odd")
				time.Sleep(test.takes)
				synctest.Wait()
				logger.Info("later")
				log.Close()
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
