package steps

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"

	"contextmover/internal/atomicfile"
	"contextmover/internal/bounded"
	"contextmover/internal/disk"
	"contextmover/scale/files"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
)

func init() { register.DoFn3x1[context.Context, int, func(int), error](&copying{}) }

// Copies are files to be copied, as workers see them: Dir is the absolute path of a folder with the list and the stamps.
type Copies struct{ Dir string }

const copiesName = "files.json"

// Write writes the list.
func (c Copies) Write(list []files.Copy) error {
	content, err := json.MarshalIndent(list, "", "\t")
	if err != nil {
		return err
	}
	if err := disk.MkdirAll(c.Dir); err != nil {
		return err
	}
	return atomicfile.WriteBytes(filepath.Join(c.Dir, copiesName), content)
}

// Read returns the list. The error is fs.ErrNotExist where there is none.
func (c Copies) Read() (list []files.Copy, err error) {
	path := filepath.Join(c.Dir, copiesName)
	content, err := bounded.ReadFile(path, 1<<30)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(content, &list); err != nil {
		return nil, fmt.Errorf("%s: %w; remove it", path, err)
	}
	return list, nil
}

// Pipeline adds to a pipeline what copies so many files. An error has the file's name.
func (c Copies) Pipeline(s beam.Scope, n int) {
	beam.ParDo(s.Scope("copy"), &copying{c}, first(s.Scope("files"), n))
}

type copying struct{ Copies }

// ProcessElement copies a file, which takes one processor and little memory.
func (f *copying) ProcessElement(ctx context.Context, number int, emit func(int)) error {
	return seated(ctx, 1, func() error {
		list, err := f.Read()
		if err != nil {
			return err
		}
		c := list[number]
		slog.Info("copying", "from", c.From, "to", c.To)
		if _, err := c.Do(ctx, filepath.Join(f.Dir, fmt.Sprintf("%05d.json", number))); err != nil {
			return err
		}
		emit(number)
		return nil
	})
}
