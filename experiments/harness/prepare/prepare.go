// Package prepare turns raw text into training text: one sentence per line, tokens separated by blanks, in
// the style of corpus.Tokenise. It reads plain-text books, Wikipedia, and any other text.
//
// Its output depends on the text and the seed alone, not on the number of threads. It reads every input once,
// front to back, and holds a few documents at a time. Only a table of 64-bit hashes of the sentences seen grows with
// the text, 11 to 22 bytes per sentence.
package prepare

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"

	"github.com/cespare/xxhash/v2"
	"golang.org/x/sync/errgroup"

	"contextmover/experiments/harness/prepare/internal/documents"
	"contextmover/internal/atomicfile"
	"contextmover/internal/enum"
)

// Kind says what a source is.
type Kind string

const (
	// Books are plain-text books, one a file, as Project Gutenberg has them.
	Books Kind = "books"
	// Wikipedia is what WikiExtractor makes of a dump: <doc …> … </doc>, or a JSON object a line.
	Wikipedia Kind = "wikipedia"
	// Text is any text, one document a file.
	Text Kind = "text"
	// JSON has a JSON object a line, with the text in the field "text" and, where they are there,
	// "title", "author", "url" (or "source") and "licence" (or "license").
	JSON Kind = "json"
)

var kinds = []Kind{Books, Wikipedia, Text, JSON}

// Validate returns an error if k is no kind.
func (k Kind) Validate() error { return enum.Validate("prepare: unknown kind of source", k, kinds) }

// Source is files of a kind, which become a part of the output with shards of its own. A
// folder stands for the files in it and its folders, in the order of their names, except those
// whose names begin with a dot. Files may be plain or compressed by gzip, zstd or bzip2.
//
// The index, errors and ShardOf name a file by its path below Root if that is set. Else its name is its path below
// the folder that it was found in, or its last element.
type Source struct {
	Kind  Kind
	Paths []string
	Root  string
}

// Options choose what is prepared.
type Options struct {
	Sources []Source
	// Seed draws the shards of documents.
	Seed uint64
	// Shards is the number of shards of each source; 0 for one for each 100 MB of its text, and
	// 100 at most.
	Shards int
	// Progress is told the bytes read, as stored, and their sum. It may be nil.
	Progress func(done, total int64)
}

// Part is what became of a source.
type Part struct {
	Kind      Kind  `json:"kind"`
	Documents int64 `json:"documents"`
	Sentences int64 `json:"sentences"`
	Tokens    int64 `json:"tokens"`
	Repeated  int64 `json:"repeated_sentences"` // dropped because they occurred before
	// dropped because they are hardly words, too long, or have markup
	Odd     int64            `json:"odd_sentences"`
	Why     map[string]Odd   `json:"odd"`      // those, by reason
	LeftOut map[string]int64 `json:"left_out"` // documents, by reason
	Shards  []Shard          `json:"shards"`
}

// Odd are sentences that are left out for one reason: their number, and the first three, cut to sixty characters.
type Odd = documents.Odd

// Shard is a file of the output.
type Shard struct {
	Name      string `json:"name"`
	Documents int64  `json:"documents"`
	Sentences int64  `json:"sentences"`
	Tokens    int64  `json:"tokens"`
	SHA256    string `json:"sha256"`
}

// Run prepares the sources and writes to the folder out:
//
//   - shards KIND-00.txt.zst and so on, one sentence per line, each document in one piece, and one that gets no
//     document is left out;
//   - index.tsv, where each document lies and whom it is by;
//   - left-out.tsv, the books and articles that are not used, with reason and measures;
//   - corpus.json, the Parts, the seed and the SHA-256 of all other files.
//
// Shards are drawn by the seed, for each file by ShardOf. They are drawn for each document of a source that is one
// file or, with Shards = 0, has fewer than eight files a shard. Files are read shard by shard, of all sources the
// first shard first. So the files of the first shards alone give the same first shards, where Shards is the same.
//
// A sentence of eight or more tokens that occurred before, in the order of reading, is dropped. It is
// known by 64 bits of hash: among n sentences one is dropped in error with probability below n²/2⁶⁵,
// a millionth for ten million.
//
// The folder appears whole or not at all, and one that Run wrote is replaced. Errors name file and line;
// a source of which nothing is left is one, which tells why. It returns ctx.Err() when ctx ends.
func Run(ctx context.Context, out string, o Options) ([]Part, error) {
	inputs, err := o.inputs()
	if err != nil {
		return nil, err
	}
	var parts []Part
	if err := Replaceable(out); err != nil {
		return nil, err
	}
	err = atomicfile.Replace(out, kindOfFolder(), func(dir string) (err error) {
		parts, err = o.write(ctx, dir, inputs)
		return err
	})
	return parts, err
}

