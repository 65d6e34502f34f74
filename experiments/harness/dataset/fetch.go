package dataset

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"contextmover/internal/atomicfile"
	"contextmover/internal/checksum"
	"contextmover/internal/disk"
)

// elsewhere says how to get a file otherwise.
const elsewhere = "name a server that has it with --mirror URL, or copy the file with --from DIR"

// Fetcher gets files of the catalogue into a data folder, several at once. A file appears under its name
// only when it has its checksum; until then it grows under that name with .part
// added, from where a later call goes on. Of several fetchers of one folder, in other processes too, all but one
// return an error, where the system has locks.
type Fetcher struct {
	// Dir is the data folder. It is made if need be.
	Dir string
	// Mirror is the URL of a server that has the files as Host has; empty for Host.
	Mirror string
	// Client makes the requests; nil for the usual one.
	Client *http.Client
	// Progress, if not nil, is told how many bytes of all the files are there, by one goroutine at a time.
	Progress func(done, total int64)

	mu         sync.Mutex
	have       map[string]int64 // bytes by path
	sum, total int64
}

// Variables so that tests need not wait.
var (
	fetchAttempts = 4
	fetchPause    = 2 * time.Second // doubled after each attempt
	// An attempt that takes longer is cut, and the next one goes on from there.
	fetchTime = 10 * time.Minute
)

const (
	atOnce = 8
	// So many files that cannot be had are enough to see that something is wrong with the place.
	tooMany = 20
)

// Lacking returns those of the published files that are not in the data folder with their checksums. A folder that does
// not exist lacks all.
func (f *Fetcher) Lacking(ctx context.Context, files []File) ([]File, error) {
	states, err := conditions(ctx, f.Dir, files)
	var lacking []File
	for _, s := range states {
		if s.Status != Present {
			lacking = append(lacking, s.File)
		}
	}
	return lacking, err
}

// Fetch downloads published files, members of collections among them, and returns how many of them are
// there now. Files in place with their checksum are left alone; what is damaged is replaced. What was
// loaded before is not loaded again if the server can go on from there (HTTP ranges); a broken transfer
// is taken up again a few times. Bytes with another checksum than the catalogue's are thrown away.
//
// Files that cannot be fetched do not keep it from getting the others, up to a number of them:
// their *FormatErrors come joined. Any other error, such as one of the disk, ends it.
func (f *Fetcher) Fetch(ctx context.Context, files []File) (got int, err error) {
	unlock, err := f.lock()
	if err != nil {
		return 0, err
	}
	defer unlock()
	return f.each(ctx, files, f.fetch)
}

// lock makes the data folder and keeps other fetchers away from it.
func (f *Fetcher) lock() (unlock func(), err error) {
	if err := disk.MkdirAll(f.Dir); err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	unlock, err = atomicfile.Lock(f.Dir)
	if errors.Is(err, atomicfile.ErrLocked) {
		return nil, fmt.Errorf("dataset: %s: another process is filling this folder: run the command again when it "+
			"has ended", f.Dir)
	}
	if err != nil { // there are no locks here
		unlock = func() {}
	}
	return unlock, nil
}

// each calls get for the files, several at once, and counts those for which it succeeds.
func (f *Fetcher) each(
	ctx context.Context, files []File, get func(ctx context.Context, file File) error,
) (got int, err error) {
	f.have, f.sum, f.total = make(map[string]int64), 0, 0
	for _, file := range files {
		f.total += file.Bytes
	}
	var (
		mu     sync.Mutex
		failed []error
	)
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(atOnce)
	for _, file := range files {
		g.Go(func() error {
			err := ctx.Err()
			if err == nil {
				err = get(ctx, file)
			}
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				got++
				f.report(file, file.Bytes)
			} else if errors.Is(err, ErrData) && len(failed) < tooMany-1 {
				failed = append(failed, err)
				return nil
			}
			return err
		})
	}
	if err = g.Wait(); err == nil || errors.Is(err, ErrData) {
		err = errors.Join(append(failed, err)...)
	}
	return got, err
}

