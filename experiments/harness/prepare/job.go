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
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"

	"contextmover/cmdlib/corpus"
	"contextmover/experiments/harness/prepare/internal/documents"
	"contextmover/internal/atomicfile"
	"contextmover/internal/bounded"
	"contextmover/internal/checkpoint"
	"contextmover/internal/disk"
)

// Job is text that is being prepared in pieces, each step of it
// in any number of processes, on machines that share the folder.
//
// The steps are Read for each piece of the text, and then Deal, once, which goes over the hashes of all sentences in
// their order. Of what Deal returns, Write makes each shard, and Corpus the corpus. All that a step makes is there
// whole or not at all, and has the key of what it was made from. Parts that exist are not made again, so a step that
// was killed can be repeated and goes on. The corpus is that of Run, byte for byte.
type Job struct {
	Dir string
	// Begin is told what is being made, and Mend what is damaged
	// and is made again. A job that was just opened tells nobody.
	Begin func(what string)
	Mend  func(*corpus.DamagedError)

	plan   plan
	digest corpus.Key // of the plan
	texts  [][]uint64 // of each piece, the checksums of the files that documents were dealt of; nil before
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
	planName   = "prepare.json"
	textsName  = "texts"  // for each piece, the texts of its documents, each compressed by itself
	marksName  = "marks"  // for each piece, the rest of its documents
	dealtName  = "dealt"  // what Deal has decided
	shardsName = "shards" // each with a stamp
	corpusName = "corpus"
	joinedName = "prepared.json"
	stampEnd   = ".json"
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
	if err := checkpoint.WritePlan(dir, planName, made, textsName, marksName, shardsName); err != nil {
		return nil, fmt.Errorf("prepare: %w", err)
	}
	return OpenJob(dir)
}

// cut tells whether a file of the kind can be read in parts.
func (k Kind) cut(path string) bool {
	return k != Books && !isCompressedBy(path, isPacked)
}

