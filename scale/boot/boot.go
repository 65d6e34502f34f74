// Package boot is how an engine starts a worker: by the program that has sent the job, on the engine's machines.
//
// Beam has a program for that, which fetches the worker's program from the engine, copies it and
// starts the copy. Of a cluster whose machines reach the same folder nothing has to be fetched,
// 100 MB for each; and what is no other process leaves none behind when the engine's is killed.
package boot

import (
	"cmp"
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
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/harness"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
)

const provision = "provision_endpoint"

// Asked tells whether an engine has started the program with these arguments, to be a worker.
func Asked(args []string) bool {
	return slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "--"+provision+"=") })
}

// Work is a worker's life, as https://s.apache.org/beam-fn-api-container-contract has it: it asks the engine what there
// is to know, and does what it is told until the engine ends the conversation, or the process that started it ends.
func Work(ctx context.Context, args []string) error {
	given := map[string]*string{}
	f := flag.NewFlagSet("worker", flag.ContinueOnError)
	for _, name := range []string{
		"id", provision, "control_endpoint", "logging_endpoint", "artifact_endpoint", "semi_persist_dir",
	} {
		given[name] = f.String(name, "", "")
	}
	if err := f.Parse(args); err != nil {
		return err
	}
	endWithParent()
	ctx = grpcx.WriteWorkerID(ctx, strings.Trim(*given["id"], "'")) // Prism writes it as for a shell
	info, err := tools.ProvisionInfo(ctx, *given[provision])
	if err != nil {
		return fmt.Errorf("boot: what starts workers does not answer at %s: %w", *given[provision], err)
	}
	var options runtime.RawOptionsWrapper
	if err := tools.ProtoToOptions(info.GetPipelineOptions(), &options); err != nil {
		return fmt.Errorf("boot: options of the pipeline: %w", err)
	}
	beam.Init()
	runtime.GlobalOptions.Import(options.Options)
	slog.SetDefault(slog.New(remote{})) // behind beam.Init, which sets another
	return harness.MainWithOptions(ctx,
		cmp.Or(info.GetLoggingEndpoint().GetUrl(), *given["logging_endpoint"]),
		cmp.Or(info.GetControlEndpoint().GetUrl(), *given["control_endpoint"]),
		harness.Options{
			StatusEndpoint: info.GetStatusEndpoint().GetUrl(), RunnerCapabilities: info.GetRunnerCapabilities(),
		})
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

// remote hands the log to the engine, which keeps that of a worker with its own.
type remote struct{}

func (remote) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelInfo }
func (r remote) WithAttrs([]slog.Attr) slog.Handler             { return r }
func (r remote) WithGroup(string) slog.Handler                  { return r }

func (remote) Handle(ctx context.Context, record slog.Record) error {
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
