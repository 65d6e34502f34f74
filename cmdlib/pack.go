package cmdlib

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"math/bits"
	"os"
	"slices"
	"strconv"
	"sync"

	"github.com/klauspost/compress/zstd"

	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/internal/quantised"
	"contextmover/cmdlib/internal/relaxation"
	"contextmover/cmdlib/internal/sections"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/cpu"
	"contextmover/internal/atomicfile"
	"contextmover/internal/bounded"
	"contextmover/internal/jsonerror"
	"contextmover/internal/parallel"
)

// A packed space is one file: packedMark and three parts. Each has its length before it, as 8 bytes, and behind
// it its checksum, the CRC-32C as 4 bytes; numbers have their lowest byte first. What is not needed for vectors of
// texts is a part of its own, so that it is decoded when it is first asked for. The first two are zstd frames of the
// sections below. Sections of numbers of several bytes hold all lowest bytes, then all second ones, and so on, which
// compresses better.
//
// The part wordsPart:
//
//	header        4 bytes, its length; packedHeader as JSON
//	vocabulary    4 bytes, its length; the lines of vocab.txt
//	estimated     ⌈words/8⌉ bytes: bit w%8 of byte w/8 is set where word w has an estimate
//	cost          bins × bins float32
//	centroids     bins × dim float32
//	names         bins × keptNames × 3 bytes: what Name answers, words, 1 more, 0 for none
//	directions    components × dim float32: what Encode removes
//	lengths       words × float32: those of the vectors, where the header says so
//
// The part estimatesPart, of which the last four are there where the header says so:
//
//	occupied      words × ⌈bins/8⌉ bytes: bit b of byte i is set where bin 8i+b of the histogram has mass
//	codes         2 bytes for each of these bins, of each word in turn, see packHistogram
//	assignment    words × 2 bytes: the bin of each word as a context, 1 more, 0 for none
//	sources       words × sourcesWidth × 3 bytes: context words, 1 more, 0 for none
//	shares        words × sourcesWidth bytes: shares of these in 255ths
//	marginals     words × float32: #(c) of each word as a context
//
// The part vectorsPart is quantised.Vectors.Append of all words, empty in a space without vectors. It is not
// compressed, as it hardly can be: only the vectors that are asked for are touched.
const (
	packedMark    = "cmspace3"
	wordsPart     = "its words"
	estimatesPart = "its histograms"
	vectorsPart   = "its vectors"
)

