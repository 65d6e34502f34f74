package prepare

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"

	"contextmover/internal/atomicfile"
	"contextmover/internal/checksum"
	"contextmover/internal/disk"
)

// The files of the output besides the shards.
const (
	indexName    = "index.tsv"
	leftOutName  = "left-out.tsv"
	manifestName = "corpus.json"
)

// indexHeader is the first line of the index.
const indexHeader = "shard\tfirst_line\tlines\ttokens\ttitle\tauthor\tsource\tlicence"

// shardBytes is about how much text makes a shard, and packed how much longer than its file a
// compressed one is taken for.
const (
	shardBytes = 100 << 20
	packed     = 4
)

// writer writes documents, in their order, into the shards of the part that they belong to.
type writer struct {
	dir     string // where it writes
	seed    uint64
	index   *textFile
	leftOut *textFile
	seen    hashes
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
	shard         *shard
	first, lines  int64
	tokens        int64
	title, author string
	source        string
	licence       string
}

type shard struct {
	*textFile
	packer *zstd.Encoder
	info   Shard
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

func newWriter(dir string, seed uint64) (*writer, error) {
	w := &writer{dir: dir, seed: seed}
	var err error
	if w.index, err = create(filepath.Join(dir, indexName)); err == nil {
		w.leftOut, err = create(filepath.Join(dir, leftOutName))
	}
	if err != nil {
		return nil, fmt.Errorf("prepare: %w", err)
	}
	w.index.WriteString(indexHeader + "\n")
	w.leftOut.WriteString("kind\treason\tmeasures\ttitle\tsource\n")
	return w, nil
}

// MaxShards is the number of shards of a source at most.
const MaxShards = 100

// ShardName returns the name of the file of shard i.
func ShardName(kind Kind, i int) string { return fmt.Sprintf("%s-%02d.txt.zst", kind, i) }

// kindOfFolder is what Run writes.
func kindOfFolder() atomicfile.Kind {
	kind := atomicfile.Kind{Name: "a prepared corpus", Files: []string{manifestName, indexName, leftOutName}, Mark: manifestName}
	for _, source := range []Kind{Books, Wikipedia, Text, JSON} {
		for i := range MaxShards {
			kind.Files = append(kind.Files, ShardName(source, i))
		}
	}
	return kind
}

// Replaceable returns an error if Run would not write to the folder: because something is there that
// is neither empty nor an output of Run, or because the folder that it is in is not there.
func Replaceable(out string) error {
	if err := atomicfile.Replaceable(out, kindOfFolder()); err != nil {
		return fmt.Errorf("prepare: %w", err)
	}
	return nil
}

// add adds a part for a source.
func (w *writer) add(kind Kind, shards int) {
	w.parts = append(w.parts, &part{Part: Part{Kind: kind, LeftOut: map[string]int64{}}, shards: make([]*shard, shards)})
}

// begin says what part the documents that come are of, and what shard; −1 draws one for each.
func (w *writer) begin(part, shard int) { w.part, w.shard, w.current = w.parts[part], shard, nil }

// shardsOf is the number of shards that suits files.
func shardsOf(inputs []input) int {
	var size int64
	for _, in := range inputs {
		n := in.size
		if isCompressedBy(in.path, isPacked) {
			n *= packed
		}
		size += n
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
	if s.packer, err = zstd.NewWriter(s.textFile, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(4<<20)); err != nil {
		return nil, fmt.Errorf("prepare: %w", err)
	}
	return s, nil
}

func isPacked(head []byte) bool {
	return isBzip2(head) || strings.HasPrefix(string(head), "\x1f\x8b") || strings.HasPrefix(string(head), "\x28\xb5\x2f\xfd")
}

// A book of which less is left without what occurred before is one of those before.
const minNew = 0.3

// write writes a document, less what occurred before.
func (w *writer) write(d *document) error {
	w.part.Odd += d.odd
	if !d.continues {
		if err := w.flush(); err != nil {
			return err
		}
	}
	fresh := 0
	for _, h := range d.hashes {
		if h == 0 || !w.seen.has(h) {
			fresh++
		}
	}
	if d.left == "" && !d.continues && w.part.Kind == Books && float64(fresh) < minNew*float64(len(d.hashes)) {
		d.left, d.measures = "occurred before", fmt.Sprintf("new sentences %d of %d", fresh, len(d.hashes))
	}
	if d.left == "" && !d.continues && len(d.ends) == 0 {
		d.left = "no sentences"
	}
	if d.left != "" {
		w.part.LeftOut[d.left]++
		if d.title != "" {
			fmt.Fprintf(w.leftOut, "%s\t%s\t%s\t%s\t%s\n", w.part.Kind, d.left, d.measures, field(d.title), field(d.source))
		}
		return nil
	}
	if !d.continues || w.current == nil {
		s, err := w.next()
		if err != nil {
			return err
		}
		w.current = &entry{shard: s, first: s.info.Sentences + 1, title: d.title, author: d.author, source: d.source, licence: d.licence}
	}
	s := w.current.shard
	from := 0
	for i, end := range d.ends {
		if d.hashes[i] != 0 && !w.seen.add(d.hashes[i]) {
			w.part.Repeated++
		} else {
			if _, err := s.packer.Write(d.text[from:end]); err != nil {
				return fmt.Errorf("prepare: %w", err)
			}
			w.current.lines++
			w.current.tokens += int64(d.tokens[i])
			s.info.Sentences++
		}
		from = end
	}
	return nil
}

// close closes the files that an error has left open.
func (w *writer) close() {
	for _, p := range w.parts {
		for _, s := range p.shards {
			if s != nil {
				s.file.Close()
			}
		}
	}
	w.index.file.Close()
	w.leftOut.file.Close()
}

// flush writes the index line of the document that has ended.
func (w *writer) flush() error {
	e := w.current
	w.current = nil
	if e == nil {
		return nil
	}
	if e.lines == 0 {
		w.part.LeftOut["occurred before"]++
		_, err := fmt.Fprintf(w.leftOut, "%s\toccurred before\t\t%s\t%s\n", w.part.Kind, field(e.title), field(e.source))
		return err
	}
	e.shard.info.Documents++
	e.shard.info.Tokens += e.tokens
	_, err := fmt.Fprintf(w.index, "%s\t%d\t%d\t%d\t%s\t%s\t%s\t%s\n", e.shard.info.Name, e.first, e.lines, e.tokens, field(e.title), field(e.author), field(e.source), field(e.licence))
	if err != nil {
		return fmt.Errorf("prepare: %w", err)
	}
	return nil
}

// field makes a text fit for a column.
func field(s string) string { return strings.Join(strings.Fields(s), " ") }

// finish completes the shards and writes what says what is there.
func (w *writer) finish(ctx context.Context) ([]Part, error) {
	var parts []Part
	for _, p := range w.parts {
		for _, s := range p.shards {
			if s == nil {
				continue
			}
			if err := errors.Join(s.packer.Close(), s.textFile.close()); err != nil {
				return nil, fmt.Errorf("prepare: %w", err)
			}
			sum, err := checksum.File(ctx, filepath.Join(w.dir, s.info.Name))
			if err != nil {
				return nil, err
			}
			s.info.SHA256 = sum
			p.Documents += s.info.Documents
			p.Sentences += s.info.Sentences
			p.Tokens += s.info.Tokens
			p.Shards = append(p.Shards, s.info)
		}
		parts = append(parts, p.Part)
	}
	if err := errors.Join(w.index.close(), w.leftOut.close()); err != nil {
		return nil, fmt.Errorf("prepare: %w", err)
	}
	text, err := json.MarshalIndent(struct {
		Format int    `json:"format"`
		Seed   uint64 `json:"seed"`
		Parts  []Part `json:"parts"`
	}{1, w.seed, parts}, "", "  ")
	if err != nil {
		return nil, err
	}
	if err := disk.WriteFile(filepath.Join(w.dir, manifestName), append(text, '\n')); err != nil {
		return nil, fmt.Errorf("prepare: %w", err)
	}
	return parts, nil
}

// hashes is a set of numbers other than 0.
type hashes struct {
	slots []uint64 // a power of two of them
	n     int
}

func (s *hashes) find(h uint64) int {
	at := int(h>>1) & (len(s.slots) - 1)
	for s.slots[at] != 0 && s.slots[at] != h {
		at = (at + 1) & (len(s.slots) - 1)
	}
	return at
}

func (s *hashes) has(h uint64) bool { return s.n > 0 && s.slots[s.find(h)] == h }

// add adds a number and tells whether it was not there.
func (s *hashes) add(h uint64) bool {
	if 4*(s.n+1) > 3*len(s.slots) {
		old := s.slots
		s.slots = make([]uint64, max(1<<10, 2*len(old)))
		for _, h := range old {
			if h != 0 {
				s.slots[s.find(h)] = h
			}
		}
	}
	at := s.find(h)
	if s.slots[at] == h {
		return false
	}
	s.slots[at] = h
	s.n++
	return true
}
