package dataset

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"contextmover/internal/atomicfile"
	"contextmover/internal/disk"
)

// Copy copies published files into the data folder from a folder that has them in any layout and under any names. It
// knows them by their contents, and reads those with the right sizes. Sentences of SemEval's own archives are brought
// into the form that is wanted. Where the folder lacks a published file but has what is prepared from it, that is
// copied; prepared training text always. Anything but regular files is passed over.
//
// It returns how many files are new, and those of the published files that are still lacking. A file under
// the right path with other contents is a *FetchError; these come joined, after the rest has been copied.
func (f *Fetcher) Copy(ctx context.Context, from string, files []File) (got int, lacking []File, err error) {
	unlock, err := f.lock(ctx)
	if err != nil {
		return 0, nil, err
	}
	defer unlock()
	wanted, err := f.Lacking(ctx, files)
	if err != nil {
		return 0, nil, err
	}
	states, err := conditions(ctx, f.Dir, preparedFrom(files))
	if err != nil {
		return 0, nil, err
	}
	var forms []File
	for _, s := range states {
		if !s.OK() {
			forms = append(forms, s.File)
		}
	}
	source, err := index(ctx, from, slices.Concat(wanted, forms))
	if err != nil {
		return 0, nil, err
	}
	var copies []File
	missing := make(map[string]bool) // in the source
	for _, file := range wanted {
		if source.has(file) {
			copies = append(copies, file)
			continue
		}
		missing[file.Path], missing[collectionOf(file.Path)] = true, true
	}
	for _, p := range forms {
		useful := !p.ReadFromParts() || slices.ContainsFunc(partPaths(p), func(part string) bool {
			return missing[part]
		})
		if useful && source.has(p) {
			copies = append(copies, p)
		}
	}
	f.start(copies)
	got, failed := f.each(ctx, copies, func(ctx context.Context, file File) error { return f.copy(ctx, source, file) })
	if failed != nil && !errors.Is(failed, ErrData) {
		return got, nil, failed
	}
	still, err := f.Lacking(ctx, wanted)
	if err != nil {
		return got, nil, err
	}
	for _, file := range still {
		other := fullPath(from, file.Path)
		info, err := os.Stat(other)
		if err != nil || !info.Mode().IsRegular() || source.has(file) {
			lacking = append(lacking, file)
			continue
		}
		failed = errors.Join(failed, &FetchError{Path: file.Path, Problem: fmt.Sprintf("%s has not the SHA-256 "+
			"%.12s…: of %d bytes, expected %d, it is another version or cut short, and was not copied",
			other, file.SHA256, info.Size(), file.Bytes)})
	}
	return got, lacking, failed
}

// folder is where to copy from.
type folder struct {
	paths    map[string]string // of files, by their checksums
	prepared map[string]string // contents of what was made of files, by their checksums
}

func (s *folder) has(f File) bool { return s.paths[f.SHA256] != "" || s.prepared[f.SHA256] != "" }

// open returns the contents of a file that the folder has, and the path that they come from; empty if they were made.
func (s *folder) open(f File) (r io.ReadCloser, path string, err error) {
	if path := s.paths[f.SHA256]; path != "" {
		r, err := os.Open(path)
		return r, path, err
	}
	return io.NopCloser(strings.NewReader(s.prepared[f.SHA256])), "", nil
}

// longestSentences bounds what is read as SemEval's sentences; the longest file has 1.5 MB.
const longestSentences = 16 << 20

