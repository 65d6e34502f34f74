package cmdlib

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"os"
	"slices"
	"strconv"
	"sync"

	"github.com/klauspost/compress/zstd"

	"contextmover/cmdlib/internal/relaxation"
	"contextmover/cmdlib/internal/sections"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/cpu"
	"contextmover/internal/atomicfile"
	"contextmover/internal/bounded"
	"contextmover/internal/parallel"
)

// A packed space is one file: packedMark and a zstd frame of the sections below, each number with its lowest
// byte first. Sections of numbers of several bytes hold all lowest bytes, then all second ones, and so on, which compresses better.
//
//	header        4 bytes, its length; packedHeader as JSON
//	vocabulary    4 bytes, its length; the lines of vocab.txt
//	cost          bins × bins float32
//	centroids     bins × dim float32
//	occupied      words × ⌈bins/8⌉ bytes: bit b of byte i is set where bin 8i+b of the histogram has mass
//	codes         2 bytes for each of these bins, of each word in turn, see packHistogram
//	names         bins × keptNames × 3 bytes: what Name answers, words, 1 more, 0 for none
//	assignment    words × 2 bytes: the bin of each word as a context, 1 more, 0 for none
//	sources       words × sourcesWidth × 3 bytes: context words, 1 more, 0 for none
//	shares        words × sourcesWidth bytes: shares of these in 255ths
//	marginals     words × float32: #(c) of each word as a context
//
// The last four are there where the header says so.
const packedMark = "cmspace1"

// packedHeader is what a packed space says of itself.
type packedHeader struct {
	Identity   string         `json:"identity,omitempty"` // that of Space; those of older versions have none
	Words      int            `json:"words"`
	Bins       int            `json:"bins"`
	Dim        int            `json:"dim"`
	Sources    int            `json:"sources,omitempty"`
	Tokens     int64          `json:"tokens"` // of the vocabulary that the words are chosen from
	Settings   Settings       `json:"settings"`
	Reference  *Reference     `json:"reference,omitempty"` // without its marginals
	Random     *randomWords   `json:"random,omitempty"`
	Provenance map[string]any `json:"provenance,omitempty"`
}

// histogramLevels is the largest code of a bin, keptNames the number of words that are kept for the name of one.
const (
	histogramLevels = 1<<10 - 1
	keptNames       = 16
)

// allocate is a variable for tests.
var allocate = bounded.Allocate

// mostRatio is how many times its size a packed space may hold, apart from a first megabyte: more than any has,
// and a bound of the memory that a damaged one takes.
const mostRatio = 32

// packHistogram returns the codes of a histogram h, 0 for a bin without mass: with m = max h and L = histogramLevels,
//
//	code_k = round(L √(h_k/m)),    h'_k = code_k² / Σ code²                            (1)
//
// The root gives small masses, of which there are many, smaller steps. |√(h_k/m) − code_k/L| ≤ 1/(2L), so with
// Σ √h_k ≤ √K the L1 distance of h and h' is at most 2 (√(mK)/L + mK/(4L²)).
func packHistogram(h []float32) []uint16 {
	codes := make([]uint16, len(h))
	if m := float64(slices.Max(h)); m > 0 {
		for k, x := range h {
			codes[k] = uint16(math.Round(histogramLevels * math.Sqrt(float64(x)/m)))
		}
	}
	return codes
}

// Pack writes a space of the first n words for which keep holds and that have an estimate, or of all if n is 0, to one
// small file, which Open takes too; keep may be nil. What is asked of it is answered as by s, with histograms of fewer digits. Words weigh in
// sentences as in s. It keeps no vectors of words: methods of Score that need them are errors; and no words that s has learned. Estimate takes
// the words that are left for contexts. A file at path is replaced.
//
// It is an error if no word is left, for a space of more than 65,534 bins or 2²⁴−2 words, and where writing fails.
func (s *Space) Pack(ctx context.Context, path string, n int, keep func(word string) bool) error {
	packed, err := s.pack(ctx, n, keep)
	if err != nil {
		return fmt.Errorf("cmdlib: packing a space: %w", err)
	}
	if err := atomicfile.WriteBytes(path, packed); err != nil {
		return fmt.Errorf("cmdlib: %w", err)
	}
	return nil
}