// OpenJob returns the job in a folder, and removes what killed processes
// left there. The error is fs.ErrNotExist where there is none.
func OpenJob(dir string) (*Job, error) {
	j := &Job{Dir: dir, Begin: func(string) {}, Mend: func(*corpus.DamagedError) {}}
	var err error
	j.digest, err = checkpoint.ReadPlan(dir, planName, &j.plan, j.plan.validate, textsName, marksName, shardsName)
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

// sums returns the checksums of the files of a piece. It is an error if documents have been dealt of other text.
func (j *Job) sums(ctx context.Context, piece int) (sums []uint64, err error) {
	var dealt []uint64
	if j.texts != nil {
		dealt = j.texts[piece]
	}
	for _, file := range j.files(piece, dealt) {
		sum, err := file.Checksum(ctx)
		if err == nil {
			err = file.Is(sum)
		}
		if err != nil {
			return nil, err
		}
		sums = append(sums, sum)
	}
	return sums, nil
}

// unchanged returns an error if a file of a piece is not the text that was read, where it was changed since then.
func (j *Job) unchanged(ctx context.Context, piece int, sums []uint64) error {
	read, err := os.Stat(j.path(marksName, piece))
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

func (j *Job) path(folder string, piece int) string {
	return filepath.Join(j.Dir, folder, fmt.Sprintf("%05d", piece))
}

// mark is a document without its text, of which Stored is the length, compressed; or the end of them.
type mark struct {
	Document documents.Document
	Stored   int
	Last     bool
	End      end
}

// end is what stands behind the marks of a piece.
type end struct {
	Lines     int64 // of a part of a file, where lines are counted
	Texts     int64 // bytes
	Sentences int64
	Sums      []uint64 // of the files, see corpus.Piece.Checksum
}

// Read makes documents of a piece, unless that has been done, and returns whether it had to. An error names the piece.
func (j *Job) Read(ctx context.Context, piece int, progress func(done, total int64)) (made bool, err error) {
	return checkpoint.Step[end]{
		Tell: j.Mend,
		Open: func(ctx context.Context) (end, error) {
			last, err := j.marks(ctx, piece, func(*mark) error { return nil })
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
	compress, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		return err
	}
	var unread, unwritten error
	// The marks come last: what they say is there, is.
	err = writeMessages(j.path(marksName, piece), j.key(marksName, piece), func(write func(any) error) error {
		err := atomicfile.Write(j.path(textsName, piece), func(texts *bufio.Writer) error {
			var packed []byte
			last.Lines, err = process(ctx, j.plan.Parts[j.plan.Pieces[piece].Part].Kind, inputs, tell,
				func(d *documents.Document) error {
					m := mark{Document: *d}
					m.Document.Text = nil
					if d.Left == "" && len(d.Text) > 0 {
						packed = compress.EncodeAll(d.Text, packed[:0])
						m.Stored = len(packed)
					}
					last.Texts += int64(m.Stored)
					last.Sentences += int64(len(d.Ends))
					if _, unwritten = texts.Write(packed[:m.Stored]); unwritten == nil {
						unwritten = write(m)
					}
					return unwritten
				})
			if unwritten == nil {
				unread = err
			}
			return err
		})
		if err != nil {
			return err
		}
		return write(mark{Last: true, End: last})
	})
	if unread != nil { // without the names of what would have been written
		return unread
	}
	return err
}

// marks calls do for the marks of a piece. The error is fs.ErrNotExist if the piece
// has not been read, and a *corpus.DamagedError for one that is not what was written.
func (j *Job) marks(ctx context.Context, piece int, do func(*mark) error) (last end, err error) {
	path := j.path(marksName, piece)
	err = readMessages(ctx, path, j.key(marksName, piece), func(next func(any) error) error {
		for {
			var m mark
			if err := next(&m); err != nil {
				return err
			}
			d := &m.Document
			if m.Stored < 0 || len(d.Ends) != len(d.Hashes) || len(d.Ends) != len(d.Tokens) {
				return &corpus.DamagedError{Path: path, What: "has sentences that break the rules of prepared text"}
			}
			if m.Last {
				last = m.End
				return nil
			}
			if err := do(&m); err != nil {
				return err
			}
		}
	})
	if err != nil {
		return end{}, err
	}
	if len(last.Sums) != j.plan.Pieces[piece].Files {
		return end{}, &corpus.DamagedError{Path: path, What: "was made of something else"}
	}
	info, err := os.Stat(j.path(textsName, piece))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return end{}, fmt.Errorf("prepare: %w", err)
	}
	if err != nil || info.Size() != last.Texts {
		return end{}, &corpus.DamagedError{Path: j.path(textsName, piece), What: "is not there whole"}
	}
	return last, nil
}

// reread reads a piece again of which marks or texts are damaged. The error is what it is given for another file.
func (j *Job) reread(ctx context.Context, damaged *corpus.DamagedError) error {
	dir, name := filepath.Split(damaged.Path)
	folder := filepath.Base(dir)
	var piece int
	if n, err := fmt.Sscanf(name, "%d", &piece); n != 1 || err != nil || folder != marksName && folder != textsName {
		return damaged
	}
	j.Mend(damaged)
	if err := disk.Remove(j.path(marksName, piece)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("prepare: %w", err)
	}
	_, err := j.Read(ctx, piece, nil)
	return err
}

// Dealt is a job whose documents have their shards.
type Dealt struct {
	*Job
	parts []Part
}

const partsName = "parts.json"

// dealt is what is to be known of dealt documents besides the files.
type dealt struct {
	Parts []Part     `json:"parts"`
	Texts [][]uint64 `json:"texts"` // of each piece, the checksums of its files
}

// dealing is where the documents of the job are dealt, in the folder that is being made or the one of the job.
func (j *Job) dealing(dir string) checkpoint.Place[dealt] {
	return checkpoint.Place[dealt]{Stamp: filepath.Join(dir, partsName), Dir: dir, Key: j.key(dealtName, 0)}
}

// taken is what a shard has of a document: the text that lies at At in the texts of a
// piece, in Stored bytes, of which Kept is kept. What has no Kept ends the list of a shard.
type taken struct {
	Piece  int
	At     int64
	Stored int
	Kept   []span
}

// Deal gives documents their shards, or returns what has been given. It holds
// a table of the hashes of all sentences: 11 to 22 bytes each. The error is a
// *job.NotYetError if some pieces have not been read; what is damaged of them is made again.
func (j *Job) Deal(ctx context.Context) (*Dealt, error) {
	dir := filepath.Join(j.Dir, dealtName)
	done := func(ctx context.Context) (*Dealt, error) {
		place := j.dealing(dir)
		s, err := place.Open(ctx)
		if err != nil {
			return nil, err
		}
		of := func(sums []uint64, p planPiece) bool { return len(sums) == p.Files }
		if !slices.EqualFunc(s.Made.Texts, j.plan.Pieces, of) {
			return nil, &corpus.DamagedError{Path: place.Stamp, What: "was made of something else"}
		}
		j.texts = s.Made.Texts
		return &Dealt{j, s.Made.Parts}, nil
	}
	d, _, err := checkpoint.Step[*Dealt]{
		Tell: j.Mend, Remake: j.reread,
		Open: done,
		Make: func(ctx context.Context) (*Dealt, error) {
			var paths []string
			for piece := range j.Pieces() {
				paths = append(paths, j.path(marksName, piece))
			}
			if err := checkpoint.Need("reading", paths); err != nil {
				return nil, err
			}
			var sentences int64
			for piece := range j.Pieces() {
				last, err := j.marks(ctx, piece, func(*mark) error { return nil })
				if err != nil {
					return nil, err
				}
				sentences += last.Sentences
			}
			j.Begin(fmt.Sprintf("dealing of %d sentences", sentences))
			kind := atomicfile.Kind{Name: "dealt documents", Files: []string{partsName, indexName, leftOutName}}
			for _, p := range j.plan.Parts {
				for shard := range p.Shards {
					kind.Files = append(kind.Files, listName(ShardName(p.Kind, shard)))
				}
			}
			errDealt := errors.New("another process has dealt the documents")
			err := atomicfile.Replace(dir, kind, func(made string) error {
				if err := j.deal(ctx, made, sentences); err != nil {
					return err
				}
				// What another process has dealt meanwhile is the same, and is perhaps being read.
				if _, err := done(ctx); err == nil {
					return errDealt
				}
				return nil
			})
			if err != nil && !errors.Is(err, errDealt) {
				return nil, err
			}
			return done(ctx)
		},
	}.Get(ctx)
	return d, err
}

// listName is the name of the list of what a shard has.
func listName(shard string) string { return strings.TrimSuffix(shard, ".txt.zst") }

// deal fills the folder with what it decides.
func (j *Job) deal(ctx context.Context, dir string, sentences int64) error {
	if err := bounded.Allocate(8 * slotsFor(sentences)); err != nil {
		return fmt.Errorf("prepare: the table of %d sentences: %w", sentences, err)
	}
	d, err := newDealer(dir, j.plan.Seed)
	if err != nil {
		return err
	}
	defer d.close()
	d.seen.slots = make([]uint64, slotsFor(sentences))
	for _, p := range j.plan.Parts {
		d.add(p.Kind, p.Shards)
	}
	lists := map[*shard]*messages{}
	defer func() {
		for _, l := range lists {
			l.file.Close()
		}
	}()
	var texts [][]uint64
	for piece, p := range j.plan.Pieces {
		if piece == 0 || p.Part != j.plan.Pieces[piece-1].Part || p.Shard != j.plan.Pieces[piece-1].Shard {
			if err := d.flush(); err != nil {
				return err
			}
			d.begin(p.Part, p.Shard)
		}
		if p.From == 0 {
			d.before = 0
		}
		at := int64(0)
		last, err := j.marks(ctx, piece, func(m *mark) error {
			s, kept, err := d.deal(&m.Document)
			if err != nil {
				return err
			}
			if s != nil && lists[s] == nil {
				if lists[s], err = createMessages(filepath.Join(dir, listName(s.info.Name)),
					j.key(s.info.Name, 0)); err != nil {
					return err
				}
			}
			if len(kept) > 0 {
				err = lists[s].encoder.Encode(taken{piece, at, m.Stored, kept})
			}
			at += int64(m.Stored)
			return err
		})
		if err != nil {
			return err
		}
		d.before += last.Lines
		texts = append(texts, last.Sums)
	}
	if err := d.flush(); err != nil {
		return err
	}
	for s, l := range lists {
		if err := errors.Join(l.encoder.Encode(taken{}), l.close()); err != nil {
			return fmt.Errorf("prepare: %w", err)
		}
		delete(lists, s)
	}
	parts, err := d.finish()
	if err != nil {
		return err
	}
	names := []string{indexName, leftOutName}
	for _, p := range parts {
		for _, s := range p.Shards {
			names = append(names, listName(s.Name))
		}
	}
	_, err = j.dealing(dir).Write(ctx, dealt{parts, texts}, names...)
	return err
}

// redeal deals documents again of which something is damaged, or reads
// a piece again. The error is what it is given for another file.
func (d *Dealt) redeal(ctx context.Context, damaged *corpus.DamagedError) error {
	if filepath.Dir(damaged.Path) != filepath.Join(d.Dir, dealtName) {
		return d.reread(ctx, damaged)
	}
	d.Mend(damaged)
	if err := disk.RemoveAll(filepath.Dir(damaged.Path)); err != nil {
		return fmt.Errorf("prepare: %w", err)
	}
	_, err := d.Deal(ctx)
	return err
}

// Shards returns the number of shards, of all sources.
func (d *Dealt) Shards() (n int) {
	for _, p := range d.parts {
		n += len(p.Shards)
	}
	return n
}

// shard returns one of the shards.
func (d *Dealt) shard(number int) *Shard {
	for _, p := range d.parts {
		if number < len(p.Shards) {
			return &p.Shards[number]
		}
		number -= len(p.Shards)
	}
	panic(fmt.Sprintf("prepare: shard %d of %d", number, d.Shards()))
}

// place is where a shard is written.
func (d *Dealt) place(shard int) checkpoint.Place[struct{}] {
	dir := filepath.Join(d.Dir, shardsName)
	return checkpoint.Place[struct{}]{
		Stamp: filepath.Join(dir, d.shard(shard).Name+stampEnd), Dir: dir, Key: d.key(shardsName, shard),
	}
}

// Write writes a shard, unless that has been done, and returns
// whether it had to. Damaged parts of what it reads are made again.
func (d *Dealt) Write(ctx context.Context, shard int, progress func(done, total int64)) (made bool, err error) {
	place, s := d.place(shard), d.shard(shard)
	return checkpoint.Step[checkpoint.Stamp[struct{}]]{
		Tell: d.Mend, Remake: d.redeal,
		Open: place.Open,
		Make: func(ctx context.Context) (stamp checkpoint.Stamp[struct{}], err error) {
			d.Begin("shard " + s.Name)
			path := filepath.Join(place.Dir, s.Name)
			err = atomicfile.Write(path, func(w *bufio.Writer) error { return d.pack(ctx, w, s, progress) })
			if err != nil {
				return stamp, fmt.Errorf("shard %s: %w", s.Name, err)
			}
			return place.Write(ctx, struct{}{}, s.Name)
		},
	}.Do(ctx)
}

// pack writes the text of a shard, compressed.
func (d *Dealt) pack(ctx context.Context, w io.Writer, s *Shard, progress func(done, total int64)) error {
	out, err := packer(w)
	if err != nil {
		return err
	}
	unpack, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return err
	}
	defer unpack.Close()
	var texts *os.File // of the piece that was read last
	var size int64
	piece := -1
	defer func() { texts.Close() }()
	var packed, text []byte
	var written int64
	list := filepath.Join(d.Dir, dealtName, listName(s.Name))
	err = readMessages(ctx, list, d.key(s.Name, 0), func(next func(any) error) error {
		for {
			var t taken
			if err := next(&t); err != nil {
				return err
			}
			if len(t.Kept) == 0 {
				return nil
			}
			if t.Piece < 0 || t.Piece >= d.Pieces() {
				return &corpus.DamagedError{Path: list, What: "has a piece that is none"}
			}
			if t.Piece != piece {
				texts.Close()
				piece = t.Piece
				if texts, err = os.Open(d.path(textsName, piece)); errors.Is(err, fs.ErrNotExist) {
					return &corpus.DamagedError{Path: d.path(textsName, piece), What: "is not there"}
				} else if err != nil {
					return fmt.Errorf("prepare: %w", err)
				}
				info, err := texts.Stat()
				if err != nil {
					return fmt.Errorf("prepare: %w", err)
				}
				size = info.Size()
			}
			if t.At < 0 || t.Stored < 0 || t.At > size || int64(t.Stored) > size-t.At {
				return &corpus.DamagedError{Path: texts.Name(), What: "is not there whole"}
			}
			packed = append(packed[:0], make([]byte, t.Stored)...)
			if _, err := texts.ReadAt(packed, t.At); err != nil {
				return fmt.Errorf("prepare: %w", err)
			}
			if text, err = unpack.DecodeAll(packed, text[:0]); err != nil {
				return &corpus.DamagedError{Path: texts.Name(), What: "has a wrong checksum"}
			}
			for _, k := range t.Kept {
				if k.From < 0 || k.To < k.From || k.To > len(text) {
					return &corpus.DamagedError{Path: texts.Name(), What: "has not the text that was dealt"}
				}
				if _, err := out.Write(text[k.From:k.To]); err != nil {
					return err
				}
			}
			if written++; progress != nil {
				progress(min(written, s.Documents), s.Documents)
			}
		}
	})
	if err != nil {
		return err
	}
	return out.Close()
}

// Corpus puts the shards, the index and what is left out into the folder corpus of the job, unless that
// has been done, and returns what Run would. The error is a *job.NotYetError if some shards have not
// been written. A damaged one is written again; a corpus of which a file is damaged or gone is made again.
func (d *Dealt) Corpus(ctx context.Context) ([]Part, error) {
	place := checkpoint.Place[[]Part]{
		Stamp: filepath.Join(d.Dir, joinedName), Dir: d.Folder(), Key: d.key(corpusName, 0),
	}
	names := []string{manifestName, indexName, leftOutName}
	stamps := map[string]int{} // shards by the stamp's path
	for shard := range d.Shards() {
		names = append(names, d.shard(shard).Name)
		stamps[d.place(shard).Stamp] = shard
	}
	s, _, err := checkpoint.Step[checkpoint.Stamp[[]Part]]{
		Tell: d.Mend,
		Open: place.Open,
		Make: func(ctx context.Context) (s checkpoint.Stamp[[]Part], err error) {
			if err := checkpoint.Need("writing", slices.Sorted(maps.Keys(stamps))); err != nil {
				return s, err
			}
			kind := kindOfFolder()
			kind.Mark = "" // the folder of a job is never anything else
			err = atomicfile.Replace(d.Folder(), kind, func(made string) error { return d.join(ctx, made) })
			if err != nil {
				return s, err
			}
			return place.Write(ctx, d.parts, names...)
		},
		Remake: func(ctx context.Context, damaged *corpus.DamagedError) error {
			shard, ok := stamps[strings.TrimSuffix(damaged.Path, stampEnd)+stampEnd]
			if !ok {
				return d.redeal(ctx, damaged)
			}
			_, err := d.Write(ctx, shard, nil)
			return err
		},
	}.Get(ctx)
	return s.Made, err
}

// join fills the folder with what the job has made.
func (d *Dealt) join(ctx context.Context, dir string) error {
	for shard := range d.Shards() {
		s, place := d.shard(shard), d.place(shard)
		stamp, err := place.Open(ctx)
		if err != nil {
			return err
		}
		s.SHA256 = stamp.Files[s.Name].SHA256
		if err := put(filepath.Join(place.Dir, s.Name), filepath.Join(dir, s.Name)); err != nil {
			return err
		}
	}
	dealt := filepath.Join(d.Dir, dealtName)
	if _, err := d.dealing(dealt).Open(ctx); err != nil {
		return err
	}
	for _, name := range []string{indexName, leftOutName} {
		if err := put(filepath.Join(dealt, name), filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return writeManifest(ctx, dir, d.plan.Seed, d.parts)
}

// Folder returns the folder that Corpus makes.
func (j *Job) Folder() string { return filepath.Join(j.Dir, corpusName) }

// put gives a file a second name, or copies it where a file system cannot.
func put(from, to string) error {
	if disk.Link(from, to) == nil {
		return nil
	}
	in, err := os.Open(from)
	if err != nil {
		return fmt.Errorf("prepare: %w", err)
	}
	defer in.Close()
	err = atomicfile.Write(to, func(w *bufio.Writer) error {
		_, err := io.Copy(w, in)
		return err
	})
	if err != nil {
		return fmt.Errorf("prepare: %w", err)
	}
	return nil
}

// messages are a key and values, compressed, with a checksum.
type messages struct {
	*textFile
	pack    *zstd.Encoder
	encoder *gob.Encoder
}

func newMessages(w io.Writer, key corpus.Key) (pack *zstd.Encoder, encoder *gob.Encoder, err error) {
	if pack, err = zstd.NewWriter(w, zstd.WithEncoderConcurrency(1),
		zstd.WithEncoderLevel(zstd.SpeedFastest)); err != nil {
		return nil, nil, err
	}
	encoder = gob.NewEncoder(pack)
	return pack, encoder, encoder.Encode(key)
}

// createMessages makes a file for messages in a folder that nobody reads before it is whole.
func createMessages(path string, key corpus.Key) (*messages, error) {
	f, err := create(path)
	if err != nil {
		return nil, fmt.Errorf("prepare: %w", err)
	}
	pack, encoder, err := newMessages(f, key)
	if err != nil {
		f.file.Close()
		return nil, fmt.Errorf("prepare: %w", err)
	}
	return &messages{f, pack, encoder}, nil
}

func (m *messages) close() error { return errors.Join(m.pack.Close(), m.textFile.close()) }

// writeMessages writes a file of messages, which is there whole or not at all.
func writeMessages(path string, key corpus.Key, fill func(write func(any) error) error) error {
	return atomicfile.Write(path, func(w *bufio.Writer) error {
		pack, encoder, err := newMessages(w, key)
		if err != nil {
			return err
		}
		if err := fill(encoder.Encode); err != nil {
			return err
		}
		return pack.Close()
	})
}

// readMessages reads a file of messages, to its end, of which do takes the values. The error is fs.ErrNotExist, a
// *corpus.DamagedError if the file is not what was written, or that of do, which returns those of next as they are.
func readMessages(ctx context.Context, path string, key corpus.Key, do func(next func(any) error) error) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("prepare: %w", err)
	}
	defer f.Close()
	damaged := func(err error) error {
		var failed *fs.PathError
		if errors.As(err, &failed) { // of the disk
			return fmt.Errorf("prepare: %w", err)
		}
		return &corpus.DamagedError{Path: path, What: cmp.Or(err, io.EOF).Error()}
	}
	unpack, err := zstd.NewReader(f, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return damaged(err)
	}
	defer unpack.Close()
	in := bufio.NewReaderSize(unpack, 1<<18) // which gob does not read beyond a message
	decoder := gob.NewDecoder(in)
	var is corpus.Key
	if err := decoder.Decode(&is); err != nil {
		return damaged(err)
	}
	if is != key {
		return &corpus.DamagedError{Path: path, What: "was made of something else"}
	}
	err = do(func(value any) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := decoder.Decode(value); err != nil {
			return damaged(err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if _, err := in.ReadByte(); err != io.EOF { // the checksum stands behind
		return damaged(cmp.Or(err, errors.New("has something behind its end")))
	}
	return nil
}
