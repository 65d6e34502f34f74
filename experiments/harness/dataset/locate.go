package dataset

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"contextmover/internal/checksum"
)

// MissingError lists files that a data folder lacks.
type MissingError struct {
	Dir   string // the data folder, empty if none was named
	Files []string
}

func (e *MissingError) Error() string {
	list := strings.Join(e.Files, ", ")
	if n := len(e.Files); n > 6 {
		list = fmt.Sprintf("%s, … %s (%d files)", strings.Join(e.Files[:3], ", "), e.Files[n-1], n)
	}
	hint := "name the folder with --data DIR or the variable CONTEXTMOVER_DATA, or fill it: `repro data fetch " +
		"--profile NAME` gets all that a profile reads, `repro data fetch --from DIR` copies what you have"
	// These are in no place that fetch knows.
	for folder, made := range map[string]string{
		"encoders/": "`bench/encoders.sh DIR` makes what is in encoders/", "authors/": fromAuthors,
	} {
		if slices.ContainsFunc(e.Files, func(f string) bool { return strings.HasPrefix(f, folder) }) {
			hint += "; " + made
		}
	}
	if e.Dir == "" {
		return fmt.Sprintf("dataset: no data folder is known, so these are missing: %s; %s", list, hint)
	}
	return fmt.Sprintf("dataset: %s lacks %s; %s", e.Dir, list, hint)
}

// Is tells that the error is ErrData.
func (e *MissingError) Is(target error) bool { return target == ErrData }

// Damage says that a file is not the one the catalogue knows, by its full path and its SHA-256.
func Damage(path, expected, found string) error {
	return wrongFile(path, "has the SHA-256 %s, expected %s: get it again with `repro data fetch`, or use a file of "+
		"your own under another name", found, expected)
}

// resolve returns the path that a reader takes for what is named, absolute or relative to the data folder,
// and the files of the catalogue that are read then. No path means that it is missing.
//
// It is the one place that knows in which forms a set may lie in a data folder: under its own name; or, where
// that is a prepared file, as the published files that its reader takes as well. These are SemEval's sentences with
// their scores next to them, and members of zip archives.
func resolve(dataDir, name string) (path string, files []File, err error) {
	if dataDir == "" && !filepath.IsAbs(name) {
		return "", nil, nil
	}
	there := func(name string) (bool, error) {
		path := fullPath(dataDir, name)
		switch info, err := os.Stat(path); {
		case errors.Is(err, fs.ErrNotExist):
			return false, nil
		case err != nil:
			return false, fmt.Errorf("dataset: %w", err)
		case info.IsDir():
			return false, wrongFile(path, "is a folder, expected a file")
		}
		return true, nil
	}
	f, known := Lookup(name)
	ok, err := there(name)
	switch {
	case err != nil:
		return "", nil, err
	case ok && known:
		return fullPath(dataDir, name), []File{f}, nil
	case ok:
		return fullPath(dataDir, name), nil, nil
	case !known || !f.ReadFromParts():
		return "", nil, nil
	}
	for _, part := range partPaths(f) {
		if ok, err := there(part); !ok || err != nil {
			return "", nil, err
		}
		file, _ := Lookup(part)
		files = append(files, file)
	}
	// The reader of pairs finds the scores next to the first part, the sentences; open finds a member below its
	// archive.
	return fullPath(dataDir, strings.Replace(f.Parts[0], "!", "/", 1)), files, nil
}

// ReadFromParts tells whether readers take the parts of a prepared file as well, so that it need not be there.
func (f File) ReadFromParts() bool {
	if len(f.Parts) == 0 {
		return false
	}
	_, sentences := scoresOf(f.Parts[0])
	return sentences && len(f.Parts) == 2 || strings.Contains(f.Parts[0], "!")
}

// Locate returns for each of the names, relative to the data folder with slashes or absolute, the path that its reader
// takes. A set that the catalogue knows may lie there as it was published, or prepared; whatever of it the catalogue
// knows is read and must have its checksum. Any other file is taken as it is.
//
// All that is missing is named in one *MissingError; otherwise the files
// that are not what the catalogue says come as *FormatErrors, joined.
func Locate(dataDir string, names ...string) ([]string, error) {
	paths, known, err := resolveAll(dataDir, names)
	if err != nil {
		return nil, err
	}
	states, err := conditions(context.Background(), dataDir, known)
	if err != nil {
		return nil, err
	}
	var damaged []error
	for _, s := range states {
		if s.Status != Present {
			damaged = append(damaged, Damage(fullPath(dataDir, s.Path), s.SHA256, s.Found))
		}
	}
	return paths, errors.Join(damaged...)
}

