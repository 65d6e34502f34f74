// Package boot is how an engine starts a worker: by the program that has sent the job, on the engine's machines.
//
// Beam has a program for that, which fetches the worker's program from the engine, copies it and starts the copy. Of a cluster whose machines reach the same
// folder nothing has to be fetched, 100 MB for each; and what is no other process leaves none behind when the engine's is killed.
package boot

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/container/tools"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
)

const provision = "provision_endpoint"

// Asked tells whether an engine has started the program with these arguments, to be a worker.
func Asked(args []string) bool {
	return slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "--"+provision+"=") })
}

// Work is a worker's life, as https://s.apache.org/beam-fn-api-container-contract has it: it asks the engine what there is to know, and does what it is
// told until the process that started it stops it or ends itself. It returns only with an error.
func Work(ctx context.Context, args []string) error {
	f := flag.CommandLine // has those of Beam's worker
	endpoint := f.String(provision, "", "")
	f.String("artifact_endpoint", "", "")
	if err := f.Parse(args); err != nil {
		return err
	}
	endWithParent()
	id := strings.Trim(f.Lookup("id").Value.String(), "'") // which Prism writes as for a shell
	info, err := tools.ProvisionInfo(grpcx.WriteWorkerID(ctx, id), *endpoint)
	if err != nil {
		return fmt.Errorf("boot: what starts workers does not answer at %s: %w", *endpoint, err)
	}
	options, err := tools.ProtoToJSON(info.GetPipelineOptions())
	if err != nil {
		return fmt.Errorf("boot: options of the pipeline: %w", err)
	}
	set := map[string]string{"worker": "true", "id": id, "options": options}
	if url := info.GetLoggingEndpoint().GetUrl(); url != "" {
		set["logging_endpoint"] = url
	}
	if url := info.GetControlEndpoint().GetUrl(); url != "" {
		set["control_endpoint"] = url
	}
	for name, value := range set {
		if err := f.Set(name, value); err != nil {
			return fmt.Errorf("boot: %s: %w", name, err)
		}
	}
	if url := info.GetStatusEndpoint().GetUrl(); url != "" {
		os.Setenv("STATUS_ENDPOINT", url)
	}
	if able := info.GetRunnerCapabilities(); len(able) > 0 {
		os.Setenv("RUNNER_CAPABILITIES", strings.Join(able, " "))
	}
	beam.Init() // does not return
	return fmt.Errorf("boot: the worker has ended")
}

// endWithParent ends this process soon after the one that started it: an engine that was killed can stop nobody.
func endWithParent() {
	parent := os.Getppid()
	go func() {
		for range time.Tick(time.Second) {
			if os.Getppid() != parent {
				os.Exit(1)
			}
		}
	}()
}

// Log hands the log of a worker to the engine, which keeps it with its own.
type Log struct{}

// Enabled leaves out what helps to find defects.
func (Log) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelInfo }

// WithAttrs and WithGroup are not used here, and change nothing.
func (l Log) WithAttrs([]slog.Attr) slog.Handler { return l }
func (l Log) WithGroup(string) slog.Handler      { return l }

// Handle writes a record on a line.
func (Log) Handle(ctx context.Context, record slog.Record) error {
	text := record.Message
	record.Attrs(func(a slog.Attr) bool {
		text += fmt.Sprintf(" %s=%q", a.Key, a.Value)
		return true
	})
	severity := log.SevInfo
	if record.Level >= slog.LevelWarn {
		severity = log.SevWarn
	}
	log.Output(ctx, severity, 3, text)
	return nil
}
