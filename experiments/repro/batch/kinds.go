package batch

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"contextmover/cmdlib"
	"contextmover/cmdlib/npy"
	"contextmover/cmdlib/search"
	"contextmover/experiments/harness/dataset"
)

// unknown stands for the answer to a line with a text of which no word is known.
const unknown = "unknown"

func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// Distances are those of pairs of texts, see dataset.ReadPairs, by the method of a space for texts. distances.txt has
// one per line, that of cmdlib.Space.Distances, or "unknown" where a text has no known word. What is made goes to the
// folder dir.
func Distances(s *cmdlib.Space, file, dir string) (*Batch, error) {
	read, err := dataset.ReadPairs(file)
	if err != nil {
		return nil, err
	}
	lines, pairs := make([]string, len(read)), make([]cmdlib.Pair, len(read))
	for i, p := range read {
		lines[i], pairs[i] = p.A+"\t"+p.B, cmdlib.Pair{A: p.A, B: p.B}
	}
	b := &Batch{
		Name: "distances.txt", Things: "distances", file: file, lines: lines, dir: dir, size: 50_000,
		kind: "distances 1",
	}
	b.answer = func(ctx context.Context, from, to int) ([]byte, error) {
		distances, err := s.Distances(ctx, pairs[from:to])
		var content bytes.Buffer
		for _, d := range distances {
			if math.IsNaN(d) {
				fmt.Fprintln(&content, unknown)
			} else {
				fmt.Fprintln(&content, number(d))
			}
		}
		return content.Bytes(), err
	}
	if s.ByVectors() {
		b.kind = "by " + s.Default() + " 1"
		return b.open(s)
	}
	return b.solved(s)
}

// Histograms are those of texts, one per line, in a space, which combines words by averages or barycenters
// (cmdlib.Space.With): N×K of float32, a row each, that of cmdlib.Space.Sentence to the last bit. They go to the file
// out, see rows.
func Histograms(s *cmdlib.Space, file, out string) (*Batch, error) {
	k := s.Cost.K
	b, err := rows("histograms", file, out, k, func(ctx context.Context, texts []string) ([]float32, error) {
		sentences, err := s.Sentences(ctx, texts)
		all := make([]float32, k*len(sentences))
		for i, sentence := range sentences {
			copy(all[i*k:], sentence.Histogram)
		}
		return all, err
	})
	if err != nil {
		return nil, err
	}
	b.size = min(2000, b.size)
	return b.solved(s)
}

// Vectors are those of texts, one per line: N×Dim of float32, a row each, that of
// cmdlib.Encoder.Encode to the last bit. They go to the file out, see rows.
func Vectors(s *cmdlib.Space, file, out string) (*Batch, error) {
	encoder, err := s.Encoder()
	if err != nil {
		return nil, err
	}
	b, err := rows("vectors", file, out, s.Dim, encoder.Encode)
	if err != nil {
		return nil, err
	}
	return b.open(s)
}

// rows are arrays of dim numbers, one for each text of a file, one per line. The row of a text of which no word is
// known has zeros alone, and a warning counts them. The array goes to the file out, blocks to a folder next to it.
func rows(things, file, out string, dim int, encode func(ctx context.Context, texts []string) ([]float32, error),
) (*Batch, error) {
	texts, err := dataset.ReadTexts(file)
	if err != nil {
		return nil, err
	}
	name := filepath.Base(out)
	return &Batch{
		Name: name, Things: things, file: file, lines: texts, dir: filepath.Dir(out), blocks: name + ".blocks",
		kind: things + " 1", head: npy.Header[float32](len(texts), dim), size: max(1, 4<<20/dim), // at most 16 MiB
		answer: func(ctx context.Context, from, to int) ([]byte, error) {
			all, err := encode(ctx, texts[from:to])
			if err != nil {
				return nil, err
			}
			var without []int // lines
			for i := range to - from {
				if !slices.ContainsFunc(all[i*dim:][:dim], func(x float32) bool { return x != 0 }) {
					without = append(without, from+i+1)
				}
			}
			if len(without) > 0 {
				slog.Warn("texts of which no word is known: their rows have zeros alone",
					"file", file, "texts", len(without), "first_line", without[0])
			}
			return binary.Append(nil, binary.LittleEndian, all)
		},
	}, nil
}

// Neighbours are the n words nearest to each of some words or texts, one per line (see cmdlib.Space.Neighbours), by the
// method of a space for texts. The file neighbours.tsv has a line for each, with the number of the text's line, the
// distance and the word; or with the number and "unknown". What is made goes to the folder dir.
func Neighbours(s *cmdlib.Space, file string, n int, dir string) (*Batch, error) {
	texts, err := dataset.ReadTexts(file)
	if err != nil {
		return nil, err
	}
	b := &Batch{
		Name: "neighbours.tsv", Things: "texts' neighbours", file: file, lines: texts, dir: dir, size: 50,
		kind: "neighbours 1",
	}
	b.answer = each(texts, func(
		ctx context.Context, _ int, text string, list func(distance float64, rest string),
	) error {
		found, err := s.Neighbours(ctx, text, n)
		if err != nil {
			return err
		}
		for _, near := range found.Nearest {
			list(near.Distance, near.Word)
		}
		return nil
	})
	if s.ByVectors() {
		b.size, b.kind = 500, "nearest words 1"
		return b.open(s, n)
	}
	return b.solved(s, n)
}

// Search are the sentences of an index, or documents, that are nearest to each of some queries, one per line.
// nearest.tsv has a line for each, with the number of the query's line, the distance, the sentence's file and line, and
// the sentence (search.Hit.Line); or with the number and "unknown". The log tells of each query how long it took. s is
// the space that the index was opened for. What is made goes to the folder dir.
func Search(x *search.Index, s *cmdlib.Space, o search.Options, file, dir string) (*Batch, error) {
	texts, err := dataset.ReadTexts(file)
	if err != nil {
		return nil, err
	}
	b := &Batch{
		Name: "nearest.tsv", Things: "queries", file: file, lines: texts, dir: dir, size: 10,
		kind: fmt.Sprintf("nearest %s %t %t 4", x.Method(o), o.Documents, o.Exact),
	}
	b.answer = each(texts, func(
		ctx context.Context, line int, text string, list func(distance float64, rest string),
	) error {
		start := time.Now()
		found, err := x.Search(ctx, text, o)
		if err != nil {
			return err
		}
		for _, hit := range found.Nearest {
			list(hit.Distance, hit.Line())
		}
		slog.Info("searched", "line", line, "seconds", fmt.Sprintf("%.3f", time.Since(start).Seconds()),
			"compared", found.Compared, "transported", found.Transported)
		return nil
	})
	if o.Rerank == nil || o.Rerank.ByVectors() {
		return b.open(s, o.N, x.Checksum())
	}
	return b.solved(o.Rerank, o.N, x.Checksum())
}

// each answers one text after the other by a list.
func each(texts []string, answer func(
	ctx context.Context, line int, text string, list func(distance float64, rest string),
) error) func(ctx context.Context, from, to int) ([]byte, error) {
	return func(ctx context.Context, from, to int) ([]byte, error) {
		var content bytes.Buffer
		for i := from; i < to; i++ {
			err := answer(ctx, i+1, texts[i], func(distance float64, rest string) {
				fmt.Fprintf(&content, "%d\t%s\t%s\n", i+1, number(distance), rest)
			})
			var none *cmdlib.UnknownError
			if errors.As(err, &none) {
				fmt.Fprintf(&content, "%d\t%s\n", i+1, unknown)
			} else if err != nil {
				return nil, err
			}
		}
		return content.Bytes(), nil
	}
}
