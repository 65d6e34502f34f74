package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/repro/cli"
	"contextmover/internal/disk"
	"contextmover/scale/files"
	"contextmover/scale/steps"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// toFlag is where results go besides.
type toFlag struct {
	To string `placeholder:"URL" help:"Copy the results there, too: gs://BUCKET/FOLDER or s3://BUCKET/FOLDER."`
}

// Validate wants a file system.
func (f toFlag) Validate() error {
	if f.To != "" && !files.Remote(f.To) {
		return fmt.Errorf(
			"--to=%s: expected gs://BUCKET/FOLDER or s3://BUCKET/FOLDER; results are in the folder --out anyway", f.To,
		)
	}
	return nil
}

// copyAll has the engine copy files, by a list in the folder dir.
func copyAll(ctx context.Context, dir string, list []files.Copy) error {
	c := steps.Copies{Dir: dir}
	if err := c.Write(list); err != nil {
		return err
	}
	p, s := beam.NewPipelineWithRoot()
	c.Pipeline(s, len(list))
	return execute(ctx, p)
}

// fetch copies what is named there from Beam's file systems into the folder input of a
// job's, and puts the copies in its place. A folder with copies of other files is an error.
func fetch(e *cli.Env, job string, named ...*[]string) error {
	dir, err := filepath.Abs(filepath.Join(job, "input"))
	if err != nil {
		return err
	}
	var all []files.Copy
	for _, names := range named {
		var paths []string
		for _, name := range *names {
			if !files.Remote(name) {
				paths = append(paths, name)
				continue
			}
			list, err := files.List(e, name)
			if err != nil {
				return pipeline.DataError(err)
			}
			for _, c := range list {
				// Each in a folder of its own, as two may have one name.
				c.To = filepath.Join(dir, fmt.Sprintf("%05d", len(all)), path.Base(c.From))
				if err := disk.MkdirAll(filepath.Dir(c.To)); err != nil {
					return err
				}
				all = append(all, c)
				paths = append(paths, c.To)
			}
		}
		*names = paths
	}
	if len(all) == 0 {
		return nil
	}
	there, err := steps.Copies{Dir: dir}.Read()
	if err == nil && !slices.EqualFunc(there, all, files.Copy.Equal) {
		err = fmt.Errorf("%s: there are copies of other files, or files have changed since: choose another folder, "+
			"or remove that one", dir)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return cli.BadData(err)
	}
	return copyAll(e, dir, all)
}

// fetchOne is fetch for a file.
func fetchOne(e *cli.Env, job string, name *string) error {
	list := []string{*name}
	if err := fetch(e, job, &list); err != nil {
		return err
	}
	if len(list) != 1 {
		return cli.BadUsage("%s: %d files match, expected one", *name, len(list))
	}
	*name = list[0]
	return nil
}

// send copies files of the folder from, or all that it has, to where results go besides.
func (f toFlag) send(e *cli.Env, job, from string, names ...string) error {
	if f.To == "" {
		return nil
	}
	dir, err := filepath.Abs(filepath.Join(job, "output"))
	if err != nil {
		return err
	}
	if from, err = filepath.Abs(from); err != nil {
		return err
	}
	if len(names) == 0 {
		entries, err := os.ReadDir(from)
		if err != nil {
			return err
		}
		for _, entry := range entries {
			names = append(names, entry.Name())
		}
	}
	var all []files.Copy
	for _, name := range names {
		c := files.Copy{From: filepath.Join(from, name), To: strings.TrimRight(f.To, "/") + "/" + name}
		info, err := os.Stat(c.From)
		if err != nil {
			return err
		}
		c.Bytes = info.Size()
		all = append(all, c)
	}
	if err := copyAll(e, dir, all); err != nil {
		return err
	}
	fmt.Fprintf(e.Out, "%s\t%d files\n", f.To, len(all))
	return nil
}
