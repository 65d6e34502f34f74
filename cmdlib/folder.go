package cmdlib

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/estimate"
	"contextmover/cmdlib/ground"
	"contextmover/cmdlib/internal/relaxation"
	"contextmover/cmdlib/npy"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/cpu"
	"contextmover/cmdlib/sentence"
	"contextmover/cmdlib/sppmi"
	"contextmover/internal/atomicfile"
	"contextmover/internal/bounded"
	"contextmover/internal/checksum"
	"contextmover/internal/enum"
	"contextmover/internal/jsonerror"
)

// Settings are the parameters of a space: those that it was made with (SPPMI,
// Estimate, Ground) are kept for the record, the others are used when it is asked.
type Settings struct {
	SPPMI    sppmi.Params    `json:"sppmi"`
	Estimate estimate.Params `json:"estimate"`
	Ground   ground.Params   `json:"ground"`
	// Transport is that of distances.
	Transport ot.Settings      `json:"transport"`
	Sentence  SentenceSettings `json:"sentence"`
	// Encoding is that of vectors of texts.
	Encoding Encoding `json:"encoding,omitzero"`
	// Defaults are the methods that questions are answered by where none is named.
	Defaults Defaults `json:"defaults,omitzero"`
}

// Combination names how the histograms of a sentence's words are combined.
type Combination string

const (
	// Average is sentence.HistogramAverage.
	Average Combination = "average"
	// Barycenter is sentence.Barycenter.
	Barycenter Combination = "barycenter"
	// DebiasedBarycenter is sentence.Barycenter without the blur of regularisation.
	DebiasedBarycenter Combination = "debiased barycenter"
)

var combinations = []Combination{Average, Barycenter, DebiasedBarycenter}

// validate returns an error if c is no combination.
func (c Combination) validate() error {
	return enum.Validate("cmdlib: unknown combination", c, combinations)
}

// SentenceSettings say how words combine to sentences. Weights other than uniform
// take the counts of the vocabulary for probabilities.
type SentenceSettings struct {
	Combination Combination        `json:"combination"`
	Weighting   sentence.Weighting `json:"weighting"`
	// Transport is that of barycenters; an average does not use it.
	Transport ot.Settings `json:"transport"`
}

func (s Settings) check() error {
	if err := s.Ground.Validate(); err != nil {
		return fmt.Errorf("settings of the ground cost: %w", err)
	}
	if err := s.Transport.Validate(); err != nil {
		return fmt.Errorf("settings of distances: %w", err)
	}
	if err := s.Sentence.Combination.validate(); err != nil {
		return fmt.Errorf("settings of sentences: %w", err)
	}
	if err := s.Sentence.Weighting.Validate(); err != nil {
		return fmt.Errorf("settings of sentences: %w", err)
	}
	if s.Sentence.Combination != Average {
		if err := s.Sentence.Transport.Validate(); err != nil {
			return fmt.Errorf("settings of barycenters: %w", err)
		}
	}
	return errors.Join(s.Encoding.check(), s.Defaults.check())
}

// mostIterations is the number of iterations beyond which a space is not asked by its own settings: a hundred
// times what the smallest λ that solvers take needs. An opened space may be asked with more, by Asked.
const mostIterations = 1_000_000

// checkKept is check for settings that a space keeps, which nobody has vouched for: they are also such that no question
// takes for ever.
func (s Settings) checkKept() error {
	if err := s.check(); err != nil {
		return err
	}
	if most := max(s.Transport.MaxIter, s.Sentence.Transport.MaxIter); most > mostIterations {
		return fmt.Errorf("settings of distances or barycenters: %d iterations, expected at most %d",
			most, mostIterations)
	}
	if !(s.SPPMI.Smoothing >= 0 && s.SPPMI.Smoothing <= 1) || !(s.SPPMI.Shift >= 0) {
		return fmt.Errorf("settings of associations: smoothing %v and shift %v, expected 0 to 1, and a number ≥ 0",
			s.SPPMI.Smoothing, s.SPPMI.Shift)
	}
	if !(s.Estimate.Beta >= 0 && s.Estimate.Beta <= 1) {
		return fmt.Errorf("settings of estimates: β is %v, expected 0 to 1", s.Estimate.Beta)
	}
	return nil
}

