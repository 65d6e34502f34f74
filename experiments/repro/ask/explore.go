package ask

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"contextmover/experiments/explore"
	"contextmover/experiments/figures"
	"contextmover/experiments/profile"
	"contextmover/experiments/repro/cli"
)

// Explore is repro explore.
type Explore struct {
	Space string `placeholder:"DIR" help:"Folder of a space, as build makes it (default: the profile's, made if need be)."`
	Port  int    `default:"0" placeholder:"N" help:"Port of the page (default: a free one)."`
	cli.WorkspaceFlags
}

func (c *Explore) Help() string {
	return "The page answers on this machine only and asks nothing of any other. What it shows can be saved as SVG, PDF and PNG, and as the command that makes it again."
}

// Validate refuses what no port can be, and what says how to make a space beside one that is there.
func (c *Explore) Validate() error {
	if c.Port < 0 || c.Port > 65535 {
		return fmt.Errorf("--port=%d: expected 1 to 65535, or 0 for a free one", c.Port)
	}
	return (&spaceFlags{Space: c.Space, WorkspaceFlags: c.WorkspaceFlags}).Validate()
}

// closing is how long the answers under way may take once the page is to end.
const closing = 10 * time.Second

func (c *Explore) Run(e *cli.Env) error {
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(c.Port)))
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return cli.BadUsage("--port=%d: another program has this port: name another, or none to take a free one", c.Port)
	case errors.Is(err, syscall.EACCES):
		return cli.BadUsage("--port=%d: this port needs rights that you do not have: name one above 1023, or none to take a free one", c.Port)
	case err != nil:
		return err
	}
	defer listener.Close()
	flags := spaceFlags{Space: c.Space, WorkspaceFlags: c.WorkspaceFlags}
	space, monitor, err := flags.openAsItIs(e)
	if err != nil {
		return err
	}
	defer space.Close()
	p, err := profile.Load(c.Profile, c.Set)
	if err != nil {
		return err
	}
	name := "the space of profile " + p.Name
	if c.Space != "" {
		name = "the space " + filepath.Base(filepath.Clean(c.Space))
	}
	ctx, stop := context.WithCancel(e)
	draw := &figures.OfSpace{Space: space, Settings: p.Figures, Engine: monitor.Engine, Name: name}
	x := explore.New(ctx, draw, c.again()...)
	defer x.Wait()
	defer stop()

	address := listener.Addr().(*net.TCPAddr)
	server := &http.Server{
		Handler:           explore.Local(address.Port, x.Handler()),
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ReadHeaderTimeout: 10 * time.Second,
	}
	fmt.Fprintf(e.Out, "http://%s/\texplore %s; Ctrl-C ends\n", address, name)
	if err := e.Out.Flush(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err := <-ended:
		return err
	case <-e.Done():
	}
	// Whoever still computes is told by ctx, and nobody may use the space once it is closed.
	soon, cancel := context.WithTimeout(context.WithoutCancel(e), closing)
	defer cancel()
	if err := server.Shutdown(soon); err != nil {
		return errors.Join(fmt.Errorf("an answer is still under way after %v", closing), server.Close())
	}
	return nil
}

// again are the flags that choose the same space.
func (c *Explore) again() (flags []string) {
	for _, f := range []struct{ name, value, usual string }{
		{"--space", c.Space, ""}, {"--profile", c.Profile, cli.DefaultProfile}, {"--store", c.Store, ""},
	} {
		if f.value != f.usual {
			flags = append(flags, f.name, f.value)
		}
	}
	for _, set := range c.Set {
		flags = append(flags, "--set", set)
	}
	return flags
}
