// Package batch answers many questions of one kind, a line of a file each:
// blocks of lines, each of them in any process, on machines that share a folder.
package batch

import (
	"bufio"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"

	"contextmover/cmdlib"
	"contextmover/internal/atomicfile"
	"contextmover/internal/bounded"
	"contextmover/internal/checkpoint"
	"contextmover/internal/disk"
)

// Blocks is the folder with the blocks, next to the file with all answers.
const Blocks = "blocks"

// Batch are the answers to the lines of a file: block by block, each a file that is there whole
// or not at all. Its first line is the key of what it was made from and a checksum of the rest.
type Batch struct {
	// Name is that of the file with all answers, Things what they are.
	Name, Things string

	file   string
	lines  []string
	dir    string
	blocks string // the folder of blocks in dir, Blocks if empty
	size   int    // lines in a block: enough that opening the space does not show
	kind   string // of the answers, and the version of what blocks of them are like
	origin []byte // what the answers depend on beside their lines
	head   []byte // of the file with all answers
	answer func(ctx context.Context, from, to int) ([]byte, error)
}

// open makes the folder, and takes away what killed processes have left there.
func (b *Batch) open(s *cmdlib.Space, more ...any) (*Batch, error) {
	var err error
	if b.origin, err = json.Marshal(append([]any{s.Identity(), s.Settings}, more...)); err != nil {
		return nil, err
	}
	if err := disk.MkdirAll(b.Folder()); err != nil {
		return nil, err
	}
	atomicfile.Sweep(b.dir)
	atomicfile.Sweep(b.Folder())
	return b, nil
}

// solved opens answers that the space's engine computes: other engines give other bits.
func (b *Batch) solved(s *cmdlib.Space, more ...any) (*Batch, error) {
	return b.open(s, append(more, s.Engine.Name())...)
}

// Cut sets the number of lines in a block, at least 1; before, it is the one at which opening the space
// does not show. Blocks of another number are made again. It panics if there is no line in a block.
func (b *Batch) Cut(lines int) {
	if lines < 1 {
		panic(fmt.Sprintf("batch: %d lines in a block", lines))
	}
	b.size = lines
}

// Folder returns the folder with the blocks.
func (b *Batch) Folder() string { return filepath.Join(b.dir, cmp.Or(b.blocks, Blocks)) }

// Lines returns the number of lines.
func (b *Batch) Lines() int { return len(b.lines) }

// Blocks returns the number of blocks.
func (b *Batch) Blocks() int { return (len(b.lines) + b.size - 1) / b.size }

// bounds returns the first line of a block and the one behind it.
func (b *Batch) bounds(number int) (from, to int) {
	return number * b.size, min((number+1)*b.size, len(b.lines))
}

func (b *Batch) path(number int) string {
	return filepath.Join(b.Folder(), fmt.Sprintf("%05d", number))
}

// header is the first line of a block with that content.
func (b *Batch) header(number int, content []byte) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%s\n", b.kind, b.origin)
	from, to := b.bounds(number)
	for _, line := range b.lines[from:to] {
		fmt.Fprintf(h, "%s\n", line)
	}
	return fmt.Sprintf("%x %08x\n", h.Sum(nil), crc32.Checksum(content, crc32.MakeTable(crc32.Castagnoli)))
}

// read returns the content of a block.
func (b *Batch) read(number int) ([]byte, error) {
	block, err := bounded.ReadFile(b.path(number), bounded.Share(1)) // as large as the answers that were written
	if err != nil {
		return nil, err
	}
	at := len(b.header(number, nil))
	if at > len(block) || string(block[:at]) != b.header(number, block[at:]) {
		const what = "is damaged, or of other lines, another space or another engine"
		return nil, &checkpoint.DamagedError{Path: b.path(number), What: what}
	}
	return block[at:], nil
}

// step makes a block. The error names the lines.
func (b *Batch) step(number int) checkpoint.Step[[]byte] {
	return checkpoint.Step[[]byte]{
		Tell: checkpoint.Warn,
		Open: func(context.Context) ([]byte, error) { return b.read(number) },
		Make: func(ctx context.Context) ([]byte, error) {
			from, to := b.bounds(number)
			content, err := b.answer(ctx, from, to)
			if err != nil {
				return nil, fmt.Errorf("lines %d to %d of %s: %w", from+1, to, b.file, err)
			}
			return content, atomicfile.WriteBytes(b.path(number), append([]byte(b.header(number, content)), content...))
		},
	}
}

// Make makes a block, unless it is there, and returns whether it had to. The error names the lines.
func (b *Batch) Make(ctx context.Context, number int) (bool, error) { return b.step(number).Do(ctx) }

// Join writes the file with all answers. The error is fs.ErrNotExist
// if a block is not there yet; one that is damaged is made again.
func (b *Batch) Join(ctx context.Context) error {
	for number := range b.Blocks() {
		if _, err := os.Stat(b.path(number)); err != nil {
			return err
		}
	}
	return atomicfile.Write(filepath.Join(b.dir, b.Name), func(w *bufio.Writer) error {
		if _, err := w.Write(b.head); err != nil {
			return err
		}
		for number := range b.Blocks() {
			if err := ctx.Err(); err != nil {
				return err
			}
			content, _, err := b.step(number).Get(ctx)
			if err != nil {
				return err
			}
			if _, err := w.Write(content); err != nil {
				return err
			}
		}
		return nil
	})
}