// Contents is what a space is written from.
type Contents struct {
	Vocabulary *corpus.Vocabulary
	// Histograms is words×K: rows that sum to 1, or all zeros for a word without an
	// estimate.
	Histograms ot.Histograms
	// Vectors is words×Dim, Centroids K×Dim.
	Dim                int
	Vectors, Centroids []float32
	// Cost is K×K, normalised and clipped.
	Cost     ot.Cost
	Settings Settings
	// Assignment is the bin that each word belongs to as a context, −1 for none, and
	// Associations (words×words) what the histograms were made from. They are what
	// Explain tells the words behind a bin's mass from. Both may be nil, not one.
	Assignment   []int32
	Associations *sppmi.Matrix
	// Calibration is that of a method of vectors; it may be nil.
	Calibration *Calibration
	// Reference is what Estimate makes the histograms of further words by; it needs Assignment. It may be nil.
	Reference *Reference
	// Provenance is written to space.json as it is: where the space comes from, for
	// people and programs. It may be nil.
	Provenance map[string]any
}

func (c *Contents) check() error {
	if c.Vocabulary == nil {
		return errors.New("no vocabulary")
	}
	words, k := c.Vocabulary.Len(), c.Cost.K
	switch {
	case words == 0 || k < 1 || c.Dim < 1:
		return fmt.Errorf("%d words, %d bins, dimension %d, expected at least 1 of each", words, k, c.Dim)
	case len(c.Cost.Data) != k*k:
		return fmt.Errorf("%d costs for %d bins, expected %d", len(c.Cost.Data), k, k*k)
	case c.Histograms.K != k || len(c.Histograms.Data) != words*k:
		return fmt.Errorf("%d entries of histograms of %d bins, expected %d words of %d",
			len(c.Histograms.Data), c.Histograms.K, words, k)
	case len(c.Vectors) != words*c.Dim:
		return fmt.Errorf("%d coordinates of vectors, expected %d words of dimension %d", len(c.Vectors), words, c.Dim)
	case len(c.Centroids) != k*c.Dim:
		return fmt.Errorf("%d coordinates of centroids, expected %d of dimension %d", len(c.Centroids), k, c.Dim)
	}
	if (c.Assignment == nil) != (c.Associations == nil) {
		return errors.New("an assignment without associations, or the other way round")
	}
	if c.Associations != nil {
		if len(c.Assignment) != words || c.Associations.Rows != words || c.Associations.Cols != words {
			return fmt.Errorf("%d assignments and associations of %d words with %d contexts, expected %d of each",
				len(c.Assignment), c.Associations.Rows, c.Associations.Cols, words)
		}
		for i, bin := range c.Assignment {
			if bin < -1 || int(bin) >= k {
				return fmt.Errorf("%q is assigned to bin %d of %d", c.Vocabulary.Words[i], bin, k)
			}
		}
	}
	if c.Reference != nil {
		if c.Assignment == nil {
			return errors.New("a reference for estimates without an assignment")
		}
		if err := c.Reference.check(words, k); err != nil {
			return err
		}
	}
	for i, x := range c.Cost.Data {
		if !(x >= 0 && x <= math.MaxFloat32) {
			return fmt.Errorf("the cost from bin %d to bin %d is %v, expected a finite number ≥ 0", i/k, i%k, x)
		}
	}
	for i := range words {
		sum := 0.0
		for j, x := range c.Histograms.Row(i) {
			if !(x >= 0) {
				return fmt.Errorf("bin %d of the histogram of %q is %v, expected a number ≥ 0",
					j, c.Vocabulary.Words[i], x)
			}
			sum += float64(x)
		}
		if sum != 0 && math.Abs(sum-1) > ot.MassTolerance {
			return fmt.Errorf("the histogram of %q sums to %v, expected 1, or 0 for a word without an estimate",
				c.Vocabulary.Words[i], sum)
		}
	}
	return errors.Join(c.Settings.checkKept(), c.Calibration.check())
}

// format is the version of the folder's layout.
const format = 1

// The files of a space, besides space.json.
const (
	vocabularyFile = "vocab.txt"
	histogramsFile = "histograms.npy"
	centroidsFile  = "centroids.npy"
	vectorsFile    = "vectors.npy"
	costFile       = "cost.npy"
	assignmentFile = "assignment.npy"
	sourcesFile    = "sources.npy"
	sharesFile     = "shares.npy"
	marginalsFile  = "marginals.npy"
	componentsFile = "components.npy"
	manifestFile   = "space.json"
)