// resolveAll resolves names. The error is a *MissingError with all that are missing.
func resolveAll(dataDir string, names []string) (paths []string, known []File, err error) {
	var missing []string
	for _, name := range names {
		path, files, err := resolve(dataDir, name)
		if err != nil {
			return nil, nil, err
		}
		if path == "" {
			missing = append(missing, name)
		}
		paths, known = append(paths, path), append(known, files...)
	}
	if len(missing) > 0 {
		return nil, nil, &MissingError{Dir: dataDir, Files: missing}
	}
	return paths, known, nil
}

// CheckPresent returns a *MissingError with those of the files that Locate would not find in the data folder,
// nil if it has them all. It does not read them.
func CheckPresent(dataDir string, names ...string) error {
	_, _, err := resolveAll(dataDir, names)
	return err
}

// SHA256 returns the checksum that the file with the given name has or should have:
// the catalogue's, which needs no look at the file, or that of its contents. That of a prepared file holds
// for what it was prepared from too, since the same is read from either.
func SHA256(dataDir, name string) (string, error) {
	if f, known := Lookup(name); known {
		return f.SHA256, nil
	}
	paths, err := Locate(dataDir, name)
	if err != nil {
		return "", err
	}
	sum, err := checksum.File(context.Background(), paths[0])
	if err != nil {
		return "", fmt.Errorf("dataset: %w", err)
	}
	return sum, nil
}

// Status is the condition of a file in a data folder.
type Status string

const (
	Present Status = "present" // and right
	Missing Status = "missing"
	Damaged Status = "damaged" // other bytes than expected
)

// State is a file of the catalogue and its condition.
type State struct {
	File
	Status Status
	Found  string // SHA-256 of a damaged file
}

// InCollection returns the path of the collection that the file is a member of; empty if of none.
func (s State) InCollection() string {
	for collection := range tables() {
		if strings.HasPrefix(s.Path, collection) {
			return collection
		}
	}
	return ""
}

// Verify reads all files in the data folder that the catalogue knows. It returns the conditions of the published
// files, members of collections among them, and then of those prepared files that are there, each in the catalogue's
// order.
func Verify(ctx context.Context, dataDir string) ([]State, error) {
	if info, err := os.Stat(dataDir); dataDir == "" || err != nil || !info.IsDir() {
		return nil, wrongFile(dataDir,
			"is no folder: name the data folder with --data DIR or the variable CONTEXTMOVER_DATA")
	}
	files, err := Choose()
	if err != nil {
		return nil, err
	}
	states, err := conditions(ctx, dataDir, append(files, prepared()...))
	return slices.DeleteFunc(states, func(s State) bool { return s.Parts != nil && s.Status == Missing }), err
}

// Extent returns how many bytes of a published file or collection are in the data folder, without reading them.
func Extent(dataDir string, f File) (bytes int64) {
	for _, m := range f.Members() {
		if info, err := os.Stat(fullPath(dataDir, m.Path)); err == nil && info.Mode().IsRegular() {
			bytes += info.Size()
		}
	}
	return bytes
}

// partPaths returns the paths of the published files and collections that f was prepared from.
func partPaths(f File) []string {
	var paths []string
	for _, part := range f.Parts {
		part, _, _ = strings.Cut(part, "!")
		paths = append(paths, part)
	}
	return paths
}

// conditions returns whether files are there and right.
func conditions(ctx context.Context, dataDir string, files []File) ([]State, error) {
	paths := make([]string, len(files))
	for i, f := range files {
		paths[i] = fullPath(dataDir, f.Path)
	}
	sums, err := hashAll(ctx, paths)
	if err != nil {
		return nil, err
	}
	states := make([]State, len(files))
	for i, f := range files {
		switch sums[i] {
		case f.SHA256:
			states[i] = State{f, Present, ""}
		case "":
			states[i] = State{f, Missing, ""}
		default:
			states[i] = State{f, Damaged, sums[i]}
		}
	}
	return states, nil
}

func fullPath(dataDir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dataDir, filepath.FromSlash(path))
}

// hashAll returns the SHA-256 of files, nothing for one that is not there, and a remark for what is no regular file, as
// a pipe, which would never end.
func hashAll(ctx context.Context, paths []string) ([]string, error) {
	sums := make([]string, len(paths))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, path := range paths {
		g.Go(func() error {
			info, err := os.Stat(path)
			switch {
			case err == nil && !info.Mode().IsRegular():
				sums[i] = "(it is no regular file)"
				return nil
			case err == nil:
				sums[i], err = checksum.File(ctx, path)
			case errors.Is(err, fs.ErrNotExist):
				return nil
			}
			if err != nil && ctx.Err() == nil {
				err = fmt.Errorf("dataset: %w", err)
			}
			return err
		})
	}
	return sums, g.Wait()
}
