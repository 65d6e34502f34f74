package cmdlib

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"
	"sync"

	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/internal/npz"
	"contextmover/cmdlib/internal/quantised"
	"contextmover/cmdlib/internal/relaxation"
	"contextmover/cmdlib/npy"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/cpu"
	"contextmover/internal/bounded"
	"contextmover/internal/parallel"
)

// format is the version of what is in the file of a space.
const format = 2

// The members that are no arrays, and those that errors name.
const (
	manifestFile   = "space.json"
	vocabularyFile = "vocab.txt"
	assignmentFile = "assignment.npy"
	sourcesFile    = "sources.npy"
	sharesFile     = "shares.npy"
	componentsFile = "components.npy"
)

// manifest is space.json.
type manifest struct {
	Format int `json:"format"`
	// Text is corpus.Form, the form of its words, or empty, as in the built-in space.
	Text     string `json:"text,omitempty"`
	Identity string `json:"identity"` // that of Space
	Words    int    `json:"words"`
	Bins     int    `json:"bins"`
	Dim      int    `json:"dim"`
	Tokens   int64  `json:"tokens"` // of the vocabulary that the words are chosen from
	// Sources is the number of context words that are kept of each word, 0 for none.
	Sources int `json:"sources,omitempty"`
	// Estimated is the number of words that have an estimate.
	Estimated int `json:"estimated"`
	// Packed is that Pack wrote the space; Bits are those of a number of its vectors, 0 without any.
	Packed      bool           `json:"packed,omitempty"`
	Bits        int            `json:"bits,omitempty"`
	Settings    Settings       `json:"settings"`
	Reference   *Reference     `json:"reference,omitempty"` // without its marginals, which are a member
	Random      *randomWords   `json:"random,omitempty"`
	Shares      []float64      `json:"shares,omitempty"` // of components
	Calibration *Calibration   `json:"calibration,omitempty"`
	Provenance  map[string]any `json:"provenance,omitempty"`
}

// check returns an error for what is no space.json of this program.
func (m *manifest) check() error {
	switch {
	case m.Format != format:
		return fmt.Errorf("the space has format %d, this program reads format %d",
			m.Format, format)
	case m.Text != "" && m.Text != corpus.Form:
		// Words of a space that does not say are mostly in this form, and others are only not found.
		return fmt.Errorf("the text of the space was read in the form %q, this program reads text in the form %q",
			m.Text, corpus.Form)
	case m.Identity == "":
		return errors.New("no identity")
	case min(m.Words, m.Bins, m.Dim) < 1 || m.Estimated < 0 || m.Estimated > m.Words:
		return fmt.Errorf("%d words, %d of them with an estimate, %d bins, dimension %d, expected at least 1 of each",
			m.Words, m.Estimated, m.Bins, m.Dim)
	case m.Sources != 0 && m.Sources != sourcesWidth:
		return fmt.Errorf("%d sources of each word, expected %d or none", m.Sources, sourcesWidth)
	case m.Bits != 0 && (!m.Packed || !quantised.Valid(m.Bits)):
		return fmt.Errorf("vectors of %d bits, expected 3, 4 or 8 in a packed space", m.Bits)
	case m.Reference != nil && m.Sources == 0:
		return errors.New("a reference for estimates without sources")
	case m.Reference != nil:
		if err := m.Reference.check(-1, m.Bins); err != nil {
			return err
		}
	}
	return errors.Join(m.Settings.checkKept(), m.Random.check(), m.Calibration.check())
}

// stored is what the file of a space holds.
type stored struct {
	manifest
	vocabulary []byte // vocab.txt

	cost, centroids, directions []float32
	vectors, histograms         []float32 // of a space that is not packed
	assignment, sources         []int32
	shares                      []float32
	marginals                   []float64
	estimated                   []uint8 // 1 for each word that has an estimate, else 0

	packedArrays
}

// packedArrays are those that a packed space has instead. Of codes, sources and shares only words with an estimate
// have a row.
type packedArrays struct {
	codes                     []uint16 // of histograms, see packHistogram
	factors, lengths          []float32
	vectorCodes, packedShares []uint8 // packedShares are in 255ths
	names                     []int32 // keptNames words for each bin, −1 where there are fewer
}

// member is an array of the file.
type member struct {
	name  string
	late  bool // whether it is read when estimates are first needed
	write func(to *npz.Writer) error
	read  func(from *npz.File) error
	sum   func() string // SHA-256
}

