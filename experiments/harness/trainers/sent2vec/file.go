package sent2vec

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"contextmover/internal/atomicfile"
	"contextmover/internal/bounded"
)

// The head of a model's file: the original's numbers, all int32 but the last.
type head struct {
	Magic, Version                    int32
	Dim, Window, Epochs, MinCount     int32
	Negatives, NGrams, Loss, Model    int32
	Buckets, MinN, MaxN, UpdatingRate int32
	Subsample                         float64
}

const (
	magic        = 793712314
	version      = 11
	lossNegative = 2
	modelKind    = 4 // sent2vec; others are fastText's
)

// dictionary follows the head, then an entry for each word.
type dictionary struct {
	Size, Words, Labels int32
	Tokens, Pruned      int64
}

// Write writes the model as the original's program does (.bin, little-endian), so that it can read it. Of the settings
// Rate, Dropout, MinTarget and Seed are not in the file. The file appears whole or not at all.
func (m *Model) Write(ctx context.Context, path string) error {
	if err := atomicfile.Write(path, func(w *bufio.Writer) error { return m.encode(ctx, w) }); err != nil {
		return fmt.Errorf("sent2vec: %w", err)
	}
	return nil
}

func (m *Model) encode(ctx context.Context, w io.Writer) error {
	p := m.Params
	put := func(x any) error { return binary.Write(w, binary.LittleEndian, x) }
	// The program keeps a bucket where it has no n-grams, and one more that it does not use.
	buckets := max(p.buckets(), 1)
	err := errors.Join(
		put(head{
			magic, version, int32(p.Dim), 5, int32(p.Epochs), 1, int32(p.Negatives), int32(p.NGrams),
			lossNegative, modelKind,
			int32(buckets), 3, 6, 100, p.Subsample,
		}),
		put(dictionary{int32(len(m.Words)), int32(len(m.Words)), 0, m.Tokens, 0}),
	)
	for i, word := range m.Words {
		if err == nil && strings.ContainsAny(word, " \t\r\n\v\f\x00") {
			err = fmt.Errorf("word %d, %q, cannot be written: it contains white space", i, word)
		}
		if err == nil {
			_, err = io.WriteString(w, word)
		}
		if err == nil {
			err = put(struct {
				End   byte
				Count int64
				Type  byte
			}{0, m.Counts[i], 0})
		}
	}
	rows := func(first, n, zeros int) error {
		if err := put(struct {
			Quantised     bool
			Rows, Columns int64
		}{false, int64(n + zeros), int64(p.Dim)}); err != nil {
			return err
		}
		line := make([]byte, 0, 4*p.Dim)
		for i := range n + zeros {
			if i%1024 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			line = line[:0]
			for k := range p.Dim {
				x := float32(0)
				if i < n {
					x = m.row(first + i)[k]
				}
				line = binary.LittleEndian.AppendUint32(line, math.Float32bits(x))
			}
			if _, err := w.Write(line); err != nil {
				return err
			}
		}
		return nil
	}
	if err == nil {
		err = rows(0, m.inputs(), len(m.Words)+buckets+1-m.inputs())
	}
	if err == nil {
		err = rows(m.inputs(), len(m.Words), 0)
	}
	return err
}

// Read reads a model of the original's program, of the version that has a placeholder,
// not quantised. Errors tell what the file is instead, or where it is cut or damaged.
func Read(ctx context.Context, path string) (*Model, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("sent2vec: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("sent2vec: %w", err)
	}
	m, err := decode(ctx, bufio.NewReaderSize(file, 1<<20), info.Size())
	if err != nil {
		return nil, fmt.Errorf("sent2vec: %s: %w", path, err)
	}
	return m, nil
}

