package prepare

import (
	"bufio"
	"cmp"
	"context"
	"encoding/gob"
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
	"contextmover/internal/disk"
)

// Job is text that is being prepared in pieces, each step of it
// in any number of processes, on machines that share the folder.
//
// The steps are Read for each piece of the text, which takes nearly all of the time, and then Corpus, once, which goes
// over all documents in their order, as Run does. All that a step makes is there whole or not at all, and has the key
// of what it was made from. Parts that exist are not made again, so a step that was killed can be repeated and goes
// on. The corpus is that of Run, byte for byte.
type Job struct {
	Dir string
	// Begin is told what is being made, and Mend what is damaged
	// and is made again. A job that was just opened tells nobody.
	Begin func(what string)
	Mend  func(*corpus.DamagedError)

	plan   plan
	digest corpus.Key // of the plan
}

// plan is what prepare.json has.
type plan struct {
	Format int         `json:"format"`
	Seed   uint64      `json:"seed"`
	Parts  []planPart  `json:"parts"`
	Files  []planFile  `json:"files"`
	Pieces []planPiece `json:"pieces"` // in the order of reading
}

type planPart struct {
	Kind   Kind `json:"kind"`
	Shards int  `json:"shards"`
}

type planFile struct {
	Path  string `json:"path"`
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
}

// planPiece is some files, or a part of one.
type planPiece struct {
	Part  int   `json:"part"`
	Shard int   `json:"shard"` // −1: drawn for each document
	First int   `json:"first"` // the first file
	Files int   `json:"files"`
	From  int64 `json:"from,omitempty"` // of the file, where it is a part of one
	To    int64 `json:"to,omitempty"`
}

const (
	jobFormat = 2
	// The names in the folder of a job.
	planName      = "prepare.json"
	documentsName = "documents" // of each piece
	corpusName    = "corpus"
	stampName     = "prepared.json" // of the corpus
)

// NewJob cuts the text of the sources into pieces of about size bytes as stored, at least 1, and
// writes the plan to the folder dir, which it makes. A folder that has the same plan is left as it is.
// With another one it is an error. A plain file is cut into parts of whole MiB; a compressed one is
// in one piece. Errors are those with which Run begins.
func NewJob(dir string, o Options, size int64) (*Job, error) {
	inputs, err := o.inputs()
	if err != nil {
		return nil, err
	}
	shares, shards := o.deal(inputs)
	made := plan{Format: jobFormat, Seed: o.Seed}
	for i, s := range o.Sources {
		made.Parts = append(made.Parts, planPart{s.Kind, shards[i]})
	}
	unit := int64(unitSize)
	part := (min(size, 1<<50) + unit - 1) / unit * unit
	for _, s := range shares {
		filled := int64(0)
		open := false // the last piece has room
		for _, in := range s.inputs {
			path, err := filepath.Abs(in.path)
			if err != nil {
				return nil, fmt.Errorf("prepare: %s: %w", in.path, err)
			}
			p := planPiece{Part: s.source, Shard: s.shard, First: len(made.Files), Files: 1}
			made.Files = append(made.Files, planFile{path, in.name, in.size})
			if in.size >= part+part/2 {
				if made.Parts[s.source].Kind.cut(in.path) {
					for open = false; p.To < in.size; p.From = p.To {
						if p.To = p.From + part; p.To > in.size-part/2 {
							p.To = in.size
						}
						made.Pieces = append(made.Pieces, p)
					}
					continue
				}
			}
			if open && filled+in.size <= size {
				made.Pieces[len(made.Pieces)-1].Files++
			} else {
				made.Pieces = append(made.Pieces, p)
				filled, open = 0, true
			}
			filled += in.size
		}
	}
	if err := checkpoint.WritePlan(dir, planName, made, documentsName); err != nil {
		return nil, fmt.Errorf("prepare: %w", err)
	}
	return OpenJob(dir)
}

