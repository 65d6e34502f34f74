package prepare

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"

	"contextmover/experiments/harness/prepare/internal/documents"
	"contextmover/internal/atomicfile"
	"contextmover/internal/checksum"
	"contextmover/internal/disk"
	"contextmover/internal/printable"
	"contextmover/internal/shards"
)

// The files of the output besides the shards.
const (
	indexName    = shards.IndexName
	leftOutName  = shards.LeftOutName
	manifestName = shards.ManifestName
)

// shardBytes is about how much text makes a shard.
const shardBytes = 100 << 20

// writer decides, of documents in their order, which are used, what of them occurred before, and in which shard of the
// part that they belong to they are, and writes them there.
type writer struct {
	dir     string
	seed    uint64
	index   *textFile
	leftOut *textFile
	seen    map[uint64]bool // hashes of sentences
	parts   []*part

	part    *part
	shard   int    // of the documents that come; −1: drawn for each
	current *entry // the document that may go on
}

// part is a part in progress.
type part struct {
	Part
	shards []*shard // nil for those without a document so far
	drawn  uint64   // documents whose shard was drawn
}

// entry is a line of the index.
type entry struct {
	*documents.Document
	shard                *shard
	first, lines, tokens int64
}

// shard is a shard in progress.
type shard struct {
	info Shard
	*textFile
	packer *zstd.Encoder
}

// textFile is a buffered file.
type textFile struct {
	*bufio.Writer
	file *disk.File
}

func create(path string) (*textFile, error) {
	f, err := disk.Create(path)
	if err != nil {
		return nil, err
	}
	return &textFile{bufio.NewWriterSize(f, 1<<18), f}, nil
}

func (f *textFile) close() error {
	return errors.Join(f.Flush(), f.file.Sync(), f.file.Close())
}

// newWriter returns a writer to a folder.
func newWriter(dir string, seed uint64) (*writer, error) {
	w := &writer{dir: dir, seed: seed, seen: map[uint64]bool{}}
	var err error
	if w.index, err = create(filepath.Join(dir, indexName)); err != nil {
		return nil, fmt.Errorf("prepare: %w", err)
	}
	if w.leftOut, err = create(filepath.Join(dir, leftOutName)); err != nil {
		w.index.file.Close()
		return nil, fmt.Errorf("prepare: %w", err)
	}
	w.index.WriteString(shards.IndexHeader + "\n")
	w.leftOut.WriteString("kind\treason\tmeasures\ttitle\tsource\n")
	return w, nil
}

// MaxShards is the number of shards of a source at most.
const MaxShards = 100

// ShardName returns the name of the file of shard i.
func ShardName(kind Kind, i int) string { return fmt.Sprintf("%s-%02d.txt.zst", kind, i) }

// kindOfFolder is what Run writes.
func kindOfFolder() atomicfile.Kind {
	kind := atomicfile.Kind{
		Name: "a prepared corpus", Files: []string{manifestName, indexName, leftOutName}, Marked: true,
	}
	for _, source := range kinds {
		for i := range MaxShards {
			kind.Files = append(kind.Files, ShardName(source, i))
		}
	}
	return kind
}

// Replaceable returns an error if Run would not write to the folder. It must be new in a folder that is there, empty,
// or an output of Run.
func Replaceable(out string) error { return atomicfile.Replaceable(out, kindOfFolder()) }

// add adds a part for a source.
func (w *writer) add(kind Kind, shards int) {
	empty := Part{Kind: kind, Why: map[string]int64{}, LeftOut: map[string]int64{}}
	w.parts = append(w.parts, &part{Part: empty, shards: make([]*shard, shards)})
}

// begin says what part the documents that come are of, and what shard; −1 draws one for each.
func (w *writer) begin(part, shard int) error {
	err := w.flush()
	w.part, w.shard = w.parts[part], shard
	return err
}

// shardsOf is the number of shards that suits files.
func shardsOf(inputs []input) int {
	var size int64
	for _, in := range inputs {
		size += in.Bytes
	}
	return int(min(max((size+shardBytes/2)/shardBytes, 1), MaxShards))
}

// next returns the shard of the document that comes.
func (w *writer) next() (*shard, error) {
	at := w.shard
	if at < 0 {
		at = rand.New(rand.NewPCG(w.seed, w.part.drawn)).IntN(len(w.part.shards))
		w.part.drawn++
	}
	if s := w.part.shards[at]; s != nil {
		return s, nil
	}
	s := &shard{info: Shard{Name: ShardName(w.part.Kind, at)}}
	var err error
	if s.textFile, err = create(filepath.Join(w.dir, s.info.Name)); err != nil {
		return nil, fmt.Errorf("prepare: %w", err)
	}
	w.part.shards[at] = s
	// One thread: what it writes must not depend on their number.
	s.packer, err = zstd.NewWriter(s, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(4<<20))
	return s, err
}

const (
	// A book of which less is left without what occurred before is one of those before.
	minNew = 0.3
	// before is why a document without anything new is left out.
	before = "occurred before"
)

