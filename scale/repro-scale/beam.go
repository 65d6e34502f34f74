package main

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"regexp"
	"runtime"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"

	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/exec/optimized"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/flink"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/spark"

	"contextmover/internal/atomicfile"
)

// execute runs a pipeline where Beam's flags say: in this process if they say nothing,
// and elsewhere by this program, which workers find at the path that it has here.
func execute(ctx context.Context, p *beam.Pipeline) error {
	runner := *runners.Runner
	if runner == "" {
		runner = "prism"
	}
	if !strings.HasPrefix(strings.ToLower(runner), "prism") && *jobopts.EnvironmentType == "" {
		self, err := os.Executable()
		if err != nil {
			return err
		}
		config, err := json.Marshal(map[string]string{"command": self})
		if err != nil {
			return err
		}
		*jobopts.EnvironmentType, *jobopts.EnvironmentConfig = "PROCESS", string(config)
	}
	if strings.EqualFold(*jobopts.EnvironmentType, "process") && *jobopts.WorkerBinary == "" {
		*jobopts.WorkerBinary = os.DevNull // it would be sent to all workers, which do not need it
	}
	release, err := temporary()
	if err != nil {
		return err
	}
	defer release()
	if _, err := beam.Run(ctx, runner, p); err != nil {
		return errors.New(cause(err.Error()))
	}
	return nil
}

// temporary has temporary files made in a folder of our own until release is called, which removes it: Beam leaves
// an empty file of each pipeline behind, beamloopbackworker-*. What a killed process leaves goes with the next one.
func temporary() (release func(), err error) {
	dir, remove, err := atomicfile.Temporary("repro-scale", 0)
	if err != nil {
		return nil, err
	}
	const name = "TMPDIR"
	before, there := os.LookupEnv(name)
	if err := os.Setenv(name, dir); err != nil {
		remove()
		return nil, err
	}
	return func() {
		if there {
			os.Setenv(name, before)
		} else {
			os.Unsetenv(name)
		}
		remove()
	}, nil
}

// inWorker is what stands before the error of a step in that of a pipeline; an engine in Java puts its stack behind.
var inWorker = regexp.MustCompile(`(?s)^.*DoFn\[[^\n]*\] failed:\n(.*?)(\n\tat .*)?$`)

// cause is the error of a step where that of a pipeline has one.
func cause(message string) string { return inWorker.ReplaceAllString(message, "$1") }

// quiet is a log without what Beam tells of its own doings: its errors come back from a pipeline.
type quiet struct{ slog.Handler }

func (q quiet) Handle(ctx context.Context, r slog.Record) error {
	frame, _ := runtime.CallersFrames([]uintptr{r.PC}).Next()
	if r.Level != slog.LevelWarn && strings.HasPrefix(frame.Function, "github.com/apache/beam/") {
		return nil
	}
	return q.Handler.Handle(ctx, r)
}

// WithAttrs and WithGroup keep it quiet.
func (q quiet) WithAttrs(attrs []slog.Attr) slog.Handler { return quiet{q.Handler.WithAttrs(attrs)} }
func (q quiet) WithGroup(name string) slog.Handler       { return quiet{q.Handler.WithGroup(name)} }
