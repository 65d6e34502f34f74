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
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"contextmover/internal/atomicfile"
	"contextmover/internal/checksum"
)

// FetchError says why a file could not be had.
type FetchError struct {
	Path    string // in the catalogue
	Problem string // what happened, and what to do
	// Unreachable tells that there was no answer at all: other files of the same place
	// will fare no better now.
	Unreachable bool
}

func (e *FetchError) Error() string { return fmt.Sprintf("dataset: %s: %s", e.Path, e.Problem) }

// Is tells that the error is ErrData.
func (e *FetchError) Is(target error) bool { return target == ErrData }

// Fetcher gets files of the catalogue into a data folder. A file appears under its name
// only when it has its checksum; until then it grows under that name with .part
// added, from where a later call goes on.
type Fetcher struct {
	// Dir is the data folder. It is made if need be.
	Dir string
	// Client makes the requests; nil for one with the usual timeouts.
	Client *http.Client
	// Progress, if not nil, is told how many bytes of the current file are there.
	Progress func(done, total int64)
}

// Variables so that tests need not wait.
var (
	fetchAttempts = 4
	fetchPause    = 2 * time.Second // doubled after each attempt
	fetchStall    = time.Minute     // a transfer that brings nothing for so long is cut
)

// Have tells whether the file is in the folder, with its checksum. A file that is there and is
// another one is a *FetchError: it is for its owner to remove.
func (f *Fetcher) Have(file File) (bool, error) {
	path := fullPath(f.Dir, file.Path)
	switch sum, err := checksum.File(context.Background(), path); {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("dataset: %w", err)
	case sum != file.SHA256:
		return false, &FetchError{Path: file.Path, Problem: fmt.Sprintf("%s is there but has the SHA-256 %.12s…, expected %.12s…: remove or rename it first", path, sum, file.SHA256)}
	}
	return true, nil
}