// manifest is space.json.
type manifest struct {
	Format int `json:"format"`
	// Text is corpus.Form, the form of its words, or empty, as in the built-in space.
	Text string `json:"text,omitempty"`
	// Identity is that of Space.
	Identity string   `json:"identity"`
	Words    int      `json:"words"`
	Bins     int      `json:"bins"`
	Dim      int      `json:"dim"`
	Sources  int      `json:"sources,omitempty"` // context words kept of each word; 0 for none
	Settings Settings `json:"settings"`
	// Reference is without its marginals, which are a file.
	Reference *Reference `json:"reference,omitempty"`
	// Random are the distances of random pairs of words.
	Random *randomWords `json:"random,omitempty"`
	// Shares are those of the components that are removed from vectors of texts.
	Shares      []float64         `json:"shares,omitempty"`
	Calibration *Calibration      `json:"calibration,omitempty"`
	SHA256      map[string]string `json:"sha256"`
	Provenance  map[string]any    `json:"provenance,omitempty"`
	// Checksum is the SHA-256 of the file without these 64 digits; who changes settings removes it.
	Checksum string `json:"checksum,omitempty"`
}

// encode sets the checksum and returns space.json.
func (m *manifest) encode() ([]byte, error) {
	m.Checksum = strings.Repeat("0", hex.EncodedLen(sha256.Size))
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return nil, err
	}
	text = append(text, '\n')
	sum, at := checksumWithout(text, m.Checksum)
	copy(text[at:], sum)
	return text, nil
}

// checksumWithout is the SHA-256 of text without the last digits in it, and where they are; −1 for
// nowhere.
func checksumWithout(text []byte, digits string) (sum string, at int) {
	if at = bytes.LastIndex(text, []byte(digits)); at < 0 {
		return "", at
	}
	h := sha256.New()
	h.Write(text[:at])
	h.Write(text[at+len(digits):])
	return hex.EncodeToString(h.Sum(nil)), at
}

// kind is that of the folders that spaces are.
var kind = atomicfile.Kind{
	Name: "a space", Mark: manifestFile,
	Files: []string{
		vocabularyFile, histogramsFile, centroidsFile, vectorsFile, costFile, assignmentFile, sourcesFile,
		sharesFile, marginalsFile,
		componentsFile, manifestFile,
	},
}

// Replaceable returns an error if Write would not write a space to the folder dir. It must be new in a folder that is
// there, an empty folder, or a space without files that are no part of it.
func Replaceable(dir string) error {
	if err := atomicfile.Replaceable(dir, kind); err != nil {
		return fmt.Errorf("cmdlib: %w", err)
	}
	return nil
}

