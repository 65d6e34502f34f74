// Package job counts a text in shards, each step of it in any number of processes, on machines that share a folder: a cluster's array
// jobs, or an engine that hands out numbers.
//
// The steps are Words for each shard, Vocabulary, Pairs for each shard, Merge for each part of the rows, Counts. Each makes one file of the job's folder,
// which is there whole or not at all, and has the key of all that it was made from: one that is there is not made again, so a step that was killed is given again and
// goes on. The counts are those of corpus.Count, to the last bit.
package job

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/internal/jobs"
	"contextmover/cmdlib/scratch"
	"contextmover/internal/atomicfile"
	"contextmover/internal/bounded"
	"contextmover/internal/checksum"
	"contextmover/internal/disk"
)

// Params say how a text is cut and counted.
type Params struct {
	MinCount  int64 // rarer words are left out
	Window    int   // 1 to corpus.MaxWindow
	ShardSize int64 // bytes of text, as stored, see corpus.Text.Shards
	PartSize  int64 // bytes of counts at most, see corpus.NewCounting
}

// plan is what job.json has.
type plan struct {
	Format    int           `json:"format"`
	Tokenised bool          `json:"tokenised"`
	Layout    corpus.Layout `json:"layout"`
	MinCount  int64         `json:"min_count"`
	Window    int           `json:"window"`
	PartSize  int64         `json:"part_size"`
	Files     []planFile    `json:"files"`
	Shards    [][]planPiece `json:"shards"`
}

type planFile struct {
	Path  string `json:"path"`
	Bytes int64  `json:"bytes"`
}

type planPiece struct {
	File int   `json:"file"` // in Files
	From int64 `json:"from,omitempty"`
	To   int64 `json:"to,omitempty"`
}

const (
	format = 1
	// The names in the folder of a job.
	planName       = "job.json"
	wordsName      = "words"
	pairsName      = "pairs"
	partsName      = "parts"
	countsName     = "counts"
	vocabularyName = "vocab.txt"
	summaryName    = "vocab.json"
	matrixName     = "cooccurrence.bin"
	joinedName     = "counts.json"
)

// Job is a text that is being counted.
type Job struct {
	Dir string
	// Begin, if set, is told what is being counted, and Mend what is damaged and is made anew.
	Begin func(what string)
	Mend  func(*corpus.DamagedError)

	plan   plan
	digest [32]byte // of job.json
}

// New cuts a text into shards, and writes the plan to the folder dir, which it makes. A folder that has the same plan is left as it is; with another one it is an error.
// Errors of the text are those of corpus.Text.Shards.
func New(dir string, text corpus.Text, p Params) (*Job, error) {
	shards, err := text.Shards(p.ShardSize)
	if err != nil {
		return nil, err
	}
	made := plan{Format: format, Tokenised: text.Tokenised, Layout: text.Layout, MinCount: p.MinCount, Window: p.Window, PartSize: p.PartSize}
	place := map[string]int{}
	for _, path := range text.Files {
		info, err := os.Stat(path)
		if err != nil {
			return nil, fmt.Errorf("job: %w", err)
		}
		absolute, err := filepath.Abs(path)
		if err != nil {
			return nil, fmt.Errorf("job: %s: %w", path, err)
		}
		place[path] = len(made.Files)
		made.Files = append(made.Files, planFile{absolute, info.Size()})
	}
	for _, shard := range shards {
		var pieces []planPiece
		for _, piece := range shard {
			pieces = append(pieces, planPiece{place[piece.Path], piece.From, piece.To})
		}
		made.Shards = append(made.Shards, pieces)
	}
	if err := jobs.WritePlan(dir, planName, made, wordsName, pairsName, partsName); err != nil {
		return nil, fmt.Errorf("job: %w", err)
	}
	return Open(dir)
}

// Open returns the job in a folder, and removes what killed processes left there. The error is fs.ErrNotExist where there is none.
func Open(dir string) (*Job, error) {
	j := &Job{Dir: dir}
	var err error
	if j.digest, err = jobs.ReadPlan(dir, planName, &j.plan, j.plan.validate, "shard the text again", wordsName, pairsName, partsName); err != nil {
		return nil, fmt.Errorf("job: %w", err)
	}
	return j, nil
}

