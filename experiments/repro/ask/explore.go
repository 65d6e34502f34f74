package ask

import (
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"

	"contextmover/experiments/explore"
	"contextmover/experiments/harness/spaces"
	"contextmover/experiments/paper/figures"
	"contextmover/experiments/repro/cli"
)

// Explore is repro explore.
type Explore struct {
	Port int `default:"0" placeholder:"N" help:"Port of the page (default: a free one)."`
	cli.SpaceFlags
}

func (c *Explore) Help() string {
	return "Type a word to see its neighbours and contexts, a second word or text to see how similar the two are " +
		"and why, and paste a text to search it. The page is served to this machine only and asks nothing of any " +
		"other. Pictures can be saved as SVG, PDF and PNG, each with the command that makes it again."
}

// Validate refuses what no port can be.
func (c *Explore) Validate() error {
	if c.Port < 0 || c.Port > 65535 {
		return fmt.Errorf("--port=%d: expected 1 to 65535, or 0 for a free one", c.Port)
	}
	return nil
}

func (c *Explore) Run(e *cli.Env) error {
	listener, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: c.Port})
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return cli.BadUsage("--port=%d: another program has this port: name another, or none to take a free one",
			c.Port)
	case errors.Is(err, syscall.EACCES):
		return cli.BadUsage("--port=%d: this port needs rights that you do not have: name one above 1023, or none to "+
			"take a free one", c.Port)
	case err != nil:
		return err
	}
	defer listener.Close()
	space, monitor, err := c.Open(e)
	if err != nil {
		return err
	}
	defer space.Close()
	p, err := c.Profile()
	if err != nil {
		return err
	}
	title, _, err := c.Title()
	if err != nil {
		return err
	}
	name := "the space " + title
	ctx, stop := context.WithCancel(e)
	draw := &figures.OfSpace{Space: space, Settings: p.Figures, Engine: monitor.Engine, Name: name}
	x := explore.New(ctx, draw, c.again()...)
	defer x.Wait()
	defer stop()

	fmt.Fprintf(e.Out, "http://%s/\texplore %s; Ctrl-C ends\n", listener.Addr(), name)
	if err := e.Out.Flush(); err != nil {
		return err
	}
	return explore.Serve(e, listener, x.Handler())
}

// again are the flags that choose the same space.
func (c *Explore) again() []string {
	if c.Space != spaces.Default {
		return []string{"--space", c.Space}
	}
	return nil
}