func (s *Space) pack(ctx context.Context, n int, keep func(word string) bool) ([]byte, error) {
	var ids []int32
	place := make([]int32, s.Histograms.Len()) // in the packed space, 1 more; 0 for a word that is left out
	for id := range int32(len(place)) {
		if (n == 0 || len(ids) < n) && s.known(id) && (keep == nil || keep(s.Words[id])) {
			ids = append(ids, id)
			place[id] = int32(len(ids))
		}
	}
	switch {
	case len(ids) == 0:
		return nil, errors.New("no word is left")
	case len(ids) > 1<<24-2:
		return nil, fmt.Errorf("%d words, expected at most %d", len(ids), 1<<24-2)
	case s.Cost.K > math.MaxUint16-1:
		return nil, fmt.Errorf("%d bins, expected at most %d", s.Cost.K, math.MaxUint16-1)
	}
	h := packedHeader{
		Words: len(ids), Bins: s.Cost.K, Dim: s.Dim, Tokens: s.tokens, Settings: s.Settings, Provenance: s.Provenance,
	}
	if len(s.assignment) > 0 {
		h.Sources = sourcesWidth
		h.Reference = s.reference
	}
	body, err := s.packBody(ctx, ids, place)
	if err != nil {
		return nil, err
	}
	// Random pairs are drawn of the words that are left, as they are once packed.
	random, err := unpack(&h, body)
	if err != nil {
		return nil, err
	}
	random.engine = cpu.New()
	if h.Random, err = random.drawWords(ctx); err != nil {
		return nil, err
	}
	h.Identity = random.computed()
	header, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	packer, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	return packer.EncodeAll(slices.Concat(sections.Sized(header), body), []byte(packedMark)), nil
}

// packBody returns the sections behind the header for the words with these ids.
func (s *Space) packBody(ctx context.Context, ids, place []int32) ([]byte, error) {
	var vocabulary []byte
	for _, id := range ids {
		vocabulary = append(append(vocabulary, s.Words[id]...), ' ')
		vocabulary = append(strconv.AppendInt(vocabulary, s.Counts[id], 10), '\n')
	}
	body := sections.AppendFloats(sections.AppendFloats(sections.Sized(vocabulary), s.Cost.Data), s.Centroids)
	var occupied []byte
	var codes []uint32
	for i, id := range ids {
		if i%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		row := make([]byte, (s.Cost.K+7)/8)
		for k, code := range packHistogram(s.Histograms.Row(int(id))) {
			if code > 0 {
				row[k/8] |= 1 << (k % 8)
				codes = append(codes, uint32(code))
			}
		}
		occupied = append(occupied, row...)
	}
	body = sections.AppendPlanes(append(body, occupied...), codes, 2)
	names := make([]uint32, s.Cost.K*keptNames)
	for bin := range s.Cost.K {
		at := bin * keptNames
		for _, word := range s.name(bin, keptNames, func(id int32) bool { return place[id] > 0 }) {
			names[at] = uint32(place[word])
			at++
		}
	}
	body = sections.AppendPlanes(body, names, 3)
	if len(s.assignment) == 0 {
		return body, nil
	}
	assignment := make([]uint32, len(ids))
	sources, shares := make([]uint32, 0, len(ids)*sourcesWidth), make([]byte, 0, len(ids)*sourcesWidth)
	for i, id := range ids {
		assignment[i] = uint32(s.assignment[id] + 1)
		for at := int(id) * sourcesWidth; at < (int(id)+1)*sourcesWidth; at++ {
			source, share := uint32(0), byte(0)
			if c := s.sources[at]; c >= 0 && int(c) < len(place) && place[c] > 0 {
				source, share = uint32(place[c]), byte(math.Round(255*float64(max(0, min(1, s.shares[at])))))
			}
			sources, shares = append(sources, source), append(shares, share)
		}
	}
	body = append(sections.AppendPlanes(sections.AppendPlanes(body, assignment, 2), sources, 3), shares...)
	if s.reference == nil {
		return body, nil
	}
	marginals := make([]float32, len(ids))
	for i, id := range ids {
		marginals[i] = float32(s.reference.Marginals[id])
	}
	return sections.AppendFloats(body, marginals), nil
}