// array is the member with the array rows×cols that data points to.
func array[T npy.Element](name string, rows, cols int, data *[]T) member {
	return member{
		name:  name,
		write: func(to *npz.Writer) error { return npz.AddArray(to, name, []int{rows, cols}, *data) },
		read: func(from *npz.File) (err error) {
			*data, err = npz.Array[T](from, name, rows, cols)
			return err
		},
		sum: func() string { return arraySum(rows, cols, *data) },
	}
}

// members lists the arrays. Packed spaces have smaller ones under the same names.
func (f *stored) members() []member {
	list := []member{
		array("cost.npy", f.Bins, f.Bins, &f.cost),
		array("centroids.npy", f.Bins, f.Dim, &f.centroids),
		array("estimated.npy", f.Words, 1, &f.estimated),
	}
	if len(f.Shares) > 0 {
		list = append(list, array(componentsFile, len(f.Shares), f.Dim, &f.directions))
	}
	rows := f.Words
	if f.Packed {
		rows = f.Estimated
		list = append(list, array("names.npy", f.Bins, keptNames, &f.names))
	} else {
		list = append(list, array("vectors.npy", f.Words, f.Dim, &f.vectors))
	}
	if f.Bits > 0 {
		list = append(list, array("vectors.npy", f.Words, quantised.Width(f.Dim, f.Bits), &f.vectorCodes),
			array("factors.npy", f.Words, 1, &f.factors))
	}
	if f.lengths != nil {
		list = append(list, array(lengthsFile, f.Words, 1, &f.lengths))
	}
	first := len(list)
	if f.Packed {
		list = append(list, array("histograms.npy", rows, f.Bins, &f.codes))
	} else {
		list = append(list, array("histograms.npy", rows, f.Bins, &f.histograms))
	}
	if f.Sources > 0 {
		list = append(list, array(assignmentFile, f.Words, 1, &f.assignment),
			array(sourcesFile, rows, f.Sources, &f.sources))
	}
	if f.Sources > 0 && f.Packed {
		list = append(list, array(sharesFile, rows, f.Sources, &f.packedShares))
	} else if f.Sources > 0 {
		list = append(list, array(sharesFile, rows, f.Sources, &f.shares))
	}
	if f.Reference != nil {
		list = append(list, array("marginals.npy", f.Words, 1, &f.marginals))
	}
	for i := range list[first:] {
		list[first+i].late = true
	}
	return list
}

// lengthsFile is there only if not all vectors have the length 1.
const lengthsFile = "lengths.npy"

// Replaceable returns an error if Write and Pack would not write a space to path: a folder is there, or a file that is
// no zip file, and so not one of theirs.
func Replaceable(path string) error {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cmdlib: %w", err)
	}
	defer file.Close()
	start := make([]byte, 2)
	if n, err := file.Read(start); err != io.EOF && string(start[:n]) != "PK" {
		return fmt.Errorf("cmdlib: %s is there and is no space: choose another name", path)
	}
	return nil
}

// write sets the identity and writes the file.
func (f *stored) write(ctx context.Context, path string) error {
	f.Format, f.Identity = format, f.identity()
	return npz.Write(path, func(w *npz.Writer) error {
		if err := w.AddJSON(manifestFile, &f.manifest); err != nil {
			return err
		}
		if err := w.AddBytes(vocabularyFile, f.vocabulary); err != nil {
			return err
		}
		for _, m := range f.members() {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := m.write(w); err != nil {
				return err
			}
		}
		return nil
	})
}

// read reads the members that are late, or those that are not.
func (f *stored) read(from *npz.File, late bool) error {
	for _, m := range f.members() {
		if m.late != late {
			continue
		}
		if err := m.read(from); err != nil {
			return err
		}
	}
	return nil
}

// Open opens the space in the file at path, which Write or Pack has written; engine solves its transport problems.
//
// Members are compared with their checksums when they are first needed: words, costs and vectors at once, histograms
// and what they were made from by the first question about them. Larger ones than 16 MiB are only mapped into memory:
// see Verify. Damage is an ErrDamaged, and no room in memory another error.
func Open(path string, engine ot.Engine) (*Space, error) {
	from, err := openFile(path)
	if err != nil {
		return nil, err
	}
	s, err := spaceIn(from, path, engine)
	if err != nil {
		return nil, errors.Join(err, from.Close())
	}
	return s, nil
}

// OpenBytes is Open of a file in memory, which must not change until Close.
func OpenBytes(content []byte, engine ot.Engine) (*Space, error) {
	const name = "the space"
	from, err := npz.Read(content, name)
	if err != nil {
		return nil, damage(name, err)
	}
	return spaceIn(from, name, engine)
}

