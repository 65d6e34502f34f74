package prepare

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/zstd"

	"contextmover/cmdlib/corpus"
	"contextmover/experiments/harness/prepare/internal/documents"
	"contextmover/internal/atomicfile"
	"contextmover/internal/checkpoint"
)

// Job is text that is being prepared in pieces, each step of it
// in any number of processes, on machines that share the folder.
//
// The steps are Read for each piece of the text, which takes nearly all of the time, and then Corpus, once, which goes
// over all documents in their order, as Run does. All that a step makes is there whole or not at all, with a stamp that
// has its checksum and the key of what it was made from. Parts that exist are not made again, so a step that was killed
// can be repeated and goes on. The corpus is that of Run, byte for byte.
type Job struct {
	Dir string
	// Begin is told what is being made, and Mend what is damaged
	// and is made again. A job that was just opened tells nobody.
	Begin func(what string)
	Mend  func(*corpus.DamagedError)

	plan   plan
	digest corpus.Key // of the plan
}

const (
	// The names in the folder of a job.
	planName      = "prepare.json"
	documentsName = "documents" // of each piece
	corpusName    = "corpus"
	stampName     = "prepared.json" // of the corpus
)

// NewJob cuts the text of the sources into pieces, which are files of about size bytes as stored in all, and
// writes the plan to the folder dir, which it makes. A folder that has the same plan is left as it is.
// With another one it is an error. Errors are those with which Run begins.
func NewJob(dir string, o Options, size int64) (*Job, error) {
	p, err := o.plan(size)
	if err != nil {
		return nil, err
	}
	for _, piece := range p.Pieces {
		for i := range piece.Files {
			if piece.Files[i].Path, err = filepath.Abs(piece.Files[i].Path); err != nil {
				return nil, fmt.Errorf("prepare: %w", err)
			}
		}
	}
	if err := checkpoint.WritePlan(dir, planName, p, documentsName); err != nil {
		return nil, fmt.Errorf("prepare: %w", err)
	}
	return OpenJob(dir)
}

// OpenJob returns the job in a folder, and removes what killed processes
// left there. The error is fs.ErrNotExist where there is none.
func OpenJob(dir string) (*Job, error) {
	j := &Job{Dir: dir, Begin: func(string) {}, Mend: func(*corpus.DamagedError) {}}
	var err error
	j.digest, err = checkpoint.ReadPlan(dir, planName, &j.plan, j.plan.validate, documentsName)
	if err != nil {
		return nil, fmt.Errorf("prepare: %w", err)
	}
	return j, nil
}

func (p *plan) validate() error {
	for _, part := range p.Parts {
		if part.Shards < 1 || part.Shards > MaxShards {
			return fmt.Errorf("%d shards of %q", part.Shards, part.Kind)
		}
	}
	for i, piece := range p.Pieces {
		if piece.Part < 0 || piece.Part >= len(p.Parts) || piece.Shard < -1 ||
			piece.Shard >= p.Parts[piece.Part].Shards || len(piece.Files) == 0 {
			return fmt.Errorf("piece %d is none", i)
		}
	}
	return nil
}

// Pieces returns the number of pieces of the text.
func (j *Job) Pieces() int { return len(j.plan.Pieces) }

// Piece names a piece as messages do: from 1, with what it is.
func (j *Job) Piece(piece int) string {
	files := j.plan.Pieces[piece].Files
	name := fmt.Sprintf("piece %d of %d, %s", piece+1, j.Pieces(), files[0].Path)
	if len(files) > 1 {
		name += fmt.Sprintf(" and %d more files", len(files)-1)
	}
	return name
}

// unchanged returns an error if a file of a piece is not the one that it was. One that is gone is unchanged.
func (j *Job) unchanged(piece int) error {
	for _, f := range j.plan.Pieces[piece].Files {
		info, err := os.Stat(f.Path)
		if err == nil && (info.Size() != f.Bytes || !info.ModTime().Equal(f.Modified)) {
			return fmt.Errorf("prepare: %s was changed since the text was cut into pieces: put back what it was at "+
				"%v, or start from scratch in another folder", f.Path, f.Modified)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("prepare: %w", err)
		}
	}
	return nil
}

// key is that of what the job makes of a number.
func (j *Job) key(what string, number int) corpus.Key {
	return checkpoint.KeyOf("%x %s %d", j.digest, what, number)
}

