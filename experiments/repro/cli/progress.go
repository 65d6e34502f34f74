package cli

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/cwriter"
	"github.com/vbauerster/mpb/v8/decor"
)

// Progress shows how far long steps are: a bar on a terminal, a log line every ten
// seconds elsewhere. It is the writer of the log, so that lines and bars do not mix.
type Progress struct {
	stderr io.Writer
	bars   *mpb.Progress // nil where there is no terminal, and once it is closed

	mu  sync.Mutex
	bar *mpb.Bar
}

// heartbeat is the time between two log lines of a step.
var heartbeat = 10 * time.Second

// NewProgress returns the progress that is shown on stderr, to be closed after the last step.
func NewProgress(stderr *os.File) *Progress {
	p := &Progress{stderr: stderr}
	if isTerminal(stderr) {
		p.bars = mpb.New(mpb.WithOutput(stderr), mpb.WithWidth(40))
	}
	return p
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && cwriter.IsTerminal(int(f.Fd()))
}

// Write writes a line of the log.
func (p *Progress) Write(line []byte) (int, error) { return aboveBars{p, p.stderr}.Write(line) }

// aboveBars writes to a terminal, above the bars as long as there are some.
type aboveBars struct {
	progress *Progress
	terminal io.Writer
}

func (a aboveBars) Write(b []byte) (int, error) {
	if bars := a.progress.bars; bars != nil {
		return bars.Write(b)
	}
	return a.terminal.Write(b)
}

// Step starts a step and returns the function that is told how much of it is done.
// It ends the step before.
func (p *Progress) Step(name string) func(done, total int64) {
	if p.bars == nil {
		last := time.Now()
		return func(done, total int64) {
			if now := time.Now(); now.Sub(last) >= heartbeat && done < total {
				last = now
				slog.Info("running", "step", name, "done", fmt.Sprintf("%.0f %%", 100*float64(done)/float64(total)))
			}
		}
	}
	bar := p.show(name, mpb.BarStyle(), decor.Percentage(decor.WCSyncSpace),
		decor.AverageETA(decor.ET_STYLE_GO, decor.WCSyncSpace))
	return func(done, total int64) {
		bar.SetTotal(total, false)
		bar.SetCurrent(done)
	}
}

// While starts a step that nobody knows the length of, and returns the function that ends it. Elsewhere than on a
// terminal, where the time that it has taken is shown, the log says every ten seconds that it goes on.
func (p *Progress) While(name string) (done func()) {
	if p.bars != nil {
		bar := p.show(name, mpb.SpinnerStyle(), decor.Elapsed(decor.ET_STYLE_GO))
		return func() { bar.Abort(true) }
	}
	begin, over := time.Now(), make(chan struct{})
	var said sync.WaitGroup
	said.Go(func() {
		for {
			select {
			case <-over:
				return
			case <-time.After(heartbeat):
				slog.Info("running", "step", name, "seconds", fmt.Sprintf("%.0f", time.Since(begin).Seconds()))
			}
		}
	})
	return func() {
		close(over)
		said.Wait()
	}
}

// show shows a bar in the place of the one before.
func (p *Progress) show(name string, style mpb.BarFillerBuilder, behind ...decor.Decorator) *mpb.Bar {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		p.bar.Abort(true)
	}
	p.bar = p.bars.New(0, style, mpb.BarRemoveOnComplete(),
		mpb.PrependDecorators(decor.Name(name, decor.WCSyncSpaceR)), mpb.AppendDecorators(behind...))
	return p.bar
}

// Close removes the bar and waits until the terminal is clean.
func (p *Progress) Close() {
	if p.bars == nil {
		return
	}
	if p.bar != nil {
		p.bar.Abort(true)
	}
	p.bars.Wait()
	p.bars = nil
}