// openFile opens a file that may be a space.
func openFile(path string) (*npz.File, error) {
	from, err := npz.Open(path)
	switch {
	case errors.Is(err, npz.ErrDamaged):
		return nil, fmt.Errorf("cmdlib: %w: expected a space, as repro build writes it", err)
	case err != nil:
		return nil, fmt.Errorf("cmdlib: %w", err)
	}
	return from, nil
}

// spaceIn returns the space in a file, which errors call by this name.
func spaceIn(from *npz.File, name string, engine ot.Engine) (*Space, error) {
	if engine == nil {
		return nil, errors.New("cmdlib: opening a space needs an engine, there is none")
	}
	f, err := readManifest(from)
	if err == nil {
		err = f.read(from, false)
	}
	if err == nil {
		f.vocabulary, err = from.Bytes(vocabularyFile)
	}
	var s *Space
	if err == nil {
		s, err = f.space(engine)
	}
	if err != nil {
		return nil, damage(name, err)
	}
	s.path, s.file = name, from
	decode := s.estimates
	s.estimates = sync.OnceValues(func() (*estimates, error) {
		err := f.read(from, true)
		if err == nil {
			var e *estimates
			if e, err = decode(); err == nil {
				return e, nil
			}
		}
		return nil, damage(name, err)
	})
	return s, nil
}

// damage is an error about a file that is not as it was written, unless memory is short.
func damage(name string, err error) error {
	switch {
	case errors.Is(err, bounded.ErrMemory):
		return fmt.Errorf("cmdlib: %s: %w", name, err)
	case errors.Is(err, npz.ErrDamaged): // which names the file
		return fmt.Errorf("cmdlib: %w: make the space again", err)
	}
	return fmt.Errorf("cmdlib: %s is %w: %w: make the space again", name, ErrDamaged, err)
}

// readManifest reads and checks space.json.
func readManifest(from *npz.File) (*stored, error) {
	f := new(stored)
	if err := from.JSON(manifestFile, &f.manifest); err != nil {
		return nil, err
	}
	if err := f.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", manifestFile, err)
	}
	if from.Has(lengthsFile) {
		f.lengths = []float32{} // so that it is listed
	}
	return f, nil
}

// space returns the space with the arrays that are not late; its estimates need the others.
func (f *stored) space(engine ot.Engine) (*Space, error) {
	s := &Data{
		own: f.Settings, identity: f.Identity, Provenance: f.Provenance, Calibration: f.Calibration, Dim: f.Dim,
		Vectors: f.vectors, Centroids: f.centroids, Cost: ot.Cost{K: f.Bins, Data: f.cost},
		random: f.Random, nearby: newNearby(),
		estimated: f.estimated, names: f.names, lengths: f.lengths, directions: f.directions,
	}
	s.relaxed = sync.OnceValues(func() (rows, columns *relaxation.Relaxation) {
		return relaxation.New(s.Cost, false), relaxation.New(s.Cost, true)
	})
	if r := f.Reference; r != nil {
		s.reference = &Reference{Window: r.Window, Total: r.Total, Divisors: r.Divisors}
	}
	if err := s.setWords(string(f.vocabulary)); err != nil {
		return nil, err
	}
	if len(s.words) != f.Words || s.tokens > f.Tokens {
		return nil, fmt.Errorf("%d words of %d tokens, %s says %d of %d",
			len(s.words), s.tokens, manifestFile, f.Words, f.Tokens)
	}
	s.tokens = f.Tokens
	finite := func(x float32) bool { return math.Abs(float64(x)) <= math.MaxFloat32 }
	if err := checkCost(s.Cost); err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(f.centroids, func(x float32) bool { return !finite(x) }); i >= 0 {
		return nil, fmt.Errorf("the centroid of bin %d has the number %v, expected finite ones",
			i/f.Dim, f.centroids[i])
	}
	for i, x := range f.lengths {
		if !finite(x) || x < 0 {
			return nil, fmt.Errorf("the vector of %q has the length %v, expected a finite number ≥ 0", s.words[i], x)
		}
	}
	estimated := 0
	for i, has := range f.estimated {
		if has > 1 {
			return nil, fmt.Errorf("whether %q has an estimate is %d, expected 0 or 1", s.words[i], has)
		}
		estimated += int(has)
	}
	if estimated != f.Estimated {
		return nil, fmt.Errorf("%d words have an estimate, %s says %d", estimated, manifestFile, f.Estimated)
	}
	for i, id := range f.names {
		if id < -1 || int(id) >= f.Words {
			return nil, fmt.Errorf("the name of bin %d has word %d of %d", i/keptNames, id, f.Words)
		}
	}
	if f.Bits > 0 {
		var err error
		if s.quantised, err = quantised.Read(f.factors, f.vectorCodes, f.Dim, f.Bits); err != nil {
			return nil, err
		}
	}
	if f.Settings.Encoding != (Encoding{}) {
		var err error
		if s.components, err = readComponents(f.directions, f.Shares, f.Dim); err != nil {
			return nil, fmt.Errorf("%s: %w", componentsFile, err)
		}
	}
	s.estimates = sync.OnceValues(func() (*estimates, error) { return f.decode(s) })
	return &Space{Data: s, Settings: s.own, Words: s.words, Counts: s.counts, Engine: engine.Prepare(s.Cost)}, nil
}

