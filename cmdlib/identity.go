package cmdlib

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"contextmover/cmdlib/npy"
)

// Identity returns the checksum of what the space answers from, as 64 hexadecimal digits: a SHA-256 over the members
// of its file, but space.json, and the settings it was made with. Whatever is kept of its answers is kept under it.
//
// Two spaces with one identity give the same answers, wherever they lie and whatever they are called. Provenance is no
// part of it. A space of With has that of the space it comes from, so keep its Settings with it; one of Learn has its
// own. The space must be open.
func (s *Space) Identity() string {
	if s.learned != nil {
		return s.learned.identity()
	}
	return s.identity
}

// identity is that of the space with these members.
func (f *stored) identity() string {
	sums := map[string]string{vocabularyFile: bytesSum(f.vocabulary)}
	for _, m := range f.members() {
		sums[m.name] = m.sum()
	}
	return f.identityBy(sums)
}

// identityBy is the identity by the SHA-256 of each member but space.json.
func (m *manifest) identityBy(sums map[string]string) string {
	text, err := json.Marshal(struct {
		Settings  Settings          `json:"settings"`
		Reference *Reference        `json:"reference,omitempty"`
		Tokens    int64             `json:"tokens"`
		Shares    []float64         `json:"shares,omitempty"`
		SHA256    map[string]string `json:"sha256"`
	}{m.Settings, m.Reference, m.Tokens, m.Shares, sums})
	if err != nil {
		panic(fmt.Sprintf("cmdlib: settings that have been checked: %v", err))
	}
	return bytesSum(text)
}

func hexSum(write func(to io.Writer)) string {
	h := sha256.New()
	write(h)
	return hex.EncodeToString(h.Sum(nil))
}

func bytesSum(content []byte) string {
	return hexSum(func(to io.Writer) { to.Write(content) })
}

// arraySum is the SHA-256 of the file that npy.Write makes.
func arraySum[T npy.Element](rows, cols int, data []T) string {
	return hexSum(func(to io.Writer) {
		w := bufio.NewWriterSize(to, 1<<16)
		if err := npy.Encode(w, []int{rows, cols}, data); err != nil {
			panic(fmt.Sprintf("cmdlib: %d×%d numbers: %v", rows, cols, err)) // a hash takes whatever it is given
		}
		w.Flush()
	})
}

// learning is the identity of a space that has learned some words in addition to those of s.
func (s *Space) learning(words []string, estimates map[string]*Estimate) func() string {
	return sync.OnceValue(func() string {
		return hexSum(func(to io.Writer) {
			io.WriteString(to, s.Identity())
			for _, word := range words {
				e := estimates[word]
				fmt.Fprintf(to, "\n%q %d %s %s %s", word, e.Occurrences, arraySum(1, len(e.Histogram), e.Histogram),
					arraySum(1, len(e.sources), e.sources), arraySum(1, len(e.shares), e.shares))
			}
		})
	})
}