// cut tells whether a file of the kind can be read in parts.
func (k Kind) cut(path string) bool {
	return k != Books && !isPacked(magic(path))
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
	if p.Format != jobFormat {
		return fmt.Errorf("the job has format %d, expected %d", p.Format, jobFormat)
	}
	for _, part := range p.Parts {
		if err := part.Kind.Validate(); err != nil {
			return err
		}
		if part.Shards < 1 || part.Shards > MaxShards {
			return fmt.Errorf("%d shards of %s", part.Shards, part.Kind)
		}
	}
	for i, piece := range p.Pieces {
		if piece.Part < 0 || piece.Part >= len(p.Parts) || piece.Shard < -1 ||
			piece.Shard >= p.Parts[piece.Part].Shards ||
			piece.First < 0 || piece.Files < 1 || piece.Files > len(p.Files)-piece.First ||
			piece.To != 0 && (piece.Files > 1 || piece.From < 0 || piece.To <= piece.From ||
				piece.To > p.Files[piece.First].Bytes) {
			return fmt.Errorf("piece %d is none", i)
		}
	}
	if len(p.Pieces) == 0 {
		return errors.New("no pieces")
	}
	return nil
}

// Pieces returns the number of pieces of the text.
func (j *Job) Pieces() int { return len(j.plan.Pieces) }

// Piece names a piece as messages do: from 1, with what it is.
func (j *Job) Piece(piece int) string {
	p := j.plan.Pieces[piece]
	first := j.plan.Files[p.First].Path
	what := corpus.Piece{Path: first, From: p.From, To: p.To}.String()
	if p.Files > 1 {
		what = fmt.Sprintf("%s and %d more files", first, p.Files-1)
	}
	return fmt.Sprintf("piece %d of %d, %s", piece+1, j.Pieces(), what)
}

// inputs returns what a piece has, if its files are as they were.
func (j *Job) inputs(piece int) (list []input, err error) {
	p := j.plan.Pieces[piece]
	before := int64(0)
	for _, f := range j.plan.Files[p.First : p.First+p.Files] {
		info, err := os.Stat(f.Path)
		if err != nil {
			return nil, fmt.Errorf("prepare: %w", err)
		}
		if info.Size() != f.Bytes {
			return nil, fmt.Errorf("prepare: %s has %d bytes, and had %d when it was cut into pieces; start from "+
				"scratch in another folder", f.Path, info.Size(), f.Bytes)
		}
		in := input{path: f.Path, name: f.Name, size: f.Bytes, from: p.From, to: cmp.Or(p.To, f.Bytes), before: before}
		before += in.to - in.from
		list = append(list, in)
	}
	return list, nil
}

// files returns the files of a piece, or the part of one, with the checksums that they must have, if these are given.
func (j *Job) files(piece int, sums []uint64) (files []corpus.Piece) {
	p := j.plan.Pieces[piece]
	for i, f := range j.plan.Files[p.First : p.First+p.Files] {
		file := corpus.Piece{Path: f.Path, From: p.From, To: p.To}
		if sums != nil {
			file.Sum = sums[i]
		}
		files = append(files, file)
	}
	return files
}

// sums returns the checksums of the files of a piece.
func (j *Job) sums(ctx context.Context, piece int) (sums []uint64, err error) {
	for _, file := range j.files(piece, nil) {
		sum, err := file.Checksum(ctx)
		if err != nil {
			return nil, err
		}
		sums = append(sums, sum)
	}
	return sums, nil
}

// unchanged returns an error if a file of a piece is not the text that was read, where it was changed since then.
func (j *Job) unchanged(ctx context.Context, piece int, sums []uint64) error {
	read, err := os.Stat(j.path(piece))
	if err != nil {
		return err
	}
	for _, file := range j.files(piece, sums) {
		if err := file.Unchanged(ctx, read.ModTime()); err != nil {
			return fmt.Errorf("%s: %w", j.Piece(piece), err)
		}
	}
	return nil
}

