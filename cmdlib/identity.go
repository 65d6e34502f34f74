package cmdlib

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"sync"

	"contextmover/cmdlib/npy"
)

// Identity returns the checksum of what the space answers from, as 64 hexadecimal digits: a SHA-256 of words and
// counts, histograms, costs, vectors, contexts and the settings it was made with. Whatever is kept of its answers is
// kept under it.
//
// Two spaces with one identity give the same answers, wherever they lie, whatever they are called and
// whether they are folders or packed. A packed space has histograms of fewer digits than the folder that
// it comes from: other answers, and another identity. Provenance is no part of it. A space of Asked has
// that of the space it comes from, so keep its Settings with it; one of Learn has its own.
//
// space.json and the header of a packed space have it. The space must be open.
func (s *Space) Identity() string { return s.identity() }

// identified is what an identity is the checksum of.
type identified struct {
	Settings  Settings   `json:"settings"`
	Reference *Reference `json:"reference,omitempty"`
	Tokens    int64      `json:"tokens"`
	Shares    []float64  `json:"shares,omitempty"` // of components
	// SHA256 is that of each file, as Write writes it; packed spaces have those of the files that they could be
	// written to.
	SHA256 map[string]string `json:"sha256"`
}

func (i identified) sum() string {
	text, err := json.Marshal(i)
	if err != nil {
		panic(fmt.Sprintf("cmdlib: settings that have been checked: %v", err))
	}
	return hexSum(func(h hash.Hash) { h.Write(text) })
}

func hexSum(write func(h hash.Hash)) string {
	h := sha256.New()
	write(h)
	return hex.EncodeToString(h.Sum(nil))
}

// computed is the identity of a packed space, from its contents.
func (s *Space) computed() (string, error) {
	e, err := s.estimates()
	if err != nil {
		return "", err
	}
	words, k := e.Len(), s.Cost.K
	sums := map[string]string{
		vocabularyFile: hexSum(func(h hash.Hash) {
			for id, word := range s.Words[:words] {
				fmt.Fprintf(h, "%s %d\n", word, s.Counts[id])
			}
		}),
		histogramsFile: arraySum(words, k, e.Data),
		costFile:       arraySum(k, k, s.Cost.Data),
		centroidsFile:  arraySum(k, s.Dim, s.Centroids),
	}
	switch {
	case s.Vectors != nil:
		sums[vectorsFile] = arraySum(words, s.Dim, s.Vectors)
	case s.quantised != nil:
		if s.lengths != nil {
			sums["lengths of vectors"] = arraySum(words, 1, s.lengths)
		}
		sums["vectors of few bits"] = hexSum(func(h hash.Hash) { h.Write(s.quantised.Append(nil)) })
		fallthrough
	default:
		sums["names"] = arraySum(k, keptNames, s.names) // which come from vectors
	}
	var shares []float64
	if s.components != nil && len(s.directions) > 0 {
		shares = s.components.Shares
		sums[componentsFile] = arraySum(len(shares), s.Dim, s.directions)
	}
	if len(e.assignment) > 0 {
		sums[assignmentFile] = arraySum(words, 1, e.assignment)
		sums[sourcesFile] = arraySum(words, sourcesWidth, e.sources)
		sums[sharesFile] = arraySum(words, sourcesWidth, e.shares)
	}
	if s.reference != nil {
		sums[marginalsFile] = arraySum(words, 1, s.reference.Marginals)
	}
	return identified{s.Settings, s.reference, s.tokens, shares, sums}.sum(), nil
}

// arraySum is the SHA-256 of the file that npy.Write makes.
func arraySum[T npy.Element](rows, cols int, data []T) string {
	return hexSum(func(h hash.Hash) {
		w := bufio.NewWriterSize(h, 1<<16)
		if err := npy.Encode(w, []int{rows, cols}, data); err != nil {
			panic(fmt.Sprintf("cmdlib: %d×%d numbers: %v", rows, cols, err)) // a hash takes whatever it is given
		}
		w.Flush()
	})
}

// learning is the identity of a space that has learned some words in addition to those of s.
func (s *Space) learning(words []string, estimates map[string]*Estimate) func() string {
	return sync.OnceValue(func() string {
		return hexSum(func(h hash.Hash) {
			io.WriteString(h, s.identity())
			for _, word := range words {
				e := estimates[word]
				fmt.Fprintf(h, "\n%q %d %s %s %s", word, e.Occurrences, arraySum(1, len(e.Histogram), e.Histogram),
					arraySum(1, len(e.sources), e.sources), arraySum(1, len(e.shares), e.shares))
			}
		})
	})
}
