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
	bars   *mpb.Progress // nil where there is no terminal
	log    io.Writer     // bars or stderr
	closed bool

	mu  sync.Mutex
	bar *mpb.Bar
}

// heartbeat is the time between two log lines of a step.
const heartbeat = 10 * time.Second

// NewProgress returns the progress that is shown on stderr, to be closed after the last step.
func NewProgress(stderr *os.File) *Progress {
	p := &Progress{stderr: stderr, log: stderr}
	if cwriter.IsTerminal(int(stderr.Fd())) {
		p.bars = mpb.New(mpb.WithOutput(stderr), mpb.WithWidth(40))
		p.log = p.bars
	}
	return p
}

// Write writes a line of the log.
func (p *Progress) Write(line []byte) (int, error) {
	return p.log.Write(line)
}

// output returns what writes to stdout. Where bars stand on the same terminal it writes above them.
func (p *Progress) output(stdout io.Writer) io.Writer {
	if f, ok := stdout.(*os.File); p.bars != nil && ok && cwriter.IsTerminal(int(f.Fd())) {
		return &aboveBars{p, stdout}
	}
	return stdout
}

type aboveBars struct {
	progress *Progress
	stdout   io.Writer // once there are no bars any more
}

func (a *aboveBars) Write(b []byte) (int, error) {
	if a.progress.closed {
		return a.stdout.Write(b)
	}
	return a.progress.bars.Write(b)
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
	p.finish()
	bar := p.bars.New(0, mpb.BarStyle().Lbound("").Rbound("").Filler("█").Tip("█").Padding("░"),
		mpb.BarRemoveOnComplete(),
		mpb.PrependDecorators(decor.Name(name, decor.WCSyncSpaceR)),
		mpb.AppendDecorators(decor.NewPercentage("% d", decor.WCSyncSpace),
			decor.OnComplete(decor.AverageETA(decor.ET_STYLE_GO, decor.WCSyncSpace), "")))
	p.mu.Lock()
	p.bar = bar
	p.mu.Unlock()
	return func(done, total int64) {
		bar.SetTotal(total, false)
		bar.SetCurrent(done)
	}
}

// quiet is the time after which a step of While says that it goes on.
var quiet = patience

// While starts a step that nobody knows the length of, and returns the function that ends it. A step of more than two
// seconds says so: on a terminal with the time that it has taken, elsewhere in the log, and again every ten seconds.
func (p *Progress) While(name string) (done func()) {
	begin, over := time.Now(), make(chan struct{})
	var shown sync.WaitGroup
	shown.Go(func() {
		next := time.NewTimer(quiet)
		defer next.Stop()
		var bar *mpb.Bar
		for {
			select {
			case <-over:
				if bar != nil {
					bar.Abort(true)
				}
				return
			case <-next.C:
			}
			if p.bars == nil {
				slog.Info("running", "step", name, "seconds", fmt.Sprintf("%.0f", time.Since(begin).Seconds()))
				next.Reset(heartbeat)
				continue
			}
			p.finish()
			bar = p.bars.New(0, mpb.SpinnerStyle(), mpb.BarRemoveOnComplete(),
				mpb.PrependDecorators(decor.Name(name, decor.WCSyncSpaceR)),
				mpb.AppendDecorators(decor.NewElapsed(decor.ET_STYLE_GO, begin)))
		}
	})
	return func() {
		close(over)
		shown.Wait()
	}
}

func (p *Progress) finish() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		p.bar.Abort(true)
		p.bar = nil
	}
}

// Close removes the bar and waits until the terminal is clean.
func (p *Progress) Close() {
	if p.bars == nil {
		return
	}
	p.finish()
	p.bars.Wait()
	p.log = p.stderr
	p.closed = true
}
