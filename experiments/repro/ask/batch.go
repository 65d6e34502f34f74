package ask

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
	"contextmover/experiments/pipeline"
	"contextmover/experiments/repro/cli"
	"contextmover/internal/atomicfile"
	"contextmover/internal/bounded"
	"contextmover/internal/disk"
)

// pairsInBlock is the number of pairs whose distances are one file: enough that opening the space does not show.
var pairsInBlock = 50_000 // so that tests can cut everywhere

// unknownDistance stands for that of a pair of which a text has no known word.
const unknownDistance = "unknown"

// batchName is the file with all distances; the blocks are in a folder beside it.
const batchName, blocksName = "distances.txt", "blocks"

// batch has the distances of the pairs of a file: block by block, each a file that is there whole or not at all. Its first line is the key of what it
// was made from and a checksum of the rest, a distance a line.
type batch struct {
	space  *cmdlib.Space
	pairs  []cmdlib.Pair
	dir    string
	origin []byte // of the space
}

func newBatch(s *cmdlib.Space, file, dir string) (*batch, error) {
	read, err := dataset.ReadPairs(file)
	if err != nil {
		return nil, err
	}
	b := &batch{space: s, dir: dir, pairs: make([]cmdlib.Pair, len(read))}
	for i, p := range read {
		b.pairs[i] = cmdlib.Pair{A: p.A, B: p.B}
	}
	if b.origin, err = json.Marshal([]any{s.Settings, s.Provenance, len(s.Words), s.Cost.K}); err != nil {
		return nil, err
	}
	if err := disk.MkdirAll(filepath.Join(dir, blocksName)); err != nil {
		return nil, err
	}
	atomicfile.Sweep(dir)
	atomicfile.Sweep(filepath.Join(dir, blocksName))
	return b, nil
}

func (b *batch) blocks() int { return (len(b.pairs) + pairsInBlock - 1) / pairsInBlock }

func (b *batch) block(number int) []cmdlib.Pair {
	return b.pairs[number*pairsInBlock : min((number+1)*pairsInBlock, len(b.pairs))]
}

func (b *batch) path(number int) string {
	return filepath.Join(b.dir, blocksName, fmt.Sprintf("%05d", number))
}

// header is the first line of a block with that content.
func (b *batch) header(number int, content string) string {
	h := sha256.New()
	fmt.Fprintf(h, "distances 1\n%s\n", b.origin)
	for _, p := range b.block(number) {
		fmt.Fprintf(h, "%s\t%s\n", p.A, p.B)
	}
	return fmt.Sprintf("%x %08x\n", h.Sum(nil), crc32.Checksum([]byte(content), crc32.MakeTable(crc32.Castagnoli)))
}

// read returns the content of a block, fs.ErrNotExist if it is not there or is to be made anew.
func (b *batch) read(number int) (string, error) {
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

// make makes a block, unless it is there, and returns whether it had to.
func (b *batch) make(ctx context.Context, number int) (bool, error) {
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

// join writes the file with all distances. The error is fs.ErrNotExist if a block is not there yet.
func (b *batch) join(ctx context.Context) error {
	for number := range b.blocks() {
		if _, err := os.Stat(b.path(number)); err != nil {
			return err
		}
	}
	return atomicfile.Write(filepath.Join(b.dir, batchName), func(w *bufio.Writer) error {
		for number := range b.blocks() {
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

// runBatch is repro distance --pairs.
func (c *Distance) runBatch(e *cli.Env) error {
	if c.From != "" || c.To != "" || c.Explain || c.JSON {
		return cli.BadUsage("--pairs: expected no texts beside it, and neither --explain nor --json")
	}
	if len(c.In) > 0 {
		return cli.BadUsage("--pairs: expected no --in: put what it learns into a space first")
	}
	if c.Out == "" {
		return cli.BadUsage("--pairs: expected --out DIR, the folder to write distances to")
	}
	s, monitor, err := c.open(e)
	if err != nil {
		return err
	}
	defer s.Close()
	b, err := newBatch(s.Space, c.Pairs, c.Out)
	if err != nil {
		return err
	}
	step, n, made, there := e.Progress.Step("distances"), 0, 0, 0
	for range c.Share.Of(b.blocks()) {
		n++
	}
	for number := range c.Share.Of(b.blocks()) {
		did, err := b.make(e, number)
		if err != nil {
			return fmt.Errorf("pairs %d to %d of %s: %w", number*pairsInBlock+1, number*pairsInBlock+len(b.block(number)), c.Pairs, err)
		}
		if did {
			made++
		} else {
			there++
		}
		step(int64(made+there), int64(n))
	}
	pipeline.WarnUnconverged(monitor, hint)
	fmt.Fprintf(e.Out, "%s\t%d of %d blocks made, %d were there\n", filepath.Join(c.Out, blocksName), made, b.blocks(), there)
	switch err := b.join(e); {
	case errors.Is(err, fs.ErrNotExist): // another process joins them
	case err != nil:
		return err
	default:
		fmt.Fprintf(e.Out, "%s\t%d distances\n", filepath.Join(c.Out, batchName), len(b.pairs))
	}
	return nil
}
