package notebook

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"contextmover/internal/atomicfile"
	"contextmover/internal/disk"
)

// GoNB returns the kernel that the repository in the folder root pins in tools/go.mod,
// building it if need be, and a function that removes what it has put down.
func GoNB(ctx context.Context, root string) (spec Spec, remove func(), err error) {
	goTool, err := exec.LookPath("go")
	if err != nil {
		return spec, nil, errors.New("notebook: there is no `go` on PATH, which compiles the cells: install Go from " +
			"https://go.dev/dl and try again")
	}
	dir, release, err := atomicfile.Temporary("cm-path", 0)
	if err != nil {
		return spec, nil, fmt.Errorf("notebook: %w", err)
	}
	defer func() {
		if err != nil {
			release()
		}
	}()
	tool := func(name string) (string, error) {
		cmd := exec.CommandContext(ctx, goTool, "tool", "-n", name)
		cmd.Dir = filepath.Join(root, "tools")
		// What an interrupted go leaves is removed with the folder.
		cmd.Env = append(environment(), "GOWORK=off", "GOTMPDIR="+dir, "TMPDIR="+dir)
		cmd.SysProcAttr = groupAttributes()
		cmd.Cancel = func() error { return interrupt(cmd.Process) }
		cmd.WaitDelay = 5 * time.Second
		path, err := cmd.Output()
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			return "", fmt.Errorf("notebook: the tool %s that tools/go.mod pins cannot be built: %w\n%s",
				name, err, exit.Stderr)
		}
		if err != nil {
			return "", fmt.Errorf("notebook: %w", err)
		}
		return strings.TrimSpace(string(path)), nil
	}
	kernel, err := tool("gonb")
	if err != nil {
		return spec, nil, err
	}
	imports, err := tool("goimports")
	if err != nil {
		return spec, nil, err
	}
	// GoNB finds both on PATH. It must not find gopls, which it would start for every
	// notebook and which only completes what people type.
	for _, tool := range []struct{ name, path string }{{"go", goTool}, {"goimports", imports}} {
		path, err := filepath.Abs(tool.path)
		if err == nil {
			err = disk.Symlink(path, filepath.Join(dir, tool.name))
		}
		if err != nil {
			return spec, nil, fmt.Errorf("notebook: %w", err)
		}
	}
	path := []string{dir}
	for _, d := range filepath.SplitList(os.Getenv("PATH")) {
		if _, err := os.Stat(filepath.Join(d, "gopls")); err != nil {
			path = append(path, d)
		}
	}
	return Spec{
		// Cells see the repository's packages through a workspace.
		Argv:     []string{kernel, "-kernel", "{connection_file}", "-raw_error", "-go_work", root},
		Env:      append(environment(), "PATH="+strings.Join(path, string(filepath.ListSeparator))),
		Language: "go",
	}, release, nil
}

// environment is that of this process without what breaks cells: a -mod flag does not
// go with a workspace, which every notebook makes. Cells are linked without tables for
// debuggers, in half the time; traces of a panic keep their lines.
func environment() []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return name == "GOWORK" || name == "GOFLAGS"
	})
	flags := slices.DeleteFunc(strings.Fields(os.Getenv("GOFLAGS")), func(f string) bool {
		return strings.HasPrefix(strings.TrimLeft(f, "-"), "mod=")
	})
	if !strings.Contains(os.Getenv("GOFLAGS"), "-ldflags") {
		flags = append(flags, "-ldflags=-s")
	}
	return append(env, "GOFLAGS="+strings.Join(flags, " "))
}

// Root returns the folder of the repository that dir is in: the nearest one, upwards,
// with a tools/go.mod.
func Root(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("notebook: %w", err)
	}
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Stat(filepath.Join(d, "tools", "go.mod")); err == nil {
			return d, nil
		}
		if d == filepath.Dir(d) {
			return "", fmt.Errorf("notebook: %s is not inside the repository: no folder above it has tools/go.mod, "+
				"which pins the kernel", dir)
		}
	}
}
