package cli

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"contextmover/internal/printable"
)

// NewLog returns the log of a command: a line a record, on w. A question prints its answer and nothing else: of its
// log there are the warnings. Lines on a terminal are for people; elsewhere they have slog's text format.
func NewLog(w io.Writer, question bool) slog.Handler {
	least := slog.LevelInfo
	if question {
		least = slog.LevelWarn
	}
	if p, ok := w.(*Progress); ok && p.bars != nil {
		return forPeople{w: w, least: least}
	}
	return slog.NewTextHandler(w, &slog.HandlerOptions{Level: least})
}

// forPeople writes a record as a sentence and what belongs to it: "warning: unknown words are left out (words: foo)".
type forPeople struct {
	w     io.Writer
	least slog.Level
	attrs []slog.Attr
}

// Enabled reports whether the level is the least or above.
func (h forPeople) Enabled(_ context.Context, level slog.Level) bool { return level >= h.least }

// Handle writes the record as one line. Its error is that of writing.
func (h forPeople) Handle(_ context.Context, r slog.Record) error {
	line := r.Message
	switch {
	case r.Level >= slog.LevelError:
		line = "error: " + line
	case r.Level >= slog.LevelWarn:
		line = "warning: " + line
	}
	var parts []string
	add := func(a slog.Attr) bool {
		parts = append(parts, a.Key+": "+a.Value.String())
		return true
	}
	for _, a := range h.attrs {
		add(a)
	}
	if r.Attrs(add); len(parts) > 0 {
		line += " (" + strings.Join(parts, "; ") + ")"
	}
	_, err := fmt.Fprintln(h.w, printable.Text(line))
	return err
}

// WithAttrs returns the handler with attrs before those of each record.
func (h forPeople) WithAttrs(attrs []slog.Attr) slog.Handler {
	h.attrs = append(h.attrs[:len(h.attrs):len(h.attrs)], attrs...)
	return h
}

// WithGroup returns the handler itself: people need no groups.
func (h forPeople) WithGroup(string) slog.Handler { return h }