// OpenPacked opens a space that Pack wrote, from memory; engine solves its transport problems. Damage is an ErrDamaged,
// and no room for it in memory another error.
func OpenPacked(packed []byte, engine ot.Engine) (*Space, error) {
	if engine == nil {
		return nil, errNoEngine
	}
	frame, ok := bytes.CutPrefix(packed, []byte(packedMark))
	if !ok {
		return nil, fmt.Errorf("cmdlib: no packed space: it does not begin with %q", packedMark)
	}
	s, err := decode(frame)
	if errors.Is(err, bounded.ErrMemory) {
		return nil, fmt.Errorf("cmdlib: a packed space: %w", err)
	}
	if err != nil {
		return nil, fmt.Errorf("cmdlib: a packed space: %w: %w", err, ErrDamaged)
	}
	s.engine = engine
	return s, nil
}

// openPackedFile is OpenPacked of a file.
func openPackedFile(path string, engine ot.Engine) (*Space, error) {
	packed, err := bounded.ReadFile(path, bounded.Share(mostRatio))
	if err != nil {
		return nil, fmt.Errorf("cmdlib: %w", err)
	}
	s, err := OpenPacked(packed, engine)
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, path)
	}
	s.dir = path
	return s, nil
}

// decode returns the space in a zstd frame.
func decode(frame []byte) (*Space, error) {
	limit := 1<<20 + mostRatio*int64(len(frame))
	z, err := zstd.NewReader(bytes.NewReader(frame), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(uint64(limit)), zstd.WithDecoderMaxWindow(1<<27))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	payload, err := bounded.ReadAll(z, 2*int64(len(frame)), limit)
	if err != nil {
		return nil, err
	}
	in := sections.Reader{Rest: payload}
	var h packedHeader
	if err := json.Unmarshal(in.Section(), &h); err != nil {
		return nil, fmt.Errorf("its header: %w", err)
	}
	if err := h.Settings.checkKept(); err != nil {
		return nil, err
	}
	// Each of them takes a byte or more.
	if most := len(in.Rest); min(h.Words, h.Bins, h.Dim) < 1 || max(h.Words, h.Bins, h.Dim) > most || h.Sources != 0 && h.Sources != sourcesWidth {
		return nil, fmt.Errorf("%d words, %d bins, dimension %d, %d sources in %d bytes", h.Words, h.Bins, h.Dim, h.Sources, most)
	}
	if h.Reference != nil {
		if h.Sources == 0 {
			return nil, errors.New("a reference for estimates without sources")
		}
		if err := h.Reference.check(-1, h.Bins); err != nil {
			return nil, fmt.Errorf("its reference for estimates: %w", err)
		}
	}
	if err := h.Random.check(); err != nil {
		return nil, err
	}
	return unpack(&h, in.Rest)
}

