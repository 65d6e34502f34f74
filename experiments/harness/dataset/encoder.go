package dataset

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"contextmover/cmdlib/npy"
	"contextmover/experiments/harness/score"
	"contextmover/internal/system"
)

// Encoder is what a program elsewhere made of sentences: a vector of each, whose cosine is the score of a pair, or the
// scores of pairs themselves.
type Encoder struct {
	file    string
	vectors map[string][]float32
	scores  map[[2]string]float64
}

// EncoderFiles returns the files that ReadEncoder reads for one of them: FILE.txt next to FILE.npy.
func EncoderFiles(file string) []string {
	if stem, ok := strings.CutSuffix(file, ".npy"); ok {
		return []string{file, stem + ".txt"}
	}
	return []string{file}
}

// ReadEncoder reads either vectors of sentences, FILE.npy, a matrix of float32 with
// a row for each line of FILE.txt next to it, or scores of pairs, as ReadPairs does.
//
// A *FormatError tells what is not as expected. That is another number of rows than of lines, pairs without scores, or
// a vector without a direction, whose length is 0 or no finite number.
func ReadEncoder(file string) (*Encoder, error) {
	e := &Encoder{file: file}
	if filepath.Ext(file) == ".npy" {
		return e, e.readVectors(EncoderFiles(file)[1])
	}
	pairs, err := ReadPairs(file)
	if err != nil {
		return nil, err
	}
	e.scores = make(map[[2]string]float64, len(pairs))
	for _, p := range pairs {
		if !p.HasGold {
			return nil, wrongFile(file, "no scores; expected score, sentence 1 and sentence 2, separated by tabs")
		}
		e.scores[[2]string{p.A, p.B}] = p.Gold
	}
	return e, nil
}

func (e *Encoder) readVectors(text string) error {
	shape, data, err := npy.Read[float32](e.file)
	if err != nil {
		return e.wrong(err)
	}
	lines, err := read(text, func(lines *lines) ([]string, error) { return lines.all("sentences") })
	if err != nil {
		return err
	}
	if len(shape) != 2 || shape[0] != len(lines) || shape[1] < 1 {
		return e.wrong(fmt.Errorf("an array of shape %v, expected a row for each of the %d lines of %s",
			shape, len(lines), text))
	}
	dim := shape[1]
	e.vectors = make(map[string][]float32, len(lines))
	for i, line := range lines {
		row := data[i*dim:][:dim:dim]
		length := 0.0
		for _, x := range row {
			length += float64(float64(x) * float64(x))
		}
		if !(length > 0 && length < math.Inf(1)) {
			return e.wrong(fmt.Errorf("row %d, of line %d of %s, has the length %v and no cosine with others: take "+
				"out both", i, i+1, text, math.Sqrt(length)))
		}
		e.vectors[line] = row
	}
	return nil
}

// wrong makes a *FormatError of what is wrong with the file of vectors, but not of a fault of the system.
func (e *Encoder) wrong(err error) error {
	if system.AtFault(err) {
		return err
	}
	return wrongFile(e.file, "%s", strings.TrimPrefix(err.Error(), "npy: "+e.file+": "))
}

// Score returns the score of two sentences, as they stand in the file of a set. The error names what is not there.
func (e *Encoder) Score(a, b string) (float64, error) {
	if e.scores != nil {
		if s, ok := e.scores[[2]string{a, b}]; ok {
			return s, nil
		}
		return 0, e.wrong(fmt.Errorf("has no score of the pair %q, %q; make it again from these sets", a, b))
	}
	x, y := e.vectors[a], e.vectors[b]
	for _, s := range []string{a, b} {
		if e.vectors[s] == nil {
			return 0, e.wrong(fmt.Errorf("has no vector of the sentence %q; make it again from these sets", s))
		}
	}
	return score.Cosine(x, y), nil
}