// Fetch downloads a file from its address, unless Have. What was loaded before is not
// loaded again if the server can go on from there (HTTP ranges); a broken transfer is taken up again a few
// times. Bytes with another checksum than the catalogue's are thrown away.
func (f *Fetcher) Fetch(ctx context.Context, file File) error {
	if have, err := f.Have(file); have || err != nil {
		return err
	}
	if file.Address == "" {
		return &FetchError{Path: file.Path, Problem: "has no public address: copy it with --from DIR; it comes from " + file.Original}
	}
	path := fullPath(f.Dir, file.Path)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return fmt.Errorf("dataset: %w", err)
	}
	part := path + ".part"
	pause := fetchPause
	resumed := false // bytes of an earlier call are in the part
	for attempt := 1; ; attempt++ {
		if info, err := os.Stat(part); err == nil && info.Size() > 0 && attempt == 1 {
			resumed = true
		}
		err := f.transfer(ctx, file, part)
		if info, stat := os.Stat(part); err != nil && stat == nil && info.Size() == 0 {
			os.Remove(part)
		}
		if err == nil {
			err = finishPart(part, path, file)
			var wrong *FetchError
			if errors.As(err, &wrong) && resumed {
				// The part may have been of another version: once more, from the start.
				resumed = false
				continue
			}
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		var lasting *FetchError
		if errors.As(err, &lasting) || errors.As(err, new(*fs.PathError)) {
			return err
		}
		if attempt == fetchAttempts {
			return &FetchError{
				Path: file.Path, Unreachable: errors.As(err, new(*net.OpError)),
				Problem: fmt.Sprintf("%v, after %d attempts: run the command again to go on, or copy the file with --from DIR", err, attempt),
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
			pause *= 2
		}
	}
}

// transfer loads what the part lacks. A *FetchError or *fs.PathError is for good; any other error
// may be better next time.
func (f *Fetcher) transfer(ctx context.Context, file File, part string) (err error) {
	out, err := os.OpenFile(part, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	have, err := out.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if have > file.Bytes {
		have = 0
	}
	if have == file.Bytes && have > 0 {
		return nil
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stall := fetchStall
	stalled := time.AfterFunc(stall, func() { cancel(fmt.Errorf("nothing came for %v", stall)) })
	defer stalled.Stop()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, file.Address, nil)
	if err != nil {
		return &FetchError{Path: file.Path, Problem: err.Error()}
	}
	// Compression on the way would make ranges those of something else.
	request.Header.Set("Accept-Encoding", "identity")
	if have > 0 {
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-", have))
	}
	client := f.Client
	if client == nil {
		client = http.DefaultClient
	}
	response, err := client.Do(request)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		return err
	}
	defer response.Body.Close()
	switch status := response.StatusCode; {
	case status == http.StatusPartialContent && strings.HasPrefix(response.Header.Get("Content-Range"), fmt.Sprintf("bytes %d-", have)):
	case status == http.StatusOK, status == http.StatusPartialContent && have == 0:
		have = 0 // the server has no ranges
	case status == http.StatusPartialContent, status == http.StatusRequestedRangeNotSatisfiable:
		if err := out.Truncate(0); err != nil {
			return err
		}
		return fmt.Errorf("%s does not go on at byte %d", file.Address, have)
	case status == http.StatusTooManyRequests, status == http.StatusRequestTimeout, status >= 500:
		return fmt.Errorf("%s answers %s", file.Address, response.Status)
	default:
		os.Remove(part)
		return &FetchError{Path: file.Path, Problem: fmt.Sprintf("%s answers %s: the address of this version has gone; copy the file with --from DIR, it comes from %s", file.Address, response.Status, file.Original)}
	}
	if err := out.Truncate(have); err != nil {
		return err
	}
	if _, err := out.Seek(have, io.SeekStart); err != nil {
		return err
	}
	buffer := make([]byte, 1<<16)
	for {
		n, readErr := response.Body.Read(buffer)
		stalled.Reset(stall)
		if have += int64(n); have > file.Bytes {
			os.Remove(part)
			return &FetchError{Path: file.Path, Problem: fmt.Sprintf("%s serves more than the %d bytes of the file: it has another version", file.Address, file.Bytes)}
		}
		if _, err := out.Write(buffer[:n]); err != nil {
			return err
		}
		if f.Progress != nil {
			f.Progress(have, file.Bytes)
		}
		if readErr != nil && readErr != io.EOF {
			if cause := context.Cause(ctx); cause != nil {
				return cause
			}
			return readErr
		}
		if readErr == io.EOF {
			break
		}
	}
	if have < file.Bytes && response.ContentLength < 0 {
		return fmt.Errorf("the transfer ended at byte %d of %d", have, file.Bytes)
	}
	return nil // if it is too short, the server thinks that it is all: the checksum tells
}

// finishPart checks the part and gives it its name; a wrong one is removed.
func finishPart(part, path string, file File) error {
	sum, err := checksum.File(context.Background(), part)
	if err != nil {
		return fmt.Errorf("dataset: %w", err)
	}
	if sum != file.SHA256 {
		if err := os.Remove(part); err != nil {
			return fmt.Errorf("dataset: %w", err)
		}
		return &FetchError{Path: file.Path, Problem: fmt.Sprintf("what was loaded has the SHA-256 %.12s…, expected %.12s…, and was thrown away: the source has another version, or the transfer was tampered with; copy the file with --from DIR", sum, file.SHA256)}
	}
	f, err := os.OpenFile(part, os.O_RDWR, 0)
	if err == nil {
		err = errors.Join(f.Sync(), f.Close())
	}
	if err == nil {
		err = os.Rename(part, path)
	}
	if err != nil {
		return fmt.Errorf("dataset: %w", err)
	}
	return nil
}

// Copy copies a file from a folder that has it under the same path, unless Have. The
// error of a folder that lacks it satisfies errors.Is(err, fs.ErrNotExist).
func (f *Fetcher) Copy(ctx context.Context, from string, file File) error {
	if have, err := f.Have(file); have || err != nil {
		return err
	}
	source, err := os.Open(fullPath(from, file.Path))
	if err != nil {
		return fmt.Errorf("dataset: %w", err)
	}
	defer source.Close()
	path := fullPath(f.Dir, file.Path)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return fmt.Errorf("dataset: %w", err)
	}
	var wrong error
	err = atomicfile.Write(path, func(w *bufio.Writer) error {
		h := sha256.New()
		if err := f.copyTo(ctx, io.MultiWriter(w, h), source, file.Bytes); err != nil {
			return err
		}
		if sum := hex.EncodeToString(h.Sum(nil)); sum != file.SHA256 {
			wrong = &FetchError{Path: file.Path, Problem: fmt.Sprintf("%s has the SHA-256 %.12s…, expected %.12s…: it is another version, and was not copied", source.Name(), sum, file.SHA256)}
		}
		return wrong
	})
	switch {
	case wrong != nil:
		return wrong // it names both files
	case err != nil:
		return fmt.Errorf("dataset: %w", err)
	}
	return nil
}

func (f *Fetcher) copyTo(ctx context.Context, w io.Writer, source io.Reader, bytes int64) error {
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
		if f.Progress != nil {
			f.Progress(min(done, bytes), bytes)
		}
		switch {
		case readErr == io.EOF:
			return nil
		case readErr != nil:
			return readErr
		}
	}
}