// index looks in a folder for files that are wanted.
func index(ctx context.Context, dir string, wanted []File) (*folder, error) {
	sizes := make(map[int64]bool)
	sums := make(map[string]bool)      // of sentences
	sentences := make(map[string]bool) // names that they have in SemEval's archives
	for _, f := range wanted {
		sizes[f.Bytes] = true
		if _, ok := scoresOf(f.Path); ok {
			sums[f.SHA256] = true
			name := path.Base(f.Path)
			sentences[name], sentences["STS2016"+strings.TrimPrefix(name, "STS")] = true, true
		}
	}
	// A folder behind a link is not walked through otherwise.
	root, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	var mu sync.Mutex
	source := &folder{paths: make(map[string]string), prepared: make(map[string]string)}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	linked := make(map[string]bool) // folders walked through by a link, each once: links may go round in a circle
	var walk fs.WalkDirFunc
	walk = func(path string, entry fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && path == root:
			return fmt.Errorf("dataset: %w", err)
		case err != nil:
			slog.Warn("passed over", "path", path, "problem", err.Error())
			return nil
		case entry.IsDir():
			return nil
		}
		info, err := os.Stat(path) // of what a link points to
		if err == nil && info.IsDir() {
			if path, err = filepath.EvalSymlinks(path); err == nil && !linked[path] {
				linked[path] = true
				return filepath.WalkDir(path, walk)
			}
		}
		if err != nil || !info.Mode().IsRegular() {
			return nil
		}
		if sentences[entry.Name()] && info.Size() < longestSentences {
			g.Go(func() error {
				text, err := os.ReadFile(path)
				if err != nil {
					slog.Warn("passed over", "path", path, "problem", err.Error())
					return nil
				}
				form := sentEval(string(text))
				h := sha256.Sum256([]byte(form))
				if sum := hex.EncodeToString(h[:]); sums[sum] {
					mu.Lock()
					defer mu.Unlock()
					source.prepared[sum] = form
				}
				return nil
			})
		}
		if !sizes[info.Size()] {
			return nil
		}
		g.Go(func() error {
			sum, err := hashFile(ctx, path)
			if err != nil && ctx.Err() == nil {
				slog.Warn("passed over", "path", path, "problem", err.Error())
				return nil
			}
			mu.Lock()
			defer mu.Unlock()
			if before := source.paths[sum]; before == "" || path < before {
				source.paths[sum] = path
			}
			return err
		})
		return nil
	}
	err = filepath.WalkDir(root, walk)
	return source, errors.Join(err, g.Wait())
}

// copy copies a file that has been found, unless it is there.
func (f *Fetcher) copy(ctx context.Context, from *folder, file File) error {
	path := fullPath(f.Dir, file.Path)
	if inPlace(ctx, path, file) {
		return nil
	}
	source, origin, err := from.open(file)
	if err != nil {
		return fmt.Errorf("dataset: %w", err)
	}
	defer source.Close()
	if err := disk.MkdirAll(filepath.Dir(path)); err != nil {
		return fmt.Errorf("dataset: %w", err)
	}
	var changed error
	err = atomicfile.Write(path, func(w *bufio.Writer) error {
		h := sha256.New()
		if err := f.copyTo(ctx, io.MultiWriter(w, h), source, file); err != nil {
			return err
		}
		if hex.EncodeToString(h.Sum(nil)) != file.SHA256 {
			changed = &FetchError{Path: file.Path, Problem: origin + " changed while it was copied"}
		}
		return changed
	})
	switch {
	case changed != nil:
		return changed // it names both files
	case err != nil:
		return fmt.Errorf("dataset: %w", err)
	}
	return nil
}

// inPlace tells whether a file is there already, and right; one that is not is about to be replaced.
func inPlace(ctx context.Context, path string, file File) bool {
	sum, err := hashFile(ctx, path)
	if err == nil && sum != file.SHA256 {
		slog.Warn("a damaged file is replaced", "file", path, "expected", file.SHA256, "found", sum)
	}
	return err == nil && sum == file.SHA256
}

func (f *Fetcher) copyTo(ctx context.Context, w io.Writer, source io.Reader, file File) error {
	buffer := make([]byte, 1<<18)
	for done := int64(0); ; {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, readErr := source.Read(buffer)
		if _, err := w.Write(buffer[:n]); err != nil {
			return err
		}
		done += int64(n)
		f.report(file, min(done, file.Bytes))
		switch {
		case readErr == io.EOF:
			return nil
		case readErr != nil:
			return readErr
		}
	}
}
