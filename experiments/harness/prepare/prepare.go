// Package prepare turns raw text into training text: one sentence per line, tokens separated by blanks, in
// the style of corpus.Tokenise. It reads plain-text books, Wikipedia, and any other text.
//
// Its output depends on the text and the seed alone, not on the number of threads. It reads every input once,
// front to back, and holds a few documents at a time. Only a table of 64-bit hashes of the sentences seen grows with
// the text, 18 to 37 bytes per sentence.
package prepare

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/cespare/xxhash/v2"

	"contextmover/experiments/harness/prepare/internal/documents"
	"contextmover/internal/atomicfile"
)

// Kind says what a source is.
type Kind string

const (
	// Books are plain-text books, one a file, as Project Gutenberg has them.
	Books Kind = "books"
	// Wikipedia is what WikiExtractor makes of a dump: <doc …> … </doc>.
	Wikipedia Kind = "wikipedia"
	// Text is any text, one document a file.
	Text Kind = "text"
	// JSON has a JSON object a line, with the text in the field "text" and, where they are there,
	// "title", "author", "url" and "licence".
	JSON Kind = "json"
)

var kinds = []Kind{Books, Wikipedia, Text, JSON}

// Source is files of a kind, which become a part of the output with shards of its own. A
// folder stands for the files in it and its folders, in the order of their names, except those
// whose names begin with a dot. Files may be plain or compressed by gzip or zstd.
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
	Sources []Source // at most one of each kind
	// Seed draws the shards of documents.
	Seed uint64
	// Shards is the number of shards of each source, at most MaxShards; 0 for one for each 100 MB of its files.
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
	Why     map[string]int64 `json:"odd"`      // those, by reason
	LeftOut map[string]int64 `json:"left_out"` // documents, by reason
	Shards  []Shard          `json:"shards"`
}

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
func Run(ctx context.Context, out string, o Options) (parts []Part, err error) {
	p, err := o.plan(math.MaxInt64)
	if err != nil {
		return nil, err
	}
	var done, total int64
	for _, piece := range p.Pieces {
		for _, f := range piece.Files {
			total += f.Bytes
		}
	}
	read := func(bytes int64) {
		if done += bytes; o.Progress != nil {
			o.Progress(done, total)
		}
	}
	err = atomicfile.Replace(out, kindOfFolder(), func(dir string) (err error) {
		parts, err = p.write(ctx, dir, func(piece int, write func(*documents.Document) error) error {
			return p.process(ctx, piece, write, read)
		})
		return err
	})
	return parts, err
}

// ShardOf returns the shard, 0 … shards − 1, of a file with the given name.
func ShardOf(seed uint64, name string, shards int) int {
	return rand.New(rand.NewPCG(seed, xxhash.Sum64String(name))).IntN(shards)
}

// A source with at least so many files a shard is dealt by files, any other by documents.
const filesPerShard = 8

// plan says what is read, in which order, and where it goes.
type plan struct {
	Seed   uint64      `json:"seed"`
	Parts  []planPart  `json:"parts"`
	Pieces []planPiece `json:"pieces"`
}

type planPart struct {
	Kind   Kind `json:"kind"`
	Shards int  `json:"shards"`
}

// planPiece is files that are read together. All their documents go to one shard of a part, or each to
// one of its own, for which Shard is −1.
type planPiece struct {
	Part  int     `json:"part"`
	Shard int     `json:"shard"`
	Files []input `json:"files"`
}

// plan cuts the sources into pieces of at most size bytes, as stored, or of one file.
func (o Options) plan(size int64) (p plan, err error) {
	if len(o.Sources) == 0 {
		return p, errors.New("prepare: no sources given, expected at least one file of text")
	}
	p.Seed = o.Seed
	var single []planPiece
	for i, s := range o.Sources {
		files, err := s.list()
		if err != nil {
			return p, err
		}
		part := planPart{s.Kind, cmp.Or(o.Shards, shardsOf(files))}
		p.Parts = append(p.Parts, part)
		drawn := o.Shards == 0 && len(files) < filesPerShard*part.Shards || len(files) == 1
		for _, f := range files {
			shard := -1
			if !drawn {
				shard = ShardOf(o.Seed, f.Name, part.Shards)
			}
			single = append(single, planPiece{i, shard, []input{f}})
		}
	}
	slices.SortStableFunc(single, func(a, b planPiece) int { return cmp.Compare(a.Shard, b.Shard) })
	room := int64(0)
	for i, piece := range single {
		f := piece.Files[0]
		if room -= f.Bytes; i > 0 && room >= 0 && piece.Part == single[i-1].Part && piece.Shard == single[i-1].Shard {
			last := &p.Pieces[len(p.Pieces)-1]
			last.Files = append(last.Files, f)
		} else {
			p.Pieces = append(p.Pieces, piece)
			room = size - f.Bytes
		}
	}
	return p, nil
}

// write fills a folder with what documents calls its argument for, piece by piece.
func (p *plan) write(
	ctx context.Context, dir string, documents func(piece int, write func(*documents.Document) error) error,
) ([]Part, error) {
	w, err := newWriter(dir, p.Seed)
	if err != nil {
		return nil, err
	}
	defer w.close()
	for _, part := range p.Parts {
		w.add(part.Kind, part.Shards)
	}
	for i, piece := range p.Pieces {
		if err := w.begin(piece.Part, piece.Shard); err != nil {
			return nil, err
		}
		if err := documents(i, w.write); err != nil {
			return nil, err
		}
	}
	return w.finish(ctx)
}