// allocate is a variable for tests.
var allocate = bounded.Allocate

// decode returns the estimates of the space and sets the marginals of its reference.
func (f *stored) decode(s *Data) (*estimates, error) {
	if s.reference != nil {
		s.reference.Marginals = f.marginals
		if err := s.reference.check(f.Words, f.Bins); err != nil {
			return nil, err
		}
	}
	e := &estimates{
		Histograms: ot.Histograms{K: f.Bins, Data: f.histograms},
		assignment: f.assignment, sources: f.sources, shares: f.shares,
	}
	if !f.Packed {
		return e, nil
	}
	if err := checkAssignment(s.words, f.assignment, f.Bins); err != nil {
		return nil, err
	}
	if err := allocate(4 * int64(f.Words) * int64(f.Bins+2*f.Sources)); err != nil {
		return nil, err
	}
	e.Data = make([]float32, f.Words*f.Bins)
	e.sources, e.shares = make([]int32, f.Words*f.Sources), make([]float32, f.Words*f.Sources)
	rows, n := make([]int32, f.Words), int32(0) // the row of each word, −1 for none
	for word, has := range f.estimated {
		rows[word] = -1
		if has != 0 {
			rows[word], n = n, n+1
		}
	}
	return e, parallel.Blocks(context.Background(), f.Words, 512, func(lo, hi int) error {
		for word := lo; word < hi; word++ {
			if err := f.decodeWord(e, word, int(rows[word])); err != nil {
				return fmt.Errorf("%q: %w", s.words[word], err)
			}
		}
		return nil
	})
}

// decodeWord sets the histogram and the sources of a word by its row, −1 for none.
func (f *stored) decodeWord(e *estimates, word, row int) error {
	sources, shares := e.sources[word*f.Sources:][:f.Sources], e.shares[word*f.Sources:][:f.Sources]
	if row < 0 {
		for i := range sources {
			sources[i] = -1
		}
		return nil
	}
	if !unpackHistogram(e.Row(word), f.codes[row*f.Bins:][:f.Bins]) {
		return errors.New("its histogram has no mass")
	}
	for i, id := range f.sources[row*f.Sources:][:f.Sources] {
		if id < -1 || int(id) >= f.Words {
			return fmt.Errorf("source %d is word %d of %d, expected a word or -1", i+1, id, f.Words)
		}
		sources[i], shares[i] = id, float32(f.packedShares[row*f.Sources+i])/255
	}
	return nil
}

// drawn sets the distances of random words that the file keeps, and returns the space that it was drawn from: the one
// that the file will open as, but for its identity.
func (f *stored) drawn(ctx context.Context) (*Space, error) {
	s, err := f.space(cpu.New())
	if err == nil {
		f.Random, err = s.drawWords(ctx)
	}
	return s, err
}

// Verify reads the whole space at path and returns an ErrDamaged if a member is not the one that was written. It names
// all such members. The error is the context's once that has ended.
func Verify(ctx context.Context, path string) error {
	from, err := openFile(path)
	if err != nil {
		return err
	}
	defer from.Close()
	if err := from.Verify(ctx); ctx.Err() != nil {
		return ctx.Err()
	} else if err != nil {
		return damage(path, err)
	}
	s, err := spaceIn(from, path, cpu.New())
	if err == nil {
		_, err = s.estimates()
	}
	if err != nil {
		return err
	}
	f, err := readManifest(from)
	if err != nil {
		return damage(path, err)
	}
	sums := make(map[string]string)
	for _, name := range from.Names() {
		content, err := from.Bytes(name)
		if err != nil {
			return damage(path, err)
		}
		if name != manifestFile {
			sums[name] = bytesSum(content)
		}
	}
	if got := f.identityBy(sums); got != f.Identity {
		return damage(path, fmt.Errorf("its members have the identity %s, %s says %s", got, manifestFile, f.Identity))
	}
	return nil
}