// Write writes a space to the folder dir: vocab.txt (GloVe's format), histograms.npy, centroids.npy,
// vectors.npy, cost.npy, space.json, with Settings.Encoding components.npy, with Associations
// assignment.npy, sources.npy and shares.npy, and with Reference marginals.npy. The folder appears
// whole or not at all; a space that is there already is replaced, under Linux in one step. The
// folder that dir is in must exist. Where dir is a link, the folder that it leads to is written.
//
// It returns an error for contents whose sizes do not fit each other, for settings out of range, and where
// Replaceable does. So it does for a histogram that is not one, and for a cost that is negative or not finite.
func Write(ctx context.Context, dir string, c Contents) error {
	if err := c.check(); err != nil {
		return fmt.Errorf("cmdlib: writing %s: %w", dir, err)
	}
	err := atomicfile.Replace(dir, kind, func(made string) error {
		if err := c.write(ctx, made); err != nil {
			return fmt.Errorf("writing %s: %w", dir, err)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("cmdlib: %w", err)
	}
	return nil
}

// write writes the files of a space.
func (c *Contents) write(ctx context.Context, made string) (err error) {
	m := &manifest{
		Format: format, Text: corpus.Form, Words: c.Vocabulary.Len(), Bins: c.Cost.K, Dim: c.Dim,
		Settings: c.Settings, Reference: c.Reference, Calibration: c.Calibration, SHA256: make(map[string]string),
		Provenance: c.Provenance,
	}
	path := filepath.Join(made, vocabularyFile)
	if err := c.Vocabulary.Write(path); err != nil {
		return err
	}
	if m.SHA256[vocabularyFile], err = checksum.File(ctx, path); err != nil {
		return err
	}
	data := []any{c.Histograms.Data, c.Centroids, c.Vectors, c.Cost.Data}
	if c.Associations != nil {
		m.Sources = sourcesWidth
		sources, shares, err := strongest(ctx, c.Associations, c.Assignment, c.Histograms)
		if err != nil {
			return err
		}
		data = append(data, c.Assignment, sources, shares)
	}
	if c.Reference != nil {
		data = append(data, c.Reference.Marginals)
	}
	if c.Settings.Encoding.Components > 0 {
		directions, err := c.fit(ctx, m)
		if err != nil {
			return err
		}
		data = append(data, directions)
	}
	for i, a := range m.arrays() {
		if err := ctx.Err(); err != nil {
			return err
		}
		path := filepath.Join(made, a.name)
		switch x := data[i].(type) {
		case []float32:
			err = npy.Write(path, []int{a.rows, a.cols}, x)
		case []float64:
			err = npy.Write(path, []int{a.rows, a.cols}, x)
		case []int32:
			err = npy.Write(path, []int{a.rows, a.cols}, x)
		}
		if err != nil {
			return err
		}
		if m.SHA256[a.name], err = checksum.File(ctx, path); err != nil {
			return err
		}
	}
	if m.Random, err = c.random(ctx); err != nil {
		return err
	}
	m.Identity = m.identity(c.Vocabulary.Total())
	text, err := m.encode()
	if err != nil {
		return err
	}
	return atomicfile.WriteBytes(filepath.Join(made, manifestFile), text)
}

// fit fits the components of texts, sets their shares and returns their directions.
func (c *Contents) fit(ctx context.Context, m *manifest) ([]float32, error) {
	vector := func(to []float32, i int) bool { return unit(to, c.Vectors[i*c.Dim:(i+1)*c.Dim]) }
	total := float64(max(c.Vocabulary.Total(), 1))
	components, err := c.Settings.Encoding.fit(ctx, m.Words, c.Dim, vector,
		func(i int) float64 { return float64(c.Vocabulary.Counts[i]) / total })
	if err != nil {
		return nil, err
	}
	directions, shares := keptComponents(components)
	m.Shares = shares
	return directions, nil
}

// random draws the distances that are kept for Standing; nil where no word has an estimate.
func (c *Contents) random(ctx context.Context) (*randomWords, error) {
	if !slices.ContainsFunc(c.Histograms.Data, func(x float32) bool { return x > 0 }) {
		return nil, nil
	}
	s := &Space{
		Settings: c.Settings, Words: c.Vocabulary.Words, Counts: c.Vocabulary.Counts, tokens: c.Vocabulary.Total(),
		Cost: c.Cost, engine: cpu.New().Prepare(c.Cost),
		estimates: func() (*estimates, error) { return &estimates{Histograms: c.Histograms}, nil },
	}
	return s.drawWords(ctx)
}

// array is one of the .npy files.
type array struct {
	name       string
	rows, cols int
}

// arrays lists the files of a space with that many words, bins and dimensions.
func (m *manifest) arrays() []array {
	list := []array{
		{histogramsFile, m.Words, m.Bins}, {centroidsFile, m.Bins, m.Dim}, {vectorsFile, m.Words, m.Dim},
		{costFile, m.Bins, m.Bins},
	}
	if m.Sources > 0 {
		list = append(list, array{assignmentFile, m.Words, 1}, array{sourcesFile, m.Words, m.Sources},
			array{sharesFile, m.Words, m.Sources})
	}
	if m.Reference != nil {
		list = append(list, array{marginalsFile, m.Words, 1})
	}
	if len(m.Shares) > 0 {
		list = append(list, array{componentsFile, len(m.Shares), m.Dim})
	}
	return list
}

// identity is that of the space, by the checksums of its files, with so many tokens.
func (m *manifest) identity(tokens int64) string {
	return identified{m.Settings, m.Reference, tokens, m.Shares, m.SHA256}.sum()
}

// checkFields returns an error if text, which m was read from, is not the space.json that was written. Fields
// that no version has written are damage too: one of them might be the checksum.
func (m *manifest) checkFields(text []byte) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		return err
	}
	names := []string{
		"format", "text", "identity", "words", "bins", "dim", "sources", "settings", "reference", "random",
		"shares", "calibration",
		"sha256",
		"provenance",
		"checksum",
	}
	for name := range fields {
		if !slices.Contains(names, name) {
			return fmt.Errorf("is damaged: it has a field %q, which no space has: make the space again", name)
		}
	}
	if m.Checksum == "" {
		return nil
	}
	if sum, _ := checksumWithout(text, m.Checksum); sum != m.Checksum {
		return fmt.Errorf("was changed since it was written: without the 64 digits of checksum its SHA-256 is %s, "+
			"expected %s: "+
			"if you have changed settings there, remove the field checksum, else make the space again", sum, m.Checksum)
	}
	return nil
}