func (p *plan) validate() error {
	if p.Format != format {
		return fmt.Errorf("the job has format %d, expected %d", p.Format, format)
	}
	if err := p.Layout.Validate(); err != nil {
		return err
	}
	if p.Window < 1 || p.Window > corpus.MaxWindow || p.PartSize < 1 || len(p.Shards) == 0 {
		return fmt.Errorf("window %d, parts of %d bytes, %d shards", p.Window, p.PartSize, len(p.Shards))
	}
	for i, shard := range p.Shards {
		for _, piece := range shard {
			if piece.File < 0 || piece.File >= len(p.Files) || piece.From < 0 || piece.To < 0 || piece.To != 0 && piece.To <= piece.From {
				return fmt.Errorf("shard %d has a piece that is none", i)
			}
		}
	}
	return nil
}

// Shards returns the number of shards.
func (j *Job) Shards() int { return len(j.plan.Shards) }

// Shard names a shard as messages do: from 1, with what it is.
func (j *Job) Shard(shard int) string {
	var pieces []string
	for _, p := range j.plan.Shards[shard] {
		pieces = append(pieces, corpus.Piece{Path: j.plan.Files[p.File].Path, From: p.From, To: p.To}.String())
	}
	if n := len(pieces); n > 3 {
		pieces = append(pieces[:2], fmt.Sprintf("… and %d more files", n-2))
	}
	return fmt.Sprintf("shard %d of %d, %s", shard+1, j.Shards(), strings.Join(pieces, ", "))
}

// text returns what a shard has, if its files are as they were.
func (j *Job) text(shard int) (corpus.Text, error) {
	t := corpus.Text{Tokenised: j.plan.Tokenised, Layout: j.plan.Layout}
	var s corpus.Shard
	for _, p := range j.plan.Shards[shard] {
		f := j.plan.Files[p.File]
		info, err := os.Stat(f.Path)
		if err != nil {
			return t, err
		}
		if info.Size() != f.Bytes {
			return t, fmt.Errorf("%s has %d bytes, and had %d when it was cut into shards; make a job of it anew", f.Path, info.Size(), f.Bytes)
		}
		s = append(s, corpus.Piece{Path: f.Path, From: p.From, To: p.To})
	}
	return t.Of(s), nil
}

// key is that of a file of the job: the plan, what the file is, and what else it was made from.
func (j *Job) key(what string, number int, from string) corpus.Key {
	return sha256.Sum256(fmt.Appendf(nil, "%x %s %d %s", j.digest, what, number, from))
}

func (j *Job) path(folder string, number int) string {
	return filepath.Join(j.Dir, folder, fmt.Sprintf("%05d", number))
}

// finished tells by the error of opening a file whether it is there and sound. An error is another one.
func (j *Job) finished(err error) (bool, error) { return jobs.Finished(err, j.mend) }

func (j *Job) begin(what string) {
	if j.Begin != nil {
		j.Begin(what)
	}
}

func (j *Job) mend(damaged *corpus.DamagedError) {
	if j.Mend != nil {
		j.Mend(damaged)
	}
}

// Words counts the words of a shard, unless that has been done, and returns whether it had to. An error names the shard.
func (j *Job) Words(ctx context.Context, shard int, progress func(done, total int64)) (made bool, err error) {
	path, key := j.path(wordsName, shard), j.key(wordsName, shard, "")
	if done, err := j.finished(corpus.OpenTally(path, key)); done || err != nil {
		return false, err
	}
	text, err := j.text(shard)
	if err == nil {
		j.begin("words of " + j.Shard(shard))
		_, err = corpus.CountWords(ctx, text, key, path, progress)
	}
	if err != nil {
		return false, fmt.Errorf("%s: %w", j.Shard(shard), err)
	}
	return true, nil
}

// NotYetError is the error of a step that needs what other steps have not made yet.
type NotYetError struct {
	Step    string // that has to be done: words, pairs or merge
	Missing int    // so many files
	First   string // the first of them
}

func (e *NotYetError) Error() string {
	return fmt.Sprintf("%s is not there yet, one of %d that %s has to make first", e.First, e.Missing, e.Step)
}

func missing(step string, paths []string) error {
	return &NotYetError{step, len(paths), paths[0]}
}

// Vocabulary is that of a job.
type Vocabulary struct {
	*corpus.Vocabulary
	Stats corpus.Stats

	digest string
}

type summary struct {
	SHA256 string       `json:"sha256"`
	Stats  corpus.Stats `json:"stats"`
}

