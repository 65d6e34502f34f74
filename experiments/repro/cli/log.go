package cli

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"time"

	"contextmover/internal/printable"
)

// patience is how long a question may take before it says what it is doing.
const patience = 2 * time.Second

// Log is the log of a command: a line a record, on w. A question prints its answer and nothing else: what is
// below a warning is held back until the question has taken two seconds, and forgotten if it ends before.
type Log struct {
	slog.Handler
	held *held
}

// held are the records that wait, of a Log and of those made of it by WithAttrs and WithGroup.
type held struct {
	mu    sync.Mutex
	open  bool // records are written as they come
	wait  []func()
	timer *time.Timer
}

// NewLog returns a log on w, to be closed at the end of the command. With patient it is that of a question. Lines on a
// terminal are for people; elsewhere they have slog's text format.
func NewLog(w io.Writer, patient bool) *Log {
	l := &Log{held: &held{open: !patient}}
	if p, ok := w.(*Progress); ok && p.bars != nil {
		l.Handler = forPeople{w: w}
	} else {
		l.Handler = slog.NewTextHandler(w, &slog.HandlerOptions{
			ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
				if a.Key == slog.TimeKey && len(groups) == 0 && a.Value.Kind() == slog.KindTime {
					return slog.String(slog.TimeKey, a.Value.Time().Format(time.TimeOnly))
				}
				return a
			},
		})
	}
	if patient {
		l.held.timer = time.AfterFunc(patience, l.held.release)
	}
	return l
}

// Handle writes the record, or holds it back.
func (l *Log) Handle(ctx context.Context, r slog.Record) error {
	l.held.mu.Lock()
	defer l.held.mu.Unlock()
	if !l.held.open && r.Level < slog.LevelWarn {
		r = r.Clone()
		l.held.wait = append(l.held.wait, func() { _ = l.Handler.Handle(ctx, r) })
		return nil
	}
	return l.Handler.Handle(ctx, r)
}

// WithAttrs returns the log with attrs in all records.
func (l *Log) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &Log{l.Handler.WithAttrs(attrs), l.held}
}

// WithGroup returns the log with the group in all records.
func (l *Log) WithGroup(name string) slog.Handler { return &Log{l.Handler.WithGroup(name), l.held} }

// Close forgets what is held back: the command has ended.
func (l *Log) Close() {
	l.held.mu.Lock()
	defer l.held.mu.Unlock()
	if l.held.timer != nil {
		l.held.timer.Stop()
	}
	l.held.open, l.held.wait = true, nil
}

// release writes what was held back, in order, and from now on all that comes.
func (h *held) release() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.open = true
	for _, write := range h.wait {
		write()
	}
	h.wait = nil
}

// forPeople writes a record as a sentence and what belongs to it: "warning: unknown words are left out (words: foo)".
type forPeople struct {
	w     io.Writer
	attrs []slog.Attr
}

// Enabled reports whether the level is that of information or above.
func (h forPeople) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelInfo }

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