// key is that of what the job makes of a number.
func (j *Job) key(what string, number int) corpus.Key {
	return checkpoint.KeyOf("%x %s %d", j.digest, what, number)
}

// path is that of the documents of a piece.
func (j *Job) path(piece int) string {
	return filepath.Join(j.Dir, documentsName, fmt.Sprintf("%05d", piece))
}

// message is a document of a piece, or the end of them.
type message struct {
	Document documents.Document
	End      *end
}

// end is what stands behind the documents of a piece.
type end struct {
	Lines int64    // of a part of a file, where lines are counted
	Sums  []uint64 // of the files, see corpus.Piece.Checksum
}

// Read makes documents of a piece, unless that has been done, and returns whether it had to. An error names the piece.
func (j *Job) Read(ctx context.Context, piece int, progress func(done, total int64)) (made bool, err error) {
	return checkpoint.Step[end]{
		Tell: j.Mend,
		Open: func(ctx context.Context) (end, error) {
			last, err := j.documents(ctx, piece, func(*documents.Document) error { return nil })
			if err == nil {
				err = j.unchanged(ctx, piece, last.Sums)
			}
			return last, err
		},
		Make: func(ctx context.Context) (last end, err error) {
			inputs, err := j.inputs(piece)
			if err == nil {
				last.Sums, err = j.sums(ctx, piece)
			}
			if err == nil {
				j.Begin(j.Piece(piece))
				err = j.read(ctx, piece, inputs, last, progress)
			}
			if err != nil {
				err = fmt.Errorf("%s: %w", j.Piece(piece), err)
			}
			return last, err
		},
	}.Do(ctx)
}

// read reads a piece; last has what is known of its end already.
func (j *Job) read(
	ctx context.Context, piece int, inputs []input, last end, progress func(done, total int64),
) error {
	var total int64
	for _, in := range inputs {
		total += in.to - in.from
	}
	tell := func(done int64) {
		if progress != nil {
			progress(done, total)
		}
	}
	var unread, unwritten error
	err := atomicfile.Write(j.path(piece), func(w *bufio.Writer) error {
		pack, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest))
		if err != nil {
			return err
		}
		encoder := gob.NewEncoder(pack)
		if err := encoder.Encode(j.key(documentsName, piece)); err != nil {
			return err
		}
		last.Lines, err = process(ctx, j.plan.Parts[j.plan.Pieces[piece].Part].Kind, inputs, tell,
			func(d *documents.Document) error {
				if d.Left != "" {
					d.Text = nil
				}
				unwritten = encoder.Encode(message{Document: *d})
				return unwritten
			})
		if unwritten == nil {
			unread = err
		}
		if err != nil {
			return err
		}
		return errors.Join(encoder.Encode(message{End: &last}), pack.Close())
	})
	if unread != nil { // without the names of what would have been written
		return unread
	}
	return err
}

// documents calls do for the documents of a piece, to the end of its file. The error is that of do, fs.ErrNotExist if
// the piece has not been read, or a *corpus.DamagedError for a file that is not what was written.
func (j *Job) documents(ctx context.Context, piece int, do func(*documents.Document) error) (last end, err error) {
	path := j.path(piece)
	f, err := os.Open(path)
	if err != nil {
		return last, fmt.Errorf("prepare: %w", err)
	}
	defer f.Close()
	damaged := func(what string) error { return &corpus.DamagedError{Path: path, What: what} }
	unpack, err := zstd.NewReader(f, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return last, damaged(err.Error())
	}
	defer unpack.Close()
	in := bufio.NewReaderSize(unpack, 1<<18) // which gob does not read beyond a message
	decoder := gob.NewDecoder(in)
	next := func(value any) error {
		err := decoder.Decode(value)
		if _, failed := errors.AsType[*fs.PathError](err); err == nil || failed { // of the disk
			return err
		}
		return damaged(err.Error())
	}
	var is corpus.Key
	if err := next(&is); err != nil {
		return last, err
	}
	if is != j.key(documentsName, piece) {
		return last, damaged("was made of something else")
	}
	for {
		var m message
		if err := cmp.Or(ctx.Err(), next(&m)); err != nil {
			return last, err
		}
		if m.End != nil {
			last = *m.End
			break
		}
		if !sound(&m.Document) {
			return last, damaged("has sentences that break the rules of prepared text")
		}
		if err := do(&m.Document); err != nil {
			return last, err
		}
	}
	if _, err := in.ReadByte(); err != io.EOF { // the checksum stands behind
		return last, damaged(cmp.Or(err, errors.New("has something behind its end")).Error())
	}
	if len(last.Sums) != j.plan.Pieces[piece].Files {
		return last, damaged("was made of something else")
	}
	return last, nil
}

