// Package batch solves many pairs of texts, each block of them in any process, on machines that share a folder.
package batch

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"contextmover/cmdlib"
	"contextmover/experiments/dataset"
	"contextmover/internal/atomicfile"
	"contextmover/internal/bounded"
	"contextmover/internal/disk"
)

// pairsInBlock is the number of pairs whose distances are one file: enough that opening the space does not show.
var pairsInBlock = 50_000 // so that tests can cut everywhere

// unknownDistance stands for that of a pair of which a text has no known word.
const unknownDistance = "unknown"

// The file with all distances, and the folder with the blocks beside it.
const (
	Name   = "distances.txt"
	Blocks = "blocks"
)

// Distances are those of the pairs of a file: block by block, each a file that is there whole or not at all. Its first line is the key of what it
// was made from and a checksum of the rest, a distance a line.
type Distances struct {
	space  *cmdlib.Space
	file   string
	pairs  []cmdlib.Pair
	dir    string
	origin []byte // of the space
}

// NewDistances reads the pairs of a file, see dataset.ReadPairs, whose distances in a space go to the folder dir, which it makes; what killed processes have left there goes.
func NewDistances(s *cmdlib.Space, file, dir string) (*Distances, error) {
	read, err := dataset.ReadPairs(file)
	if err != nil {
		return nil, err
	}
	b := &Distances{space: s, file: file, dir: dir, pairs: make([]cmdlib.Pair, len(read))}
	for i, p := range read {
		b.pairs[i] = cmdlib.Pair{A: p.A, B: p.B}
	}
	if b.origin, err = json.Marshal([]any{s.Settings, s.Provenance, len(s.Words), s.Cost.K}); err != nil {
		return nil, err
	}
	if err := disk.MkdirAll(filepath.Join(dir, Blocks)); err != nil {
		return nil, err
	}
	atomicfile.Sweep(dir)
	atomicfile.Sweep(filepath.Join(dir, Blocks))
	return b, nil
}

// Pairs returns the number of pairs.
func (b *Distances) Pairs() int { return len(b.pairs) }

// Blocks returns the number of blocks.
func (b *Distances) Blocks() int { return (len(b.pairs) + pairsInBlock - 1) / pairsInBlock }

func (b *Distances) block(number int) []cmdlib.Pair {
	return b.pairs[number*pairsInBlock : min((number+1)*pairsInBlock, len(b.pairs))]
}

func (b *Distances) path(number int) string {
	return filepath.Join(b.dir, Blocks, fmt.Sprintf("%05d", number))
}

// header is the first line of a block with that content.
func (b *Distances) header(number int, content string) string {
	h := sha256.New()
	fmt.Fprintf(h, "distances 1\n%s\n", b.origin)
	for _, p := range b.block(number) {
		fmt.Fprintf(h, "%s\t%s\n", p.A, p.B)
	}
	return fmt.Sprintf("%x %08x\n", h.Sum(nil), crc32.Checksum([]byte(content), crc32.MakeTable(crc32.Castagnoli)))
}

// read returns the content of a block, fs.ErrNotExist if it is not there or is to be made anew.
func (b *Distances) read(number int) (string, error) {
	text, err := bounded.ReadFile(b.path(number), bounded.Document)
	if err != nil {
		return "", err
	}
	header, content, _ := strings.Cut(string(text), "\n")
	if header+"\n" != b.header(number, content) {
		slog.Warn("damaged, or of other pairs or another space, and made anew", "file", b.path(number))
		return "", fs.ErrNotExist
	}
	return content, nil
}

// Make makes a block, unless it is there, and returns whether it had to. The error names the pairs.
func (b *Distances) Make(ctx context.Context, number int) (bool, error) {
	made, err := b.make(ctx, number)
	if err != nil {
		err = fmt.Errorf("pairs %d to %d of %s: %w", number*pairsInBlock+1, number*pairsInBlock+len(b.block(number)), b.file, err)
	}
	return made, err
}

func (b *Distances) make(ctx context.Context, number int) (bool, error) {
	_, err := b.read(number)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	distances, err := b.space.PairDistances(ctx, b.block(number))
	if err != nil {
		return false, err
	}
	var content strings.Builder
	for _, d := range distances {
		text := unknownDistance
		if d.Known {
			text = strconv.FormatFloat(d.Cost, 'g', -1, 64)
		}
		content.WriteString(text)
		content.WriteByte('\n')
	}
	return true, atomicfile.WriteBytes(b.path(number), []byte(b.header(number, content.String())+content.String()))
}

// Join writes the file with all distances. The error is fs.ErrNotExist if a block is not there yet.
func (b *Distances) Join(ctx context.Context) error {
	for number := range b.Blocks() {
		if _, err := os.Stat(b.path(number)); err != nil {
			return err
		}
	}
	return atomicfile.Write(filepath.Join(b.dir, Name), func(w *bufio.Writer) error {
		for number := range b.Blocks() {
			if err := ctx.Err(); err != nil {
				return err
			}
			content, err := b.read(number)
			if err != nil {
				return err
			}
			if _, err := w.WriteString(content); err != nil {
				return err
			}
		}
		return nil
	})
}
