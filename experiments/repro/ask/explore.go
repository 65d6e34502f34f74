package ask

import (
	"context"
	"fmt"
	"net"

	"contextmover/experiments/explore"
	"contextmover/experiments/harness/spaces"
	"contextmover/experiments/paper/figures"
	"contextmover/experiments/repro/cli"
)

// Explore is repro explore.
type Explore struct {
	Port int `min:"1" max:"65535" placeholder:"N" help:"Port of the page (default: a free one)."`
	cli.SpaceFlags
}

func (c *Explore) Help() string {
	return "Type a word to see its neighbours and contexts, a second word or text to see how similar the two are " +
		"and why, and paste a text to search it. The page is served to this machine only and asks nothing of any " +
		"other. Pictures can be saved as SVG, PDF and PNG, each with the command that makes it again."
}

func (c *Explore) Run(e *cli.Env) error {
	listener, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: c.Port})
	if err != nil {
		return cli.BadUsage("--port=%d: name another, or none to take a free one: %v", c.Port, err)
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
	var again []string // flags that choose the same space
	if c.Space != spaces.Default {
		again = []string{"--space", c.Space}
	}
	x := explore.New(ctx, draw, again...)
	defer x.Wait()
	defer stop()

	fmt.Fprintf(e.Out, "http://%s/\texplore %s; Ctrl-C ends\n", listener.Addr(), name)
	if err := e.Out.Flush(); err != nil {
		return err
	}
	return explore.Serve(e, listener, x.Handler())
}