// sound tells whether a document has the sentences that it says it has.
func sound(d *documents.Document) bool {
	from := 0
	for _, end := range d.Ends {
		if end < from || end > len(d.Text) && d.Left == "" {
			return false
		}
		from = end
	}
	return len(d.Ends) == len(d.Hashes) && len(d.Ends) == len(d.Tokens)
}

// reread reads a piece again whose documents are damaged. The error is what it is given for another file.
func (j *Job) reread(ctx context.Context, damaged *corpus.DamagedError) error {
	for piece := range j.Pieces() {
		if j.path(piece) != damaged.Path {
			continue
		}
		j.Mend(damaged)
		if err := disk.Remove(damaged.Path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("prepare: %w", err)
		}
		_, err := j.Read(ctx, piece, nil)
		return err
	}
	return damaged
}

// Corpus makes the corpus in Folder, unless that has been done, and returns what Run would. It holds a table of the
// hashes of all sentences: 11 to 22 bytes each. The error is a *checkpoint.NotYetError if some pieces have not been
// read; a damaged one is read again. A corpus of which a file is damaged or gone is made again.
func (j *Job) Corpus(ctx context.Context) ([]Part, error) {
	place := checkpoint.Place[[]Part]{
		Stamp: filepath.Join(j.Dir, stampName), Dir: j.Folder(), Key: j.key(corpusName, 0),
	}
	s, _, err := checkpoint.Step[checkpoint.Stamp[[]Part]]{
		Tell: j.Mend, Remake: j.reread,
		Open: place.Open,
		Make: func(ctx context.Context) (s checkpoint.Stamp[[]Part], err error) {
			var pieces []string
			for piece := range j.Pieces() {
				pieces = append(pieces, j.path(piece))
			}
			if err := checkpoint.Need("reading", pieces); err != nil {
				return s, err
			}
			j.Begin("the corpus")
			kind := kindOfFolder()
			kind.Marked = false // the folder of a job is never anything else
			var parts []Part
			err = atomicfile.Replace(j.Folder(), kind, func(dir string) (err error) {
				parts, err = j.write(ctx, dir)
				return err
			})
			if err != nil {
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

// write fills the folder of the corpus.
func (j *Job) write(ctx context.Context, dir string) ([]Part, error) {
	w, err := newWriter(dir, j.plan.Seed)
	if err != nil {
		return nil, err
	}
	defer w.close()
	for _, p := range j.plan.Parts {
		w.add(p.Kind, p.Shards)
	}
	for piece, p := range j.plan.Pieces {
		if piece == 0 || p.Part != j.plan.Pieces[piece-1].Part || p.Shard != j.plan.Pieces[piece-1].Shard {
			if err := w.flush(); err != nil {
				return nil, err
			}
			w.begin(p.Part, p.Shard)
		}
		if p.From == 0 {
			w.before = 0
		}
		last, err := j.documents(ctx, piece, w.write)
		if err != nil {
			return nil, err
		}
		w.before += last.Lines
	}
	if err := w.flush(); err != nil {
		return nil, err
	}
	return w.finish(ctx)
}

// Folder returns the folder that Corpus makes.
func (j *Job) Folder() string { return filepath.Join(j.Dir, corpusName) }