// readManifest reads and checks space.json.
func readManifest(dir string) (*manifest, error) {
	path := filepath.Join(dir, manifestFile)
	data, err := bounded.ReadFile(path, bounded.Document)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("cmdlib: %s is not a space: it has no %s", dir, manifestFile)
	}
	if err != nil {
		return nil, fmt.Errorf("cmdlib: %w", err)
	}
	var m manifest
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, fmt.Errorf("cmdlib: %s: %w", path, jsonerror.Explain(err))
	}
	if err := m.checkFields(data); err != nil {
		return nil, fmt.Errorf("cmdlib: %s %w", path, err)
	}
	if m.Format != format {
		return nil, fmt.Errorf("cmdlib: %s: the space has format %d, this program reads format %d: make the space "+
			"again", path, m.Format, format)
	}
	if err := checkForm(m.Text); err != nil {
		return nil, fmt.Errorf("cmdlib: %s: %w", path, err)
	}
	if m.Words < 1 || m.Bins < 1 || m.Dim < 1 {
		return nil, fmt.Errorf("cmdlib: %s: %d words, %d bins, dimension %d, expected at least 1 of each",
			path, m.Words, m.Bins, m.Dim)
	}
	if m.Sources != 0 && m.Sources != sourcesWidth {
		return nil, fmt.Errorf("cmdlib: %s: %d sources of each word, expected %d or none: make the space again",
			path, m.Sources, sourcesWidth)
	}
	if m.Reference != nil {
		if err := m.Reference.check(-1, m.Bins); err != nil || m.Sources == 0 {
			return nil, fmt.Errorf("cmdlib: %s: %w", path,
				cmp.Or(err, errors.New("a reference for estimates without sources: make the space again")))
		}
	}
	if err := errors.Join(m.Settings.checkKept(), m.Random.check(), m.Calibration.check()); err != nil {
		return nil, fmt.Errorf("cmdlib: %s: %w", path, err)
	}
	return &m, nil
}

// checkForm returns an error for a space whose words are in another form than the one that texts are read in. Those of
// a space that does not say are mostly in this one, and others are only not found.
func checkForm(form string) error {
	if form != "" && form != corpus.Form {
		return fmt.Errorf("the text of the space was read in the form %q, this program reads text in the form %q: "+
			"make the space again", form, corpus.Form)
	}
	return nil
}

var errNoEngine = errors.New("cmdlib: opening a space needs an engine, there is none")

