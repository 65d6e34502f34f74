package dataset

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"contextmover/internal/atomicfile"
	"contextmover/internal/checksum"
	"contextmover/internal/disk"
	"contextmover/internal/textfiles"
)

// Copy copies published files into the data folder from a folder that has them in any layout and under any names. It
// knows them by their contents, and reads those with the right sizes. Anything but regular files is passed over.
//
// It returns how many files are new, and those that are still lacking.
func (f *Fetcher) Copy(ctx context.Context, from string, files []File) (got int, lacking []File, err error) {
	unlock, err := f.lock()
	if err != nil {
		return 0, nil, err
	}
	defer unlock()
	wanted, err := f.Lacking(ctx, files)
	if err != nil {
		return 0, nil, err
	}
	source, err := index(ctx, from, wanted)
	if err != nil {
		return 0, nil, err
	}
	var copies []File
	for _, file := range wanted {
		if source[file.SHA256] != "" {
			copies = append(copies, file)
		} else {
			lacking = append(lacking, file)
		}
	}
	got, err = f.each(ctx, copies, func(ctx context.Context, file File) error {
		return f.copy(ctx, source[file.SHA256], file)
	})
	return got, lacking, err
}

// index returns the paths of the files in a folder that have the sizes of those that are wanted, by their checksums.
func index(ctx context.Context, dir string, wanted []File) (map[string]string, error) {
	sizes := make(map[int64]bool)
	for _, f := range wanted {
		sizes[f.Bytes] = true
	}
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	paths, _, err := textfiles.List(dir)
	if err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	paths = slices.DeleteFunc(paths, func(path string) bool {
		info, err := os.Stat(path)
		return err != nil || !sizes[info.Size()]
	})
	sums, err := hashAll(ctx, paths)
	source := make(map[string]string)
	for i, sum := range sums {
		source[sum] = paths[i]
	}
	return source, err
}

// copy copies a file that has been found.
func (f *Fetcher) copy(ctx context.Context, from string, file File) error {
	source, err := os.Open(from)
	if err != nil {
		return fmt.Errorf("dataset: %w", err)
	}
	defer source.Close()
	path := fullPath(f.Dir, file.Path)
	err = disk.MkdirAll(filepath.Dir(path))
	if err == nil {
		err = atomicfile.Write(path, func(w *bufio.Writer) error { return checksum.Copy(ctx, w, source) })
	}
	if err != nil {
		return fmt.Errorf("dataset: %w", err)
	}
	return nil
}
