package cli

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"contextmover/internal/printable"
)

// patience is how long a question may take before it says what it is doing.
const patience = 2 * time.Second

// NewLog returns the log of a command: a line a record, for people on a terminal, elsewhere in slog's text format. A
// question prints its answer and nothing else: what is below a warning is left out until it has taken two seconds.
func NewLog(p *Progress, question bool) slog.Handler {
	level := new(slog.LevelVar)
	if question {
		level.Set(slog.LevelWarn)
		time.AfterFunc(patience, func() { level.Set(slog.LevelInfo) })
	}
	if p.bars != nil {
		return forPeople{p, level}
	}
	return slog.NewTextHandler(p, &slog.HandlerOptions{Level: level})
}

// forPeople writes a record as a sentence and what belongs to it: "warning: unknown words are left out (words: foo)".
type forPeople struct {
	*Progress
	level slog.Leveler
}

// Enabled reports whether the level is that of the log or above.
func (h forPeople) Enabled(_ context.Context, level slog.Level) bool { return level >= h.level.Level() }

// Handle writes the record as one line. Its error is that of writing.
func (h forPeople) Handle(_ context.Context, r slog.Record) error {
	line, parts := r.Message, []string{}
	switch {
	case r.Level >= slog.LevelError:
		line = "error: " + line
	case r.Level >= slog.LevelWarn:
		line = "warning: " + line
	}
	r.Attrs(func(a slog.Attr) bool {
		parts = append(parts, a.Key+": "+a.Value.String())
		return true
	})
	if len(parts) > 0 {
		line += " (" + strings.Join(parts, "; ") + ")"
	}
	_, err := fmt.Fprintln(h.Progress, printable.Text(line))
	return err
}

// WithAttrs returns the handler itself: no command adds any.
func (h forPeople) WithAttrs([]slog.Attr) slog.Handler { return h }

// WithGroup returns the handler itself: people need no groups.
func (h forPeople) WithGroup(string) slog.Handler { return h }