// report tells Progress how much of a file is there.
func (f *Fetcher) report(file File, done int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sum += done - f.have[file.Path]
	f.have[file.Path] = done
	if f.Progress != nil {
		f.Progress(f.sum, f.total)
	}
}

// fetch downloads a file, with several attempts.
func (f *Fetcher) fetch(ctx context.Context, file File) error {
	path := fullPath(f.Dir, file.Path)
	sums, err := hashAll(ctx, []string{path})
	if err != nil || sums[0] == file.SHA256 {
		return err
	}
	for attempt, pause := 1, fetchPause; ; attempt, pause = attempt+1, 2*pause {
		err := f.attempt(ctx, file, path)
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, ErrData):
			return err
		case errors.As(err, new(*fs.PathError)):
			return fmt.Errorf("dataset: %w", err)
		case attempt == fetchAttempts:
			return wrongFile(file.Path, "%v, after %d attempts: run the command again to go on, %s; it was published "+
				"first as %s", err, attempt, elsewhere, file.Original)
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// attempt loads what the part of a file lacks, checks it and gives it its name. A part with other bytes is removed, as
// is what is no regular file: it would have somebody else's file written to, or never end.
func (f *Fetcher) attempt(ctx context.Context, file File, path string) error {
	part, have := path+".part", int64(0)
	if info, err := os.Lstat(part); err == nil && info.Mode().IsRegular() && info.Size() <= file.Bytes {
		have = info.Size()
	}
	if have < file.Bytes || have == 0 {
		if err := f.transfer(ctx, file, part, have); err != nil {
			return err
		}
	}
	sum, err := checksum.File(ctx, part)
	if err != nil {
		return err
	}
	if sum != file.SHA256 {
		return errors.Join(fmt.Errorf("the loaded file has the SHA-256 %.12s…, expected %.12s…, and was thrown away: "+
			"the source has another version, or the transfer was tampered with", sum, file.SHA256), disk.Remove(part))
	}
	if err := disk.SyncFile(part); err != nil {
		return err
	}
	if err := disk.Rename(part, path); err != nil {
		return err
	}
	return disk.SyncFolder(filepath.Dir(path))
}

// transfer loads what the part lacks, which has so many bytes: all of it if the server has no ranges. The error is a
// *FormatError if it is not worthwhile to ask again.
func (f *Fetcher) transfer(ctx context.Context, file File, path string, have int64) error {
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, file.Address(cmp.Or(f.Mirror, Host)), nil)
	if err != nil {
		return err
	}
	// Compression on the way would make ranges those of something else.
	request.Header.Set("Accept-Encoding", "identity")
	if have > 0 {
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-", have))
	}
	response, err := cmp.Or(f.Client, http.DefaultClient).Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	var part *disk.File
	status := response.StatusCode
	ranges := status == http.StatusPartialContent
	switch {
	case status == http.StatusOK:
		have = 0
		if err := errors.Join(disk.MkdirAll(filepath.Dir(path)), disk.RemoveAll(path)); err != nil {
			return err
		}
		part, err = disk.CreateNew(path)
	case have > 0 && ranges && strings.HasPrefix(response.Header.Get("Content-Range"), fmt.Sprintf("bytes %d-", have)):
		part, err = disk.Open(path)
	case have > 0 && (ranges || status == http.StatusRequestedRangeNotSatisfiable):
		return f.transfer(ctx, file, path, 0)
	case status == http.StatusTooManyRequests || status == http.StatusRequestTimeout || status >= 500:
		return fmt.Errorf("%s answers %s", request.URL, response.Status)
	default:
		return wrongFile(file.Path, "%s answers %s: %s; it was published first as %s",
			request.URL, response.Status, elsewhere, file.Original)
	}
	if err != nil {
		return err
	}
	defer part.Close()
	if _, err := part.Reader().Seek(have, io.SeekStart); err != nil {
		return err
	}
	// One byte too many makes the checksum wrong.
	body := io.TeeReader(io.LimitReader(response.Body, file.Bytes-have+1), part)
	for buffer := make([]byte, 1<<15); ; {
		n, err := body.Read(buffer)
		have += int64(n)
		f.report(file, have)
		if err == io.EOF {
			return part.Close()
		}
		if err != nil {
			return err
		}
	}
}