// Open opens the space in the folder dir, or in the file dir as Pack writes it; engine solves its transport problems.
//
// The sizes of all files are checked, and the checksums of space.json and of those up to 4 MiB, among
// which vocabulary, costs and centroids mostly are. Larger members are only mapped into memory: see Verify.
func Open(dir string, engine ot.Engine) (*Space, error) {
	if engine == nil {
		return nil, errNoEngine
	}
	if isFile(dir) {
		return openPackedFile(dir, engine)
	}
	m, err := readManifest(dir)
	if err != nil {
		return nil, err
	}
	s := &Space{
		Settings: m.Settings, Provenance: m.Provenance, Dim: m.Dim, random: m.Random, relaxed: new(relaxation.Both),
		nearby: newNearby(), dir: dir, engine: engine,
	}
	s.Calibration = m.Calibration
	err = s.open(dir, m)
	if err == nil {
		err = m.verify(context.Background(), dir, small)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// small is the number of bytes up to which Open reads a file for its checksum: a few milliseconds.
const small = 4 << 20

func (s *Space) open(dir string, m *manifest) (err error) {
	path := filepath.Join(dir, vocabularyFile)
	if err := s.readWords(path); err != nil {
		return err
	}
	if len(s.Words) != m.Words {
		return fmt.Errorf("cmdlib: %s has %d words, but %s says %d", path, len(s.Words), manifestFile, m.Words)
	}
	sum := m.Identity
	if m.Checksum == "" { // somebody has changed settings
		sum = m.identity(s.tokens)
	}
	s.identity = func() string { return sum }
	e := &estimates{Histograms: ot.Histograms{K: m.Bins}}
	s.estimates = func() (*estimates, error) { return e, nil }
	s.Cost.K = m.Bins
	s.reference = m.Reference
	for _, a := range m.arrays() {
		switch a.name {
		case histogramsFile:
			e.Data, err = mapArray[float32](s, dir, a)
		case centroidsFile:
			s.Centroids, err = mapArray[float32](s, dir, a)
		case vectorsFile:
			s.Vectors, err = mapArray[float32](s, dir, a)
		case costFile:
			s.Cost.Data, err = mapArray[float32](s, dir, a)
		case assignmentFile:
			e.assignment, err = mapArray[int32](s, dir, a)
		case sourcesFile:
			e.sources, err = mapArray[int32](s, dir, a)
		case sharesFile:
			e.shares, err = mapArray[float32](s, dir, a)
		case marginalsFile:
			s.reference.Marginals, err = mapArray[float64](s, dir, a)
		case componentsFile:
			s.directions, err = mapArray[float32](s, dir, a)
		}
		if err != nil {
			return err
		}
	}
	s.engine = s.engine.Prepare(s.Cost)
	if m.Settings.Encoding != (Encoding{}) {
		if s.components, err = readComponents(s.directions, m.Shares, m.Dim); err != nil {
			return fmt.Errorf("cmdlib: %s: %w", filepath.Join(dir, componentsFile), err)
		}
	}
	return nil
}

// mapArray maps one of the files into memory until the space is closed.
func mapArray[T npy.Element](s *Space, dir string, a array) ([]T, error) {
	path := filepath.Join(dir, a.name)
	mapped, err := npy.Map[T](path)
	if err != nil {
		return nil, err
	}
	s.mapped = append(s.mapped, mapped)
	if !slices.Equal(mapped.Shape, []int{a.rows, a.cols}) {
		return nil, fmt.Errorf("cmdlib: %s has the shape %v, but by %s it is %d×%d",
			path, mapped.Shape, manifestFile, a.rows, a.cols)
	}
	return mapped.Data, nil
}

// ErrUnverified is returned by Verify for a space whose files are those that were written, but for a space.json without
// a checksum of its own, which somebody has removed to change settings.
var ErrUnverified = errors.New("has no checksum of its own, so the settings in it cannot be verified; " +
	"all other files are as they were written")

// Verify reads the whole space in the folder or packed file dir. It returns an error if a file is not the one that
// was written, that is, if its SHA-256 differs from that in space.json. The error names all such files; it is
// ErrUnverified, or the context's once that has ended, in those cases.
func Verify(ctx context.Context, dir string) error {
	if isFile(dir) {
		s, err := openPackedFile(dir, cpu.New()) // which compares all checksums
		if err == nil {
			_, err = s.estimates()
		}
		return err
	}
	m, err := readManifest(dir)
	if err != nil {
		return err
	}
	if err := m.verify(ctx, dir, math.MaxInt64); err != nil {
		return err
	}
	if m.Checksum == "" {
		return fmt.Errorf("cmdlib: %s %w", filepath.Join(dir, manifestFile), ErrUnverified)
	}
	return nil
}

// verify compares the files of at most limit bytes with their checksums.
func (m *manifest) verify(ctx context.Context, dir string, limit int64) error {
	names := []string{vocabularyFile}
	for _, a := range m.arrays() {
		names = append(names, a.name)
	}
	var damage []error
	for _, name := range names {
		path := filepath.Join(dir, name)
		want, ok := m.SHA256[name]
		if !ok {
			damage = append(damage, fmt.Errorf("cmdlib: %s has no checksum of %s: make the space again",
				filepath.Join(dir, manifestFile), name))
			continue
		}
		info, err := os.Stat(path)
		if err == nil && info.Size() > limit {
			continue
		}
		got := ""
		if err == nil {
			got, err = checksum.File(ctx, path)
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			damage = append(damage, fmt.Errorf("cmdlib: %w", err))
		case got != want:
			damage = append(damage, fmt.Errorf("cmdlib: %s is damaged: its SHA-256 is %s, by %s it is %s: make the "+
				"space again", path, got, manifestFile, want))
		}
	}
	return errors.Join(damage...)
}
