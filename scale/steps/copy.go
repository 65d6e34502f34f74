package steps

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"

	"contextmover/internal/checkpoint"
	"contextmover/internal/disk"
	"contextmover/scale/files"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// Copies are files to be copied, as workers see them: Dir is
// the absolute path of a folder with the list and the stamps.
type Copies struct{ Dir string }

const copiesName = "files.json"

// copyList is what the list has.
type copyList struct {
	Files []files.Copy `json:"files"`
}

// Write writes the list.
func (c Copies) Write(list []files.Copy) error {
	if err := disk.MkdirAll(c.Dir); err != nil {
		return err
	}
	return checkpoint.WriteManifest(filepath.Join(c.Dir, copiesName), copyList{list})
}

// Read returns the list. The error is fs.ErrNotExist where there is none.
func (c Copies) Read() ([]files.Copy, error) {
	var list copyList
	_, err := checkpoint.ReadManifest(filepath.Join(c.Dir, copiesName), &list)
	var damaged *checkpoint.DamagedError
	if errors.As(err, &damaged) {
		return nil, fmt.Errorf("%s: %s: remove it", damaged.Path, damaged.What)
	}
	return list.Files, err
}

// Pipeline adds to a pipeline what copies so many files. An error has the file's name.
func (c Copies) Pipeline(s beam.Scope, n int) {
	Work{Copies: c}.each(s, "copy", first(s.Scope("files"), n))
}

// copyFile copies a file.
func copyFile(ctx context.Context, w Work, number int) (int, error) {
	list, err := w.Copies.Read()
	if err != nil {
		return 0, err
	}
	c := list[number]
	slog.Info("copying", "from", c.From, "to", c.To)
	_, err = c.Do(ctx, filepath.Join(w.Copies.Dir, fmt.Sprintf("%05d.json", number)))
	return 0, err
}