// unpack returns the space of a header and the sections behind it, without an engine.
func unpack(h *packedHeader, body []byte) (*Space, error) {
	in := sections.Reader{Rest: body}
	vocabulary := in.Section()
	cost, centroids := in.Take(h.Bins, h.Bins, 4), in.Take(h.Bins, h.Dim, 4)
	stride := (h.Bins + 7) / 8
	occupied := in.Take(h.Words, stride, 1)
	starts := make([]int, 1, len(occupied)/stride+1) // where the codes of each word begin
	for at := 0; at < len(occupied); at += stride {
		n := 0
		for i, b := range occupied[at : at+stride] {
			if i == stride-1 && h.Bins%8 > 0 && b>>(h.Bins%8) != 0 {
				return nil, fmt.Errorf("word %d has mass beyond bin %d", at/stride, h.Bins)
			}
			n += bits.OnesCount8(b)
		}
		starts = append(starts, starts[len(starts)-1]+n)
	}
	codes := in.Take(1, starts[len(starts)-1], 2)
	names := in.Take(h.Bins, keptNames, 3)
	var assignment, sources, shares, marginals []byte
	if h.Sources > 0 {
		assignment, sources, shares = in.Take(h.Words, 1, 2), in.Take(h.Words, sourcesWidth, 3), in.Take(h.Words, sourcesWidth, 1)
	}
	if h.Reference != nil {
		marginals = in.Take(h.Words, 1, 4)
	}
	if in.Short || len(in.Rest) > 0 {
		return nil, errors.New("its sections are not as long as its header says")
	}
	if err := allocate(4 * int64(h.Words) * int64(h.Bins+2*h.Sources)); err != nil {
		return nil, err
	}
	s := &Space{
		Settings: h.Settings, Provenance: h.Provenance, Dim: h.Dim, random: h.Random, relaxed: new(relaxation.Both),
		Histograms: ot.Histograms{K: h.Bins, Data: make([]float32, h.Words*h.Bins)},
		Centroids:  sections.Floats(centroids), Cost: ot.Cost{K: h.Bins, Data: sections.Floats(cost)}, names: make([]int32, h.Bins*keptNames),
	}
	if err := s.setWords(string(vocabulary), "its vocabulary"); err != nil {
		return nil, err
	}
	if len(s.Words) != h.Words || s.tokens > h.Tokens {
		return nil, fmt.Errorf("%d words of %d tokens, its header says %d of %d", len(s.Words), s.tokens, h.Words, h.Tokens)
	}
	s.tokens = h.Tokens
	for i, x := range s.Cost.Data {
		if !(x >= 0 && x <= math.MaxFloat32) {
			return nil, fmt.Errorf("the cost from bin %d to bin %d is %v, expected a finite number ≥ 0", i/h.Bins, i%h.Bins, x)
		}
	}
	if slices.ContainsFunc(s.Centroids, func(x float32) bool { return !(math.Abs(float64(x)) <= math.MaxFloat32) }) {
		return nil, errors.New("a centroid is not finite")
	}
	for i := range s.names {
		if s.names[i] = int32(sections.Plane(names, i, 3)) - 1; int(s.names[i]) >= h.Words {
			return nil, fmt.Errorf("the name of bin %d has word %d of %d", i/keptNames, s.names[i], h.Words)
		}
	}
	s.identity = sync.OnceValue(s.computed)
	if s.old = h.Identity == ""; !s.old {
		s.identity = func() string { return h.Identity }
	}
	err := parallel.Blocks(context.Background(), h.Words, 512, func(lo, hi int) error {
		for word := lo; word < hi; word++ {
			s.unpackHistogram(word, occupied[word*stride:][:stride], codes, starts[word])
		}
		return nil
	})
	if err != nil || h.Sources == 0 {
		return s, err
	}
	s.assignment, s.sources, s.shares = make([]int32, h.Words), make([]int32, len(shares)), make([]float32, len(shares))
	for i := range s.assignment {
		if s.assignment[i] = int32(sections.Plane(assignment, i, 2)) - 1; int(s.assignment[i]) >= h.Bins {
			return nil, fmt.Errorf("%q is assigned to bin %d of %d", s.Words[i], s.assignment[i], h.Bins)
		}
	}
	if h.Reference != nil {
		s.reference = &Reference{Window: h.Reference.Window, Total: h.Reference.Total, Divisors: h.Reference.Divisors}
		for _, x := range sections.Floats(marginals) {
			s.reference.Marginals = append(s.reference.Marginals, float64(x))
		}
		if err := s.reference.check(h.Words, h.Bins); err != nil {
			return nil, err
		}
	}
	for i, share := range shares {
		if s.sources[i] = int32(sections.Plane(sources, i, 3)) - 1; int(s.sources[i]) >= h.Words {
			return nil, fmt.Errorf("a source of %q is word %d of %d", s.Words[i/sourcesWidth], s.sources[i], h.Words)
		}
		s.shares[i] = float32(share) / 255
	}
	return s, nil
}

// unpackHistogram sets the row of a word by (1): its codes begin at first.
func (s *Space) unpackHistogram(word int, occupied, codes []byte, first int) {
	row := s.Histograms.Row(word)
	n := len(codes) / 2
	sum := 0.0
	at := first
	for i, b := range occupied {
		for ; b != 0; b &= b - 1 {
			code := float64(codes[at]) + float64(256*float64(codes[n+at]))
			row[8*i+bits.TrailingZeros8(b)] = float32(code * code)
			sum += float64(code * code)
			at++
		}
	}
	if sum > 0 {
		for k := range row {
			row[k] = float32(float64(row[k]) / sum)
		}
	}
}

// isFile tells whether a path is one of a file, not a folder.
func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}
