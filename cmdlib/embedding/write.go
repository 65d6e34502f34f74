package embedding

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"

	"contextmover/internal/atomicfile"
	"contextmover/internal/parallel"
)

// Write writes v in a format: components as text with the fewest digits that give the same float32 back, or as
// little-endian float32. The file appears whole or not at all.
//
// A word with white space is an error, but in GloVe text one may contain single blanks inside (GloVe 840B has such) if
// Read finds its end: no field of it but the first may be a number.
func (v *Vectors) Write(ctx context.Context, path string, as Format) error {
	if err := atomicfile.Write(path, func(w *bufio.Writer) error { return v.encodeAs(ctx, w, as) }); err != nil {
		return fmt.Errorf("embedding: %w", err)
	}
	return nil
}

func (v *Vectors) encodeAs(ctx context.Context, w *bufio.Writer, as Format) error {
	header, appendRow := fmt.Sprintf("%d %d\n", v.Len(), v.Dim), v.appendText
	switch as {
	case Word2VecBinary:
		appendRow = v.appendBinary
	case GloVe:
		header = ""
		if v.Len() > 0 && strings.HasPrefix(v.Words[0], byteOrderMark) {
			header = byteOrderMark // Read drops one
		}
	}
	for i, word := range v.Words {
		if as != GloVe && strings.ContainsAny(word, " \t\r\n") {
			return fmt.Errorf("word %d, %q, cannot be written in word2vec's format: it contains white space", i, word)
		}
		for field, text := range strings.Split(word, " ") {
			_, _, number := parseFloat([]byte(text))
			if text == "" || strings.ContainsAny(text, "\t\r\n") || field > 0 && number {
				return fmt.Errorf("word %d, %q, cannot be written as GloVe text: it contains white space or a number "+
					"after a blank", i, word)
			}
		}
	}
	return v.encode(ctx, w, header, appendRow)
}

func (v *Vectors) appendText(to []byte, i int) []byte {
	to = append(to, v.Words[i]...)
	for _, x := range v.Row(i) {
		to = strconv.AppendFloat(append(to, ' '), float64(x), 'g', -1, 32)
	}
	return append(to, '\n')
}

func (v *Vectors) appendBinary(to []byte, i int) []byte {
	to = append(append(to, v.Words[i]...), ' ')
	for _, x := range v.Row(i) {
		to = binary.LittleEndian.AppendUint32(to, math.Float32bits(x))
	}
	return append(to, '\n')
}

// encode formats rows in parallel, a group of blocks at a time, and writes them in
// order.
func (v *Vectors) encode(
	ctx context.Context, w *bufio.Writer, header string, appendRow func(to []byte, i int) []byte,
) error {
	if _, err := w.WriteString(header); err != nil {
		return err
	}
	const size, group = 256, 16
	texts := make([][]byte, group)
	for from := 0; from < v.Len(); from += group * size {
		to := min(from+group*size, v.Len())
		err := parallel.Blocks(ctx, to-from, size, func(lo, hi int) error {
			text := texts[lo/size][:0]
			for i := from + lo; i < from+hi; i++ {
				text = appendRow(text, i)
			}
			texts[lo/size] = text
			return nil
		})
		if err != nil {
			return err
		}
		for b := 0; b*size < to-from; b++ {
			if _, err := w.Write(texts[b]); err != nil {
				return err
			}
		}
	}
	return nil
}