// inputs returns the files of each source.
func (o Options) inputs() ([][]input, error) {
	if len(o.Sources) == 0 {
		return nil, errors.New("prepare: no sources given, expected at least one file of text")
	}
	if o.Shards < 0 || o.Shards > MaxShards {
		return nil, fmt.Errorf("prepare: %d shards, expected 1 to %d, or 0 for as many as suit the text",
			o.Shards, MaxShards)
	}
	inputs := make([][]input, len(o.Sources))
	for i, s := range o.Sources {
		if err := s.Kind.Validate(); err != nil {
			return nil, err
		}
		if slices.ContainsFunc(o.Sources[:i], func(t Source) bool { return t.Kind == s.Kind }) {
			return nil, fmt.Errorf("prepare: two sources of the kind %s, expected one with all their files", s.Kind)
		}
		var err error
		if inputs[i], err = s.list(); err != nil {
			return nil, err
		}
	}
	return inputs, nil
}

// ShardOf returns the shard, 0 … shards − 1, of a file with the given name.
func ShardOf(seed uint64, name string, shards int) int {
	return rand.New(rand.NewPCG(seed, xxhash.Sum64String(name))).IntN(shards)
}

// A source with at least so many files a shard is dealt by files, any other by documents.
const filesPerShard = 8

// share is files of a source that are read together. All their documents go to one shard, or each to
// one of its own, for which shard is −1.
type share struct {
	source, shard int
	inputs        []input
}

// deal returns the shares in the order in which they are read, and the number of shards of each source.
func (o Options) deal(inputs [][]input) (shares []share, shards []int) {
	for source, files := range inputs {
		n := o.Shards
		if n == 0 {
			n = shardsOf(files)
		}
		shards = append(shards, n)
		if o.Shards == 0 && len(files) < filesPerShard*n || len(files) == 1 {
			shares = append(shares, share{source, -1, files})
			continue
		}
		dealt := make([][]input, n)
		for _, f := range files {
			s := ShardOf(o.Seed, f.name, n)
			dealt[s] = append(dealt[s], f)
		}
		for s, files := range dealt {
			if len(files) > 0 {
				shares = append(shares, share{source, s, files})
			}
		}
	}
	slices.SortStableFunc(shares, func(a, b share) int { return cmp.Compare(a.shard, b.shard) })
	return shares, shards
}

// write fills the folder.
func (o Options) write(ctx context.Context, dir string, inputs [][]input) ([]Part, error) {
	shares, shards := o.deal(inputs)
	w, err := newWriter(dir, o.Seed)
	if err != nil {
		return nil, err
	}
	defer w.close()
	for i, s := range o.Sources {
		w.add(s.Kind, shards[i])
	}
	var total int64
	for _, s := range shares {
		for i := range s.inputs {
			s.inputs[i].before = total
			total += s.inputs[i].size
		}
	}
	for _, s := range shares {
		progress := func(done int64) {
			if o.Progress != nil {
				o.Progress(done, total)
			}
		}
		w.begin(s.source, s.shard)
		if _, err := process(ctx, o.Sources[s.source].Kind, s.inputs, progress, w.write); err != nil {
			return nil, err
		}
		if err := w.flush(); err != nil {
			return nil, err
		}
	}
	return w.finish(ctx)
}

// unit is work for a worker: some documents, or a piece of one.
type unit struct {
	prepare func(context.Context) ([]documents.Document, error)
	stored  int64 // bytes of the inputs up to the unit's end
	done    chan struct{}
	made    []documents.Document
	err     error
}

// process cuts inputs into units, prepares them on all processors, and writes what they
// make in their order. It returns the lines of the last input, where they are counted.
func process(
	ctx context.Context, kind Kind, inputs []input, progress func(int64), write func(*documents.Document) error,
) (lines int64, err error) {
	workers := runtime.GOMAXPROCS(0)
	g, ctx := errgroup.WithContext(ctx)
	c := cutter{kind: kind}
	todo := make(chan *unit)
	ordered := make(chan *unit, 4*workers) // no more than these are in memory
	g.Go(func() error {
		defer close(todo)
		defer close(ordered)
		for _, in := range inputs {
			err := c.file(in, func(stored int64, prepare func(context.Context) ([]documents.Document, error)) error {
				u := &unit{prepare: prepare, stored: stored, done: make(chan struct{})}
				select {
				case ordered <- u:
				case <-ctx.Done():
					return ctx.Err()
				}
				select {
				case todo <- u:
				case <-ctx.Done():
					return ctx.Err()
				}
				return nil
			})
			if err != nil {
				// It comes after the errors of the units before it.
				u := &unit{err: err, done: make(chan struct{})}
				close(u.done)
				select {
				case ordered <- u:
				case <-ctx.Done():
				}
				return nil
			}
		}
		return nil
	})
	for range workers {
		g.Go(func() error {
			for u := range todo {
				u.made, u.err = u.prepare(ctx)
				close(u.done)
			}
			return nil
		})
	}
	g.Go(func() error {
		for u := range ordered {
			select {
			case <-u.done:
			case <-ctx.Done():
				return ctx.Err()
			}
			if u.err != nil {
				return u.err
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			for i := range u.made {
				if err := write(&u.made[i]); err != nil {
					return err
				}
			}
			u.made = nil
			progress(u.stored)
		}
		return nil
	})
	err = g.Wait()
	return c.lines, err
}