// packedHeader is what a packed space says of itself.
type packedHeader struct {
	Identity    string         `json:"identity"`       // that of Space
	Text        string         `json:"text,omitempty"` // corpus.Form, or empty
	Words       int            `json:"words"`
	Bins        int            `json:"bins"`
	Dim         int            `json:"dim"`
	Bits        int            `json:"bits,omitempty"` // of vectors
	Lengths     bool           `json:"lengths,omitempty"`
	Sources     int            `json:"sources,omitempty"`
	Tokens      int64          `json:"tokens"` // of the vocabulary that the words are chosen from
	Settings    Settings       `json:"settings"`
	Reference   *Reference     `json:"reference,omitempty"` // without its marginals
	Random      *randomWords   `json:"random,omitempty"`
	Shares      []float64      `json:"shares,omitempty"` // of the components
	Calibration *Calibration   `json:"calibration,omitempty"`
	Provenance  map[string]any `json:"provenance,omitempty"`
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

// Packing says what of a space is packed.
type Packing struct {
	// Words is the number of words that are packed with their estimates, the first ones, 0
	// for all. Vectors is that of words that are packed with their vectors: those beyond
	// Words have no estimate, but take part in Encode, and are contexts. 0 stands for Words.
	Words, Vectors int
	// Dim is the number of dimensions of vectors and centroids, the first ones, 0
	// for all. Singular vectors have most in the first; of others all are needed.
	Dim int
	// Bits are those of a number of a vector, 3, 4 or 8; 0 stands for 8.
	Bits int
	// Calibrate, if not nil, returns the calibration of the packed
	// space, which it is given; else it is that of the space.
	Calibrate func(packed *Space) (*Calibration, error)
	// Keep, if not nil, tells which words are packed.
	Keep func(word string) bool
}

// Pack writes a space of some words to one small file, which Open takes too. What is asked of it is answered as
// by s, with histograms of fewer digits, and vectors in 3, 4 or 8 bits. Words weigh in sentences as in s. It has
// no words that s has learned. Estimate takes the words that are left for contexts. A file at path is replaced.
//
// It is an error if no word is left, for a space of more than 65,534 bins or 2²⁴−2 words, and where writing fails.
func (s *Space) Pack(ctx context.Context, path string, p Packing) error {
	packed, err := s.pack(ctx, p)
	if err != nil {
		return fmt.Errorf("cmdlib: packing a space: %w", err)
	}
	if err := atomicfile.WriteBytes(path, packed); err != nil {
		return fmt.Errorf("cmdlib: %w", err)
	}
	return nil
}

// chosen are the words that are packed.
type chosen struct {
	ids       []int32 // of the space
	place     []int32 // of each word of the space in ids, 1 more; 0 for a word that is left out
	estimated []bool  // whether the word of ids keeps its estimate
}

// choose returns the words that are packed.
func (s *Space) choose(p Packing) chosen {
	c := chosen{place: make([]int32, s.OwnWords())}
	words := cmp.Or(p.Words, math.MaxInt)
	vectors := cmp.Or(p.Vectors, words)
	row := make([]float32, s.Dim)
	for id := range int32(len(c.place)) {
		if p.Keep != nil && !p.Keep(s.Words[id]) {
			continue
		}
		estimated := words > 0 && s.estimatedOwn(id)
		if !estimated && (vectors <= 0 || !s.Vector(row, id)) {
			continue
		}
		if estimated {
			words--
		}
		vectors--
		c.ids, c.estimated = append(c.ids, id), append(c.estimated, estimated)
		c.place[id] = int32(len(c.ids))
	}
	return c
}

func (s *Space) pack(ctx context.Context, p Packing) ([]byte, error) {
	c := s.choose(p)
	ids := c.ids
	switch {
	case !slices.Contains(c.estimated, true):
		return nil, errors.New("no word is left")
	case p.Bits != 0 && !quantised.Valid(p.Bits):
		return nil, fmt.Errorf("vectors of %d bits, expected 3, 4 or 8", p.Bits)
	case p.Dim < 0 || p.Dim > s.Dim:
		return nil, fmt.Errorf("%d dimensions of vectors that have %d", p.Dim, s.Dim)
	case len(ids) > 1<<24-2:
		return nil, fmt.Errorf("%d words, expected at most %d", len(ids), 1<<24-2)
	case s.Cost.K > math.MaxUint16-1:
		return nil, fmt.Errorf("%d bins, expected at most %d", s.Cost.K, math.MaxUint16-1)
	}
	h := packedHeader{
		Text: corpus.Form, Words: len(ids), Bins: s.Cost.K, Dim: cmp.Or(p.Dim, s.Dim), Tokens: s.tokens,
		Settings:    s.Settings,
		Provenance:  s.Provenance,
		Calibration: s.Calibration,
	}
	own, err := s.estimates()
	if err != nil {
		return nil, err
	}
	if len(own.assignment) > 0 {
		h.Sources = sourcesWidth
		h.Reference = s.reference
	}
	words := s.packWords(c, h.Dim)
	estimated, err := s.packEstimates(ctx, own, c)
	if err != nil {
		return nil, err
	}
	var vectors *quantised.Vectors
	if s.HasVectors() {
		var lengths []float32
		vectors, lengths = s.packedVectors(ids, h.Dim, cmp.Or(p.Bits, 8))
		h.Bits = vectors.Bits
		directions := s.directions
		if s.components != nil {
			h.Shares = s.components.Shares
		}
		if s.components != nil && h.Dim < s.Dim {
			if directions, h.Shares, err = s.fitted(ctx, h.Dim); err != nil {
				return nil, err
			}
		}
		words = sections.AppendFloats(words, directions)
		if h.Lengths = lengths != nil; h.Lengths {
			words = sections.AppendFloats(words, lengths)
		}
	}
	// Random pairs are drawn of the words that are left, as they are once packed.
	random, err := unpack(&h, words)
	if err != nil {
		return nil, err
	}
	random.engine, random.quantised = cpu.New().Prepare(random.Cost), vectors
	unpacked, err := unpackEstimates(&h, random, estimated)
	if err != nil {
		return nil, err
	}
	random.estimates = func() (*estimates, error) { return unpacked, nil }
	if h.Random, err = random.drawWords(ctx); err != nil {
		return nil, err
	}
	if h.Identity, err = random.computed(); err != nil {
		return nil, err
	}
	if p.Calibrate != nil {
		if h.Calibration, err = p.Calibrate(random); err != nil {
			return nil, err
		}
	}
	header, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	return join(slices.Concat(sections.Sized(header), words), estimated, vectors)
}

// join returns the file of the contents of the parts.
func join(words, estimated []byte, vectors *quantised.Vectors) ([]byte, error) {
	packer, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	var section []byte
	if vectors != nil {
		section = vectors.Append(nil)
	}
	packed := []byte(packedMark)
	for _, part := range [][]byte{packer.EncodeAll(words, nil), packer.EncodeAll(estimated, nil), section} {
		packed = appendPart(packed, part)
	}
	return packed, nil
}

// appendPart appends a part with its length and checksum.
func appendPart(to, part []byte) []byte {
	to = append(binary.LittleEndian.AppendUint64(to, uint64(len(part))), part...)
	return binary.LittleEndian.AppendUint32(to, crc32.Checksum(part, castagnoli))
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// packWords returns the sections of wordsPart behind the header, but for directions,
// of the words that are chosen, with so many dimensions of centroids.
func (s *Space) packWords(c chosen, dim int) []byte {
	var vocabulary []byte
	estimated := make([]byte, (len(c.ids)+7)/8)
	for i, id := range c.ids {
		vocabulary = append(append(vocabulary, s.Words[id]...), ' ')
		vocabulary = append(strconv.AppendInt(vocabulary, s.Counts[id], 10), '\n')
		if c.estimated[i] {
			estimated[i/8] |= 1 << (i % 8)
		}
	}
	centroids := make([]float32, 0, s.Cost.K*dim)
	for bin := range s.Cost.K {
		centroids = append(centroids, s.Centroids[bin*s.Dim:bin*s.Dim+dim]...)
	}
	names := make([]uint32, s.Cost.K*keptNames)
	for bin := range s.Cost.K {
		at := bin * keptNames
		for _, word := range s.name(bin, keptNames, func(id int32) bool { return c.place[id] > 0 }) {
			names[at] = uint32(c.place[word])
			at++
		}
	}
	body := sections.AppendFloats(append(sections.Sized(vocabulary), estimated...), s.Cost.Data)
	return sections.AppendPlanes(sections.AppendFloats(body, centroids), names, 3)
}

// packEstimates returns the sections of estimatesPart, of the words that are chosen.
func (s *Space) packEstimates(ctx context.Context, own *estimates, c chosen) ([]byte, error) {
	ids, place := c.ids, c.place
	var occupied []byte
	var codes []uint32
	for i, id := range ids {
		if i%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		row := make([]byte, (s.Cost.K+7)/8)
		if !c.estimated[i] {
			occupied = append(occupied, row...)
			continue
		}
		for k, code := range packHistogram(own.Row(int(id))) {
			if code > 0 {
				row[k/8] |= 1 << (k % 8)
				codes = append(codes, uint32(code))
			}
		}
		occupied = append(occupied, row...)
	}
	body := sections.AppendPlanes(occupied, codes, 2)
	if len(own.assignment) == 0 {
		return body, nil
	}
	assignment := make([]uint32, len(ids))
	sources, shares := make([]uint32, 0, len(ids)*sourcesWidth), make([]byte, 0, len(ids)*sourcesWidth)
	for i, id := range ids {
		assignment[i] = uint32(own.assignment[id] + 1)
		for at := int(id) * sourcesWidth; at < (int(id)+1)*sourcesWidth; at++ {
			source, share := uint32(0), byte(0)
			if w := own.sources[at]; c.estimated[i] && w >= 0 && int(w) < len(place) && place[w] > 0 {
				source, share = uint32(place[w]), byte(math.Round(255*float64(max(0, min(1, own.shares[at])))))
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

// OpenPacked opens a space that Pack wrote, from memory, which must not change until Close; engine solves its
// transport problems. All checksums are compared. Histograms are decoded when they are first needed. Damage is an
// ErrDamaged, and no room for it in memory another error.
func OpenPacked(packed []byte, engine ot.Engine) (*Space, error) {
	return openPacked(packed, "a packed space", engine)
}

// openPacked is OpenPacked of what errors call by this name.
func openPacked(packed []byte, name string, engine ot.Engine) (*Space, error) {
	if engine == nil {
		return nil, errNoEngine
	}
	rest, ok := bytes.CutPrefix(packed, []byte(packedMark))
	switch {
	case !ok && bytes.HasPrefix(packed, []byte(packedMark[:len(packedMark)-1])):
		return nil, fmt.Errorf("cmdlib: %s: another version packed it: pack it again, from the space that it was "+
			"packed from", name)
	case !ok:
		return nil, fmt.Errorf("cmdlib: %s is no packed space: it does not begin with %q", name, packedMark)
	}
	failed := func(part string, err error) error {
		if errors.Is(err, bounded.ErrMemory) {
			return fmt.Errorf("cmdlib: %s: %s: %w", name, part, err)
		}
		return fmt.Errorf("cmdlib: %s: %s: %w: %w", name, part, err, ErrDamaged)
	}
	parts := make(map[string][]byte)
	for _, part := range []string{wordsPart, estimatesPart, vectorsPart} {
		var err error
		if parts[part], rest, err = cutPart(rest); err != nil {
			return nil, failed(part, err)
		}
	}
	if len(rest) > 0 {
		return nil, failed(vectorsPart, fmt.Errorf("%d bytes behind them", len(rest)))
	}
	h, s, err := decode(parts[wordsPart])
	if err != nil {
		return nil, failed(wordsPart, err)
	}
	if err := s.readVectors(parts[vectorsPart], h.Bits); err != nil {
		return nil, failed(vectorsPart, err)
	}
	s.engine = engine.Prepare(s.Cost)
	s.estimates = sync.OnceValues(func() (*estimates, error) {
		payload, err := unzip(parts[estimatesPart])
		if err == nil {
			var e *estimates
			if e, err = unpackEstimates(h, s, payload); err == nil {
				return e, nil
			}
		}
		return nil, failed(estimatesPart, err)
	})
	return s, nil
}

// cutPart returns the part that packed begins with, and what is behind it.
func cutPart(packed []byte) (part, rest []byte, err error) {
	if len(packed) < 8 {
		return nil, nil, errors.New("missing")
	}
	length := binary.LittleEndian.Uint64(packed)
	if packed = packed[8:]; len(packed) < 4 || length > uint64(len(packed)-4) {
		return nil, nil, errors.New("they end early")
	}
	part, rest = packed[:length], packed[length+4:]
	if sum, want := crc32.Checksum(part, castagnoli), binary.LittleEndian.Uint32(packed[length:]); sum != want {
		return nil, nil, fmt.Errorf("the checksum is %08x, expected %08x", sum, want)
	}
	return part, rest, nil
}

// readVectors sets the vectors of words, in so many bits; 0 for none.
func (s *Space) readVectors(section []byte, bits int) error {
	if bits == 0 && len(section) == 0 {
		return nil
	}
	var ok bool
	if s.quantised, ok = quantised.Read(section, len(s.Words), s.Dim, bits); !ok {
		return fmt.Errorf("%d bytes, expected %d with factors of 0 to 1 and codes of %d bits",
			len(section), quantised.Size(len(s.Words), s.Dim, bits), bits)
	}
	return nil
}

// openPackedFile is OpenPacked of a file.
func openPackedFile(path string, engine ot.Engine) (*Space, error) {
	packed, err := bounded.ReadFile(path, bounded.Share(mostRatio))
	if err != nil {
		return nil, fmt.Errorf("cmdlib: %w", err)
	}
	s, err := openPacked(packed, path, engine)
	if err == nil {
		s.dir = path
	}
	return s, err
}

// unzip returns what is in a zstd frame.
func unzip(frame []byte) ([]byte, error) {
	limit := 1<<20 + mostRatio*int64(len(frame))
	z, err := zstd.NewReader(bytes.NewReader(frame), zstd.WithDecoderConcurrency(1),
		zstd.WithDecoderMaxMemory(uint64(limit)), zstd.WithDecoderMaxWindow(1<<27))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	return bounded.ReadAll(z, 3*int64(len(frame)), limit)
}

// decode returns the header and the space of wordsPart.
func decode(frame []byte) (*packedHeader, *Space, error) {
	payload, err := unzip(frame)
	if err != nil {
		return nil, nil, err
	}
	in := sections.Reader{Rest: payload}
	h := new(packedHeader)
	if err := json.Unmarshal(in.Section(), h); err != nil {
		return nil, nil, fmt.Errorf("the header: %w", jsonerror.Explain(err))
	}
	if err := h.check(len(in.Rest)); err != nil {
		return nil, nil, err
	}
	s, err := unpack(h, in.Rest)
	return h, s, err
}

// check returns an error for a header of sections of so many bytes that Pack does not write.
func (h *packedHeader) check(most int) error {
	if err := errors.Join(checkForm(h.Text), h.Settings.checkKept()); err != nil {
		return err
	}
	// Each of them takes a byte or more.
	if min(h.Words, h.Bins, h.Dim) < 1 || max(h.Words, h.Bins, h.Dim) > most || h.Sources != 0 &&
		h.Sources != sourcesWidth {
		return fmt.Errorf("%d words, %d bins, dimension %d, %d sources in %d bytes",
			h.Words, h.Bins, h.Dim, h.Sources, most)
	}
	if h.Identity == "" {
		return errors.New("the header has no identity")
	}
	if h.Reference != nil {
		if h.Sources == 0 {
			return errors.New("a reference for estimates without sources")
		}
		if err := h.Reference.check(-1, h.Bins); err != nil {
			return fmt.Errorf("the reference for estimates: %w", err)
		}
	}
	return errors.Join(h.Random.check(), h.Calibration.check())
}

// unpack returns the space of a header and the sections behind it, without an engine, estimates and vectors.
func unpack(h *packedHeader, body []byte) (*Space, error) {
	in := sections.Reader{Rest: body}
	vocabulary, estimated := in.Section(), in.Take(1, (h.Words+7)/8, 1)
	cost, centroids := in.Take(h.Bins, h.Bins, 4), in.Take(h.Bins, h.Dim, 4)
	names, directions := in.Take(h.Bins, keptNames, 3), in.Take(len(h.Shares), h.Dim, 4)
	var lengths []float32
	if h.Lengths {
		lengths = sections.Floats(in.Take(h.Words, 1, 4))
	}
	if in.Short || len(in.Rest) > 0 {
		return nil, errNotAsLong
	}
	s := &Space{
		Settings: h.Settings, Provenance: h.Provenance, Dim: h.Dim, random: h.Random, relaxed: new(relaxation.Both),
		nearby: newNearby(), Calibration: h.Calibration, estimated: estimated,
		Centroids: sections.Floats(centroids), Cost: ot.Cost{K: h.Bins, Data: sections.Floats(cost)},
		names: make([]int32, h.Bins*keptNames), identity: func() string { return h.Identity },
		lengths: lengths,
	}
	if r := h.Reference; r != nil {
		s.reference = &Reference{Window: r.Window, Total: r.Total, Divisors: r.Divisors}
	}
	if h.Settings.Encoding != (Encoding{}) {
		var err error
		s.directions = sections.Floats(directions)
		if s.components, err = readComponents(s.directions, h.Shares, h.Dim); err != nil {
			return nil, err
		}
	}
	if err := s.setWords(string(vocabulary), "the vocabulary"); err != nil {
		return nil, err
	}
	if len(s.Words) != h.Words || s.tokens > h.Tokens {
		return nil, fmt.Errorf("%d words of %d tokens, the header says %d of %d",
			len(s.Words), s.tokens, h.Words, h.Tokens)
	}
	s.tokens = h.Tokens
	for i, x := range s.Cost.Data {
		if !(x >= 0 && x <= math.MaxFloat32) {
			return nil, fmt.Errorf("the cost from bin %d to bin %d is %v, expected a finite number ≥ 0",
				i/h.Bins, i%h.Bins, x)
		}
	}
	if slices.ContainsFunc(s.Centroids, func(x float32) bool { return !(math.Abs(float64(x)) <= math.MaxFloat32) }) {
		return nil, errors.New("a centroid is not finite")
	}
	for i, x := range s.lengths {
		if !(x >= 0 && x <= math.MaxFloat32) {
			return nil, fmt.Errorf("the vector of %q has the length %v, expected a finite number ≥ 0", s.Words[i], x)
		}
	}
	for i := range s.names {
		if s.names[i] = int32(sections.Plane(names, i, 3)) - 1; int(s.names[i]) >= h.Words {
			return nil, fmt.Errorf("the name of bin %d has word %d of %d", i/keptNames, s.names[i], h.Words)
		}
	}
	return s, nil
}

var errNotAsLong = errors.New("sections not as long as the header says")

// unpackEstimates returns the estimates of a header, the space of unpack and the sections of estimatesPart. It sets the
// marginals of the space's reference.
func unpackEstimates(h *packedHeader, s *Space, body []byte) (*estimates, error) {
	in := sections.Reader{Rest: body}
	stride := (h.Bins + 7) / 8
	occupied := in.Take(h.Words, stride, 1)
	if in.Short {
		return nil, errNotAsLong
	}
	starts := make([]int, 1, h.Words+1) // where the codes of each word begin
	for word := range h.Words {
		n := 0
		for i, b := range occupied[word*stride:][:stride] {
			if i == stride-1 && h.Bins%8 > 0 && b>>(h.Bins%8) != 0 {
				return nil, fmt.Errorf("word %d has mass beyond bin %d", word, h.Bins)
			}
			n += bits.OnesCount8(b)
		}
		if estimated := s.estimated[word/8]>>(word%8)&1 != 0; estimated != (n > 0) {
			return nil, fmt.Errorf("%q has mass in %d bins, its bit of words with an estimate is %t",
				s.Words[word], n, estimated)
		}
		starts = append(starts, starts[word]+n)
	}
	codes := in.Take(1, starts[h.Words], 2)
	var assignment, sources, shares, marginals []byte
	if h.Sources > 0 {
		assignment, sources, shares = in.Take(h.Words, 1, 2), in.Take(h.Words, sourcesWidth, 3),
			in.Take(h.Words, sourcesWidth, 1)
	}
	if h.Reference != nil {
		marginals = in.Take(h.Words, 1, 4)
	}
	if in.Short || len(in.Rest) > 0 {
		return nil, errNotAsLong
	}
	if err := allocate(4 * int64(h.Words) * int64(h.Bins+2*h.Sources)); err != nil {
		return nil, err
	}
	e := &estimates{Histograms: ot.Histograms{K: h.Bins, Data: make([]float32, h.Words*h.Bins)}}
	err := parallel.Blocks(context.Background(), h.Words, 512, func(lo, hi int) error {
		for word := lo; word < hi; word++ {
			unpackHistogram(e.Row(word), occupied[word*stride:][:stride], codes, starts[word])
		}
		return nil
	})
	if err != nil || h.Sources == 0 {
		return e, err
	}
	e.assignment, e.sources, e.shares = make([]int32, h.Words), make([]int32, len(shares)), make([]float32, len(shares))
	for i := range e.assignment {
		if e.assignment[i] = int32(sections.Plane(assignment, i, 2)) - 1; int(e.assignment[i]) >= h.Bins {
			return nil, fmt.Errorf("%q is assigned to bin %d of %d", s.Words[i], e.assignment[i], h.Bins)
		}
	}
	if s.reference != nil {
		s.reference.Marginals = make([]float64, h.Words)
		for i, x := range sections.Floats(marginals) {
			s.reference.Marginals[i] = float64(x)
		}
		if err := s.reference.check(h.Words, h.Bins); err != nil {
			return nil, err
		}
	}
	for i, share := range shares {
		if e.sources[i] = int32(sections.Plane(sources, i, 3)) - 1; int(e.sources[i]) >= h.Words {
			return nil, fmt.Errorf("a source of %q is word %d of %d", s.Words[i/sourcesWidth], e.sources[i], h.Words)
		}
		e.shares[i] = float32(share) / 255
	}
	return e, nil
}

// unpackHistogram sets the row of a word by (1): its codes begin at first.
func unpackHistogram(row []float32, occupied, codes []byte, first int) {
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
