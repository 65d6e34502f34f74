package verdict

import (
	"bytes"
	"embed"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/klauspost/compress/zstd"

	"contextmover/experiments/harness/results"
)

// recorded is the run that the program was built with. It is what a program shows that stands alone.
//
//go:embed reference
var recorded embed.FS

// RecordedReference returns the numbers of the recorded run of a profile. The error is fs.ErrNotExist if there is none.
func RecordedReference(profile string) (*Reference, error) {
	name := path.Join("reference", profile+".json")
	text, err := recorded.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("verdict: %w", err)
	}
	return parseReference(name, text, profile)
}

// RecordedResults returns the results of the recorded run of a profile,
// in the order of their names; none where no results of it are kept.
func RecordedResults(profile string) ([]*results.Result, error) {
	dir := path.Join("reference", profile)
	files, err := fs.Glob(recorded, dir+"/*.jsonl.zst")
	if err != nil {
		return nil, fmt.Errorf("verdict: %w", err)
	}
	unpack, err := zstd.NewReader(nil)
	if err != nil {
		return nil, fmt.Errorf("verdict: %w", err)
	}
	defer unpack.Close()
	var all []*results.Result
	for _, name := range files {
		packed, err := recorded.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("verdict: %w", err)
		}
		if err := unpack.Reset(bytes.NewReader(packed)); err != nil {
			return nil, fmt.Errorf("verdict: %s: %w", name, err)
		}
		r, err := results.Decode(strings.TrimSuffix(name, ".zst"), io.Reader(unpack))
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}