// decode reads a model from a file of the given size.
func decode(ctx context.Context, r *bufio.Reader, size int64) (*Model, error) {
	var h head
	if err := get(r, &h); err != nil {
		return nil, fmt.Errorf("head: %w", err)
	}
	switch {
	case h.Magic != magic:
		return nil, fmt.Errorf("begins with the number %d, expected %d: not a model of fastText or Sent2vec (a text "+
			"file of vectors is one for embedding.Read)", h.Magic, magic)
	case h.Version != version || h.Model != modelKind:
		return nil, fmt.Errorf("version %d of a model of kind %d, expected version %d and kind %d (sent2vec)",
			h.Version, h.Model, version, modelKind)
	case h.Loss != lossNegative:
		return nil, fmt.Errorf("loss %d, expected %d (negative sampling)", h.Loss, lossNegative)
	}
	p := Params{
		Dim: int(h.Dim), Epochs: int(h.Epochs), Rate: 1, NGrams: int(h.NGrams), Buckets: int(h.Buckets),
		Negatives: int(h.Negatives), Subsample: h.Subsample,
	}
	if err := p.Validate(); err != nil {
		return nil, fmt.Errorf("head: %w", err)
	}
	p.Rate = 0
	unused := 2
	if p.NGrams == 1 { // the original has rows for n-grams even then
		unused += max(p.Buckets, 0)
		p.Buckets = 0
	}
	var d dictionary
	if err := get(r, &d); err != nil {
		return nil, fmt.Errorf("dictionary: %w", err)
	}
	const entry = 10 // bytes, but for the word
	switch {
	case d.Words < 1 || d.Size != d.Words || d.Labels != 0:
		return nil, fmt.Errorf("dictionary of %d entries, %d words and %d labels, expected words alone",
			d.Size, d.Words, d.Labels)
	case d.Tokens < 0:
		return nil, fmt.Errorf("dictionary of %d tokens, expected none below 0", d.Tokens)
	case d.Pruned > 0:
		return nil, errors.New("a pruned dictionary, expected a whole one; train again without quantising")
	}
	// What is said to follow has to fit into the file before there is memory for it.
	if need := int64(d.Words)*(entry+8*int64(p.Dim)) + 4*int64(p.Dim)*int64(p.buckets()); need > size {
		return nil, fmt.Errorf("the head announces %d words and %d buckets of %d components, more than the %d bytes "+
			"of the file hold; it is cut (fetch it again) or damaged", d.Words, p.buckets(), p.Dim, size)
	}
	words, counts := make([]string, d.Words), make([]int64, d.Words)
	for i := range words {
		word, err := r.ReadSlice(0)
		if err != nil {
			return nil, fmt.Errorf("word %d: no end within %d bytes; the file is damaged", i, len(word))
		}
		words[i] = string(bytes.TrimSuffix(word, []byte{0}))
		var e struct {
			Count int64
			Type  byte
		}
		if err := get(r, &e); err != nil {
			return nil, fmt.Errorf("word %d: %w", i, err)
		}
		if words[i] == "" || e.Count < 0 || e.Type != 0 {
			return nil,
				fmt.Errorf("word %d, %q, has count %d and type %d, expected a word with type 0 and no count below 0",
					i, words[i], e.Count, e.Type)
		}
		counts[i] = e.Count
	}
	if words[0] != Placeholder {
		return nil, fmt.Errorf("the first word is %q, expected %q: a model of the program before it had one",
			words[0], Placeholder)
	}
	if err := bounded.Allocate(p.Memory(len(words) - 1)); err != nil {
		return nil, err
	}
	m, err := newModel(p, words, counts, d.Tokens)
	if err != nil {
		return nil, err
	}
	if err := m.decodeRows(ctx, r, "vectors", 0, m.inputs(), unused); err != nil {
		return nil, err
	}
	if err := m.decodeRows(ctx, r, "output vectors", m.inputs(), len(words), 0); err != nil {
		return nil, err
	}
	if _, err := r.ReadByte(); err != io.EOF {
		return nil, errors.New("more follows the vectors, expected the end of the file; it is damaged")
	}
	return m, nil
}

// decodeRows reads n rows from first on; up to unused more may follow them.
func (m *Model) decodeRows(ctx context.Context, r *bufio.Reader, name string, first, n, unused int) error {
	var shape struct {
		Quantised     byte
		Rows, Columns int64
	}
	if err := get(r, &shape); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	switch {
	case shape.Quantised != 0:
		return fmt.Errorf("%s are quantised, expected them whole", name)
	case shape.Columns != int64(m.Params.Dim) || shape.Rows < int64(n) || shape.Rows > int64(n+unused):
		return fmt.Errorf("%s: %d×%d, expected %d×%d", name, shape.Rows, shape.Columns, n, m.Params.Dim)
	}
	line := make([]byte, 4*m.Params.Dim)
	for i := range int(shape.Rows) {
		if i%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if _, err := io.ReadFull(r, line); err != nil {
			return fmt.Errorf("%s: row %d of %d: the file is cut; fetch it again", name, i, shape.Rows)
		}
		if i >= n {
			continue
		}
		row := m.row(first + i)
		for k := range m.Params.Dim {
			x := math.Float32frombits(binary.LittleEndian.Uint32(line[4*k:]))
			if x-x != 0 {
				return fmt.Errorf("%s: row %d: component %d is %v, expected a finite number; train again",
					name, i, k, x)
			}
			row[k] = x
		}
	}
	return nil
}

// get reads a number or a structure of them.
func get(r io.Reader, to any) error {
	if err := binary.Read(r, binary.LittleEndian, to); err != nil {
		return errors.New("the file ends here; it is cut (fetch it again) or another kind of file")
	}
	return nil
}