// place is that of the documents of a piece, a file of the given name.
func (j *Job) place(piece int) (place checkpoint.Place[struct{}], name string) {
	dir := filepath.Join(j.Dir, documentsName)
	name = fmt.Sprintf("%05d", piece)
	return checkpoint.Place[struct{}]{
		Stamp: filepath.Join(dir, name+".json"), Dir: dir, Key: j.key(documentsName, piece),
	}, name
}

// Read makes documents of a piece, unless that has been done, and returns whether it had to. An error names the piece.
func (j *Job) Read(ctx context.Context, piece int, _ func(done, total int64)) (made bool, err error) {
	place, name := j.place(piece)
	made, err = checkpoint.Step[checkpoint.Stamp[struct{}]]{
		Tell: j.Mend,
		Open: func(ctx context.Context) (s checkpoint.Stamp[struct{}], err error) {
			if s, err = place.Open(ctx); err == nil {
				err = j.unchanged(piece)
			}
			return s, err
		},
		Make: func(ctx context.Context) (s checkpoint.Stamp[struct{}], err error) {
			if err := j.unchanged(piece); err != nil {
				return s, err
			}
			j.Begin(j.Piece(piece))
			if err := j.read(ctx, piece, filepath.Join(place.Dir, name)); err != nil {
				return s, err
			}
			return place.Write(ctx, struct{}{}, name)
		},
	}.Do(ctx)
	if err != nil {
		err = fmt.Errorf("%s: %w", j.Piece(piece), err)
	}
	return made, err
}

// read writes the documents of a piece to a file, an object of JSON for each.
func (j *Job) read(ctx context.Context, piece int, path string) error {
	var failed error // without the name of what would have been written
	err := atomicfile.Write(path, func(w *bufio.Writer) error {
		pack, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest))
		if err != nil {
			return err
		}
		encoder := json.NewEncoder(pack)
		write := func(d *documents.Document) error { return encoder.Encode(d) }
		failed = j.plan.process(ctx, piece, write, func(int64) {})
		return cmp.Or(failed, pack.Close())
	})
	return cmp.Or(failed, err)
}

// documents calls write for the documents of a piece that has been read.
func (j *Job) documents(piece int, write func(*documents.Document) error) error {
	place, name := j.place(piece)
	f, err := corpus.Open(filepath.Join(place.Dir, name))
	if err != nil {
		return err
	}
	defer f.Close()
	for decoder := json.NewDecoder(f); ; {
		var d documents.Document
		if err := decoder.Decode(&d); err == io.EOF {
			return nil
		} else if err != nil {
			return fmt.Errorf("prepare: %w", err)
		}
		if err := write(&d); err != nil {
			return err
		}
	}
}

// Corpus makes the corpus in Folder, unless that has been done, and returns what Run would. It holds the
// hashes of all sentences. Pieces that have not been read, or are damaged, it reads. A corpus of which a file is
// damaged or gone is made again.
func (j *Job) Corpus(ctx context.Context) ([]Part, error) {
	place := checkpoint.Place[[]Part]{
		Stamp: filepath.Join(j.Dir, stampName), Dir: j.Folder(), Key: j.key(corpusName, 0),
	}
	s, _, err := checkpoint.Step[checkpoint.Stamp[[]Part]]{
		Tell: j.Mend,
		Open: place.Open,
		Make: func(ctx context.Context) (s checkpoint.Stamp[[]Part], err error) {
			for piece := range j.Pieces() {
				if _, err := j.Read(ctx, piece, nil); err != nil {
					return s, err
				}
			}
			j.Begin("the corpus")
			kind := kindOfFolder()
			kind.Marked = false // the folder of a job is never anything else
			var parts []Part
			err = atomicfile.Replace(j.Folder(), kind, func(dir string) (err error) {
				parts, err = j.plan.write(ctx, dir, j.documents)
				return err
			})
			if err != nil && !errors.Is(err, fs.ErrExist) { // which another process has just made, of the same bytes
				return s, err
			}
			names := []string{manifestName, indexName, leftOutName}
			for _, p := range parts {
				for _, s := range p.Shards {
					names = append(names, s.Name)
				}
			}
			return place.Write(ctx, parts, names...)
		},
	}.Get(ctx)
	return s.Result, err
}

// Folder returns the folder that Corpus makes.
func (j *Job) Folder() string { return filepath.Join(j.Dir, corpusName) }