// Vocabulary returns the job's vocabulary, which it makes of the words of all shards where it is not there. The error is a *NotYetError if those of
// some are not counted. A damaged count of words is made anew.
func (j *Job) Vocabulary(ctx context.Context) (*Vocabulary, error) {
	path := filepath.Join(j.Dir, vocabularyName)
	v, err := j.readVocabulary(ctx, path)
	if done, err := j.finished(err); done || err != nil {
		return v, err
	}
	var paths, absent []string
	var keys []corpus.Key
	for shard := range j.Shards() {
		paths, keys = append(paths, j.path(wordsName, shard)), append(keys, j.key(wordsName, shard, ""))
		if _, err := os.Stat(paths[shard]); err != nil {
			absent = append(absent, paths[shard])
		}
	}
	if len(absent) > 0 {
		return nil, missing("words", absent)
	}
	var stats corpus.Stats
	var words *corpus.Vocabulary
	err = j.mending(ctx, paths, j.Words, func() error {
		words, stats, err = corpus.MergeTallies(ctx, paths, keys, j.plan.MinCount)
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := words.Write(path); err != nil {
		return nil, err
	}
	digest, err := checksum.File(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("job: %w", err)
	}
	content, err := json.Marshal(summary{digest, stats})
	if err == nil {
		err = atomicfile.WriteBytes(filepath.Join(j.Dir, summaryName), content)
	}
	if err != nil {
		return nil, fmt.Errorf("job: %w", err)
	}
	return &Vocabulary{words, stats, digest}, nil
}

// readVocabulary reads the finished vocabulary. The error is fs.ErrNotExist or a *corpus.DamagedError where it has to be made.
func (j *Job) readVocabulary(ctx context.Context, path string) (*Vocabulary, error) {
	content, err := bounded.ReadFile(filepath.Join(j.Dir, summaryName), bounded.Document)
	if err != nil {
		return nil, fmt.Errorf("job: %w", err)
	}
	var s summary
	if err := json.Unmarshal(content, &s); err != nil {
		return nil, &corpus.DamagedError{Path: filepath.Join(j.Dir, summaryName), What: err.Error()}
	}
	digest, err := checksum.File(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("job: %w", err)
	}
	if digest != s.SHA256 {
		return nil, &corpus.DamagedError{Path: path, What: "has a wrong checksum"}
	}
	words, err := corpus.ReadVocabulary(path)
	if err != nil {
		return nil, err
	}
	return &Vocabulary{words, s.Stats, digest}, nil
}

// mending does what reads files of all shards. A damaged one is made anew, and it is done again.
func (j *Job) mending(ctx context.Context, paths []string, remake func(ctx context.Context, shard int, progress func(done, total int64)) (bool, error), do func() error) error {
	return jobs.Do(do, func(damaged *corpus.DamagedError) error {
		number := slices.Index(paths, damaged.Path)
		if number < 0 {
			return damaged
		}
		j.mend(damaged)
		if err := disk.Remove(damaged.Path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("job: %w", err)
		}
		_, err := remake(ctx, number, nil)
		return err
	})
}

// Counter counts the pairs of a job's words.
type Counter struct {
	*Job
	Words    *Vocabulary
	counting *corpus.Counting
	memory   int64
}

// Counter returns what counts pairs of the job's words in about memory bytes, see corpus.NewCounting. Errors are those of Vocabulary.
func (j *Job) Counter(ctx context.Context, memory int64) (*Counter, error) {
	v, err := j.Vocabulary(ctx)
	if err != nil {
		return nil, err
	}
	counting, err := corpus.NewCounting(v.Vocabulary, j.plan.Window, j.plan.PartSize, memory)
	if err != nil {
		return nil, err
	}
	return &Counter{j, v, counting, memory}, nil
}

// Parts returns the number of parts that rows are added up in.
func (c *Counter) Parts() int { return c.counting.Parts() }

// Pairs counts the pairs of words of a shard, unless that has been done, and returns whether it had to. An error names the shard; one of too little
// memory comes before it is taken.
func (c *Counter) Pairs(ctx context.Context, shard int, progress func(done, total int64)) (made bool, err error) {
	path, key := c.path(pairsName, shard), c.key(pairsName, shard, c.Words.digest)
	_, err = corpus.OpenRun(path, key)
	if done, err := c.finished(err); done || err != nil {
		return false, err
	}
	text, err := c.text(shard)
	if err == nil {
		if err = bounded.Allocate(c.memory); err == nil {
			c.begin("pairs of " + c.Shard(shard))
			_, err = c.counting.Shard(ctx, text, key, path, progress)
		}
	}
	if err != nil {
		return false, fmt.Errorf("%s: %w", c.Shard(shard), err)
	}
	return true, nil
}

// Merge adds up a part of the counts of all shards, unless that has been done, and returns whether it had to. The error is a *NotYetError if some are
// not counted. A damaged one is counted anew.
func (c *Counter) Merge(ctx context.Context, part int, _ func(done, total int64)) (made bool, err error) {
	path, key := c.path(partsName, part), c.key(partsName, part, c.Words.digest)
	_, err = corpus.OpenRun(path, key)
	if done, err := c.finished(err); done || err != nil {
		return false, err
	}
	var paths []string
	for shard := range c.Shards() {
		paths = append(paths, c.path(pairsName, shard))
	}
	err = c.mending(ctx, paths, c.Pairs, func() error {
		runs, err := open(ctx, "pairs", paths, func(shard int) corpus.Key { return c.key(pairsName, shard, c.Words.digest) })
		if err != nil {
			return err
		}
		return c.counting.Merge(ctx, runs, part, key, path)
	})
	return err == nil, err
}

// open opens run files. The error is a *NotYetError or a *corpus.DamagedError if they are not all there.
func open(ctx context.Context, step string, paths []string, key func(number int) corpus.Key) (runs []*corpus.Run, err error) {
	var absent []string
	for i, path := range paths {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		run, err := corpus.OpenRun(path, key(i))
		if errors.Is(err, fs.ErrNotExist) {
			absent = append(absent, path)
		} else if err != nil {
			return nil, err
		}
		runs = append(runs, run)
	}
	if len(absent) > 0 {
		return nil, missing(step, absent)
	}
	return runs, nil
}

// Pairs of words that are counted together take some 3 bytes of a part each: see docs/scale.md.
const bytesPerPair = 3

// Size returns about how many counts the merged parts have. The error is a *NotYetError if some are not there.
func (c *Counter) Size(ctx context.Context) (pairs int64, err error) {
	runs, err := c.merged(ctx)
	if err != nil {
		return 0, err
	}
	for _, run := range runs {
		info, err := os.Stat(run.Path)
		if err != nil {
			return 0, fmt.Errorf("job: %w", err)
		}
		pairs += info.Size() / bytesPerPair
	}
	return pairs, nil
}

// Matrix returns the counts that the file of Counts has, from the parts themselves, on d, or in memory if that is nil. The error is a
// *NotYetError if some are not there, and a *corpus.DamagedError for one that is damaged.
func (c *Counter) Matrix(ctx context.Context, d *scratch.Disk) (*corpus.Counts, error) {
	runs, err := c.merged(ctx)
	if err != nil {
		return nil, err
	}
	return c.counting.Counts(ctx, runs, d)
}

// merged opens the parts.
func (c *Counter) merged(ctx context.Context) ([]*corpus.Run, error) {
	return open(ctx, "merge", c.parts(), func(part int) corpus.Key { return c.key(partsName, part, c.Words.digest) })
}

func (c *Counter) parts() (paths []string) {
	for part := range c.Parts() {
		paths = append(paths, c.path(partsName, part))
	}
	return paths
}

// Kind is that of the folder that Counts makes.
var Kind = atomicfile.Kind{Name: "counts", Files: []string{vocabularyName, matrixName}}

// joined says what the folder counts has, once it is finished.
type joined struct {
	Key   corpus.Key `json:"key"`
	Bytes int64      `json:"bytes"`
}

// Counts joins the parts in the folder counts of the job, unless that has been done: the vocabulary and the counts as GloVe's tools write them. It returns the
// folder and the bytes of the counts. The error is a *NotYetError if some parts are not there. A damaged one is made anew.
func (c *Counter) Counts(ctx context.Context, progress func(done, total int64)) (dir string, size int64, err error) {
	dir = filepath.Join(c.Dir, countsName)
	matrix, mark := filepath.Join(dir, matrixName), filepath.Join(c.Dir, joinedName)
	key := c.key(countsName, 0, c.Words.digest)
	var there joined
	if content, err := bounded.ReadFile(mark, bounded.Document); err == nil && json.Unmarshal(content, &there) == nil && there.Key == key {
		if info, err := os.Stat(matrix); err == nil && info.Size() == there.Bytes {
			return dir, there.Bytes, nil
		}
	}
	err = c.mending(ctx, c.parts(), c.Merge, func() error {
		runs, err := c.merged(ctx)
		if err != nil {
			return err
		}
		return atomicfile.Replace(dir, Kind, func(made string) error {
			if err := c.Words.Write(filepath.Join(made, vocabularyName)); err != nil {
				return err
			}
			return c.counting.Write(ctx, runs, filepath.Join(made, matrixName), progress)
		})
	})
	if err != nil {
		return dir, 0, err
	}
	info, err := os.Stat(matrix)
	if err != nil {
		return dir, 0, fmt.Errorf("job: %w", err)
	}
	content, err := json.Marshal(joined{key, info.Size()})
	if err == nil {
		err = atomicfile.WriteBytes(mark, content)
	}
	if err != nil {
		return dir, 0, fmt.Errorf("job: %w", err)
	}
	return dir, info.Size(), nil
}