// write writes what of a document is kept.
func (w *writer) write(d *documents.Document) error {
	for why, n := range d.Odd {
		w.part.Odd += n
		w.part.Why[why] += n
	}
	if !d.Continues {
		if err := w.flush(); err != nil {
			return err
		}
	}
	fresh := 0
	for _, h := range d.Hashes {
		if !w.seen[h] {
			fresh++
		}
	}
	if d.Left == "" && !d.Continues && w.part.Kind == Books && float64(fresh) < minNew*float64(len(d.Hashes)) {
		d.Left, d.Measures = before, fmt.Sprintf("new sentences %d of %d", fresh, len(d.Hashes))
	}
	if d.Left == "" && !d.Continues && len(d.Ends) == 0 {
		d.Left = "no sentences"
	}
	if d.Left != "" {
		return w.leave(d)
	}
	if !d.Continues || w.current == nil {
		s, err := w.next()
		if err != nil {
			return err
		}
		w.current = &entry{Document: d, shard: s, first: s.info.Sentences + 1}
	}
	s := w.current.shard
	from := 0
	for i, end := range d.Ends {
		sentence := d.Text[from:end]
		from = end
		if hash := d.Hashes[i]; w.seen[hash] {
			w.part.Repeated++
			continue
		} else if hash != 0 {
			w.seen[hash] = true
		}
		if _, err := s.packer.Write(sentence); err != nil {
			return fmt.Errorf("prepare: %w", err)
		}
		w.current.lines++
		w.current.tokens += int64(d.Tokens[i])
		s.info.Sentences++
	}
	return nil
}

// leave counts and lists a document that is left out.
func (w *writer) leave(d *documents.Document) error {
	w.part.LeftOut[d.Left]++
	_, err := fmt.Fprintf(w.leftOut, "%s\t%s\t%s\t%s\t%s\n", w.part.Kind, d.Left, d.Measures,
		field(d.Title), field(d.Source))
	return err
}

// close closes the files that an error has left open.
func (w *writer) close() {
	w.index.file.Close()
	w.leftOut.file.Close()
	for _, p := range w.parts {
		for _, s := range p.shards {
			if s != nil {
				s.file.Close()
			}
		}
	}
}

// flush writes the index line of the document that has ended.
func (w *writer) flush() error {
	e := w.current
	w.current = nil
	if e == nil {
		return nil
	}
	if e.lines == 0 {
		e.Left = before
		return w.leave(e.Document)
	}
	e.shard.info.Documents++
	e.shard.info.Tokens += e.tokens
	_, err := fmt.Fprintf(w.index, "%s\t%d\t%d\t%d\t%s\t%s\t%s\t%s\n", e.shard.info.Name, e.first, e.lines, e.tokens,
		field(e.Title), field(e.Author), field(e.Source), field(e.Licence))
	if err != nil {
		return fmt.Errorf("prepare: %w", err)
	}
	return nil
}

// field makes a text fit for a column, and for a terminal.
func field(s string) string { return printable.Text(strings.Join(strings.Fields(s), " ")) }

// finish completes the files, and writes what says what is there.
func (w *writer) finish(ctx context.Context) ([]Part, error) {
	if err := w.flush(); err != nil {
		return nil, err
	}
	var parts []Part
	for _, p := range w.parts {
		for _, s := range p.shards {
			if s == nil {
				continue
			}
			err := errors.Join(s.packer.Close(), s.close())
			if err == nil {
				s.info.SHA256, err = checksum.File(ctx, s.file.Name())
			}
			if err != nil {
				return nil, fmt.Errorf("prepare: %w", err)
			}
			p.Documents += s.info.Documents
			p.Sentences += s.info.Sentences
			p.Tokens += s.info.Tokens
			p.Shards = append(p.Shards, s.info)
		}
		if p.Sentences == 0 {
			return nil, fmt.Errorf("prepare: nothing is left of the %s: %s", p.Kind, p.lost())
		}
		parts = append(parts, p.Part)
	}
	if err := errors.Join(w.index.close(), w.leftOut.close()); err != nil {
		return nil, fmt.Errorf("prepare: %w", err)
	}
	m := manifest{1, w.seed, parts, map[string]string{}}
	for _, name := range []string{indexName, leftOutName} {
		sum, err := checksum.File(ctx, filepath.Join(w.dir, name))
		if err != nil {
			return nil, fmt.Errorf("prepare: %w", err)
		}
		m.SHA256[name] = sum
	}
	text, err := json.MarshalIndent(m, "", "  ")
	if err == nil {
		err = disk.WriteFile(filepath.Join(w.dir, manifestName), append(text, '\n'))
	}
	if err != nil {
		return nil, fmt.Errorf("prepare: %w", err)
	}
	return parts, nil
}

// lost says why there is nothing, by what was left out most.
func (p Part) lost() string {
	if why := most(p.Why); why != "" && (p.LeftOut["no sentences"] > 0 || len(p.LeftOut) == 0) {
		return fmt.Sprintf("%d sentences are left out for %s", p.Why[why], why)
	}
	if why := most(p.LeftOut); why != "" {
		return fmt.Sprintf("%d documents are left out: %s", p.LeftOut[why], why)
	}
	return "the files are empty"
}

// MostOdd returns the reason that most sentences are left out for.
func (p Part) MostOdd() string { return most(p.Why) }

// most returns the reason that most is left out for, the first of several by name.
func most(reasons map[string]int64) (why string) {
	for _, reason := range slices.Sorted(maps.Keys(reasons)) {
		if why == "" || reasons[reason] > reasons[why] {
			why = reason
		}
	}
	return why
}

// manifest says what is in a folder.
type manifest struct {
	Format int               `json:"format"`
	Seed   uint64            `json:"seed"`
	Parts  []Part            `json:"parts"`
	SHA256 map[string]string `json:"sha256"` // of index.tsv and left-out.tsv; those of shards are in Parts
}
