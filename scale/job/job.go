// Package job counts a text in shards. Each step runs in any number of processes on machines that share a folder,
// such as a cluster's array jobs.
//
// The steps are Words for each shard, Vocabulary, Pairs for each shard, Merge for each part of the rows, Counts. Each
// makes one file of the job's folder, which is there whole or not at all, and has the key of all that it was made from,
// or a stamp with that key beside it. A file that is there is not made again, so a step that was killed can be repeated
// and goes on. The counts are those of corpus.Count, to the last bit.
package job

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"contextmover/cmdlib/corpus"
	"contextmover/internal/atomicfile"
	"contextmover/internal/bounded"
	"contextmover/internal/checkpoint"
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
	SplitDots bool          `json:"split_dots"`
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
	// Begin is told what is being counted, and Mend what is damaged
	// and is made again. A job that was just opened tells nobody.
	Begin func(what string)
	Mend  func(*corpus.DamagedError)

	plan   plan
	digest corpus.Key // of job.json
}

// New cuts a text into shards, and writes the plan to the folder dir, which it makes. A folder that has the same
// plan is left as it is; with another one it is an error. Errors of the text are those of corpus.Text.Shards.
func New(dir string, text corpus.Text, p Params) (*Job, error) {
	shards, err := text.Shards(p.ShardSize)
	if err != nil {
		return nil, err
	}
	made := plan{
		Format: format, Tokenised: text.Tokenised, SplitDots: text.SplitDots, Layout: text.Layout,
		MinCount: p.MinCount, Window: p.Window, PartSize: p.PartSize,
	}
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
	if err := checkpoint.WritePlan(dir, planName, made, wordsName, pairsName, partsName); err != nil {
		return nil, fmt.Errorf("job: %w", err)
	}
	return Open(dir)
}

// Open returns the job in a folder, and removes what killed processes
// left there. The error is fs.ErrNotExist where there is none.
func Open(dir string) (*Job, error) {
	j := &Job{Dir: dir, Begin: func(string) {}, Mend: func(*corpus.DamagedError) {}}
	var err error
	j.digest, err = checkpoint.ReadPlan(dir, planName, &j.plan, j.plan.validate, wordsName, pairsName, partsName)
	if err != nil {
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
			if piece.File < 0 || piece.File >= len(p.Files) || piece.From < 0 || piece.To < 0 || piece.To != 0 &&
				piece.To <= piece.From {
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

// pieces returns what a shard has, with the checksums that its texts had when words were counted, if these are given.
func (j *Job) pieces(shard int, texts []uint64) (s corpus.Shard) {
	for i, p := range j.plan.Shards[shard] {
		piece := corpus.Piece{Path: j.plan.Files[p.File].Path, From: p.From, To: p.To}
		if texts != nil {
			piece.Sum = texts[i]
		}
		s = append(s, piece)
	}
	return s
}

// text returns what a shard has, if its files are as they were.
func (j *Job) text(shard int, texts []uint64) (corpus.Text, error) {
	t := corpus.Text{Tokenised: j.plan.Tokenised, SplitDots: j.plan.SplitDots, Layout: j.plan.Layout}
	for _, p := range j.plan.Shards[shard] {
		f := j.plan.Files[p.File]
		info, err := os.Stat(f.Path)
		if err != nil {
			return t, err
		}
		if info.Size() != f.Bytes {
			return t, fmt.Errorf("%s has %d bytes, and had %d when it was cut into shards; start the job from scratch",
				f.Path, info.Size(), f.Bytes)
		}
	}
	return t.Shard(j.pieces(shard, texts)), nil
}

// unchanged returns an error if a text of a shard is not what the
// file at path was made of, where it was changed since then.
func (j *Job) unchanged(ctx context.Context, path string, shard int, texts []uint64) error {
	made, err := os.Stat(path)
	if err != nil {
		return err
	}
	for _, piece := range j.pieces(shard, texts) {
		if err := piece.Unchanged(ctx, made.ModTime()); err != nil {
			return j.named(shard, err)
		}
	}
	return nil
}

// key is that of a file of the job: the plan, what the file is, and what else it was made from.
func (j *Job) key(what string, number int, from string) corpus.Key {
	return checkpoint.KeyOf("%x %s %d %s", j.digest, what, number, from)
}

func (j *Job) path(folder string, number int) string {
	return filepath.Join(j.Dir, folder, fmt.Sprintf("%05d", number))
}

func (j *Job) paths(folder string, n int) (paths []string) {
	for number := range n {
		paths = append(paths, j.path(folder, number))
	}
	return paths
}

// Words counts the words of a shard, unless that has been done,
// and returns whether it had to. An error names the shard.
func (j *Job) Words(ctx context.Context, shard int, progress func(done, total int64)) (made bool, err error) {
	place := j.words(shard)
	return checkpoint.Step[checkpoint.Stamp[tally]]{
		Tell: j.Mend,
		Open: func(ctx context.Context) (stamp checkpoint.Stamp[tally], err error) {
			if stamp, err = place.Open(ctx); err != nil {
				return stamp, err
			}
			if len(stamp.Result.Texts) != len(j.plan.Shards[shard]) {
				return stamp, &corpus.DamagedError{Path: place.Stamp, What: "was made of something else"}
			}
			return stamp, j.unchanged(ctx, j.path(wordsName, shard), shard, stamp.Result.Texts)
		},
		Make: func(ctx context.Context) (stamp checkpoint.Stamp[tally], err error) {
			text, err := j.text(shard, nil)
			if err != nil {
				return stamp, j.named(shard, err)
			}
			j.Begin("words of " + j.Shard(shard))
			var made tally
			path := j.path(wordsName, shard)
			if made.Stats, made.Texts, err = corpus.CountWords(ctx, text, path, progress); err == nil {
				stamp, err = place.Write(ctx, made, filepath.Base(path))
			}
			return stamp, j.named(shard, err)
		},
	}.Do(ctx)
}

// tally is what is known of the words of a shard besides: what was read, and the checksums of its texts.
type tally struct {
	Stats corpus.Stats `json:"stats"`
	Texts []uint64     `json:"texts"`
}

// words is where the words of a shard are.
func (j *Job) words(shard int) checkpoint.Place[tally] {
	path := j.path(wordsName, shard)
	return checkpoint.Place[tally]{Stamp: path + ".json", Dir: filepath.Dir(path), Key: j.key(wordsName, shard, "")}
}

// named is an error with the name of a shard.
func (j *Job) named(shard int, err error) error {
	if err != nil {
		return fmt.Errorf("%s: %w", j.Shard(shard), err)
	}
	return nil
}

// NotYetError is the error of a step that needs what other steps, words, pairs or merge, have not made yet.
type NotYetError = checkpoint.NotYetError

// remake returns what makes a damaged one of the paths again.
func (j *Job) remake(paths []string, make checkpoint.ByNumber) func(context.Context, *checkpoint.DamagedError) error {
	return func(ctx context.Context, damaged *checkpoint.DamagedError) error {
		number := slices.Index(paths, damaged.Path)
		if number < 0 {
			return damaged
		}
		j.Mend(damaged)
		if err := disk.Remove(damaged.Path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("job: %w", err)
		}
		_, err := make(ctx, number, nil)
		return err
	}
}

// Vocabulary is that of a job.
type Vocabulary struct {
	*corpus.Vocabulary
	Stats corpus.Stats

	texts  [][]uint64 // of each shard, the checksums of what was read
	digest string
}

// counted is what the stamp of a vocabulary says of it.
type counted struct {
	Stats corpus.Stats `json:"stats"`
	Texts [][]uint64   `json:"texts"`
}

func vocabularyOf(words *corpus.Vocabulary, stamp checkpoint.Stamp[counted]) *Vocabulary {
	made := stamp.Result
	digest := checkpoint.KeyOf("%s %d", stamp.Files[vocabularyName].SHA256, made.Texts)
	return &Vocabulary{words, made.Stats, made.Texts, fmt.Sprintf("%x", digest)}
}

// Vocabulary returns the job's vocabulary, which it makes of the words of all shards where it is not there.
// The error is a *NotYetError if those of some are not counted. A damaged count of words is made again.
func (j *Job) Vocabulary(ctx context.Context) (*Vocabulary, error) {
	path, paths := filepath.Join(j.Dir, vocabularyName), j.paths(wordsName, j.Shards())
	place := checkpoint.Place[counted]{
		Stamp: filepath.Join(j.Dir, summaryName), Dir: j.Dir, Key: j.key("vocabulary", 0, ""),
	}
	v, _, err := checkpoint.Step[*Vocabulary]{
		Tell: j.Mend, Remake: func(ctx context.Context, damaged *corpus.DamagedError) error {
			// Words tells what is damaged, and makes it again.
			shard := slices.Index(paths, strings.TrimSuffix(damaged.Path, filepath.Ext(damaged.Path)))
			if shard < 0 {
				return damaged
			}
			_, err := j.Words(ctx, shard, nil)
			return err
		},
		Open: func(ctx context.Context) (*Vocabulary, error) {
			stamp, err := place.Open(ctx)
			if err != nil {
				return nil, err
			}
			of := func(texts []uint64, shard []planPiece) bool { return len(texts) == len(shard) }
			if !slices.EqualFunc(stamp.Result.Texts, j.plan.Shards, of) {
				return nil, &corpus.DamagedError{Path: place.Stamp, What: "was made of something else"}
			}
			words, err := corpus.ReadVocabulary(path)
			return vocabularyOf(words, stamp), err
		},
		Make: func(ctx context.Context) (*Vocabulary, error) {
			var made counted
			var stamps []string
			for shard := range paths {
				stamps = append(stamps, j.words(shard).Stamp)
			}
			if err := checkpoint.Need("words", stamps); err != nil {
				return nil, err
			}
			for shard := range paths {
				stamp, err := j.words(shard).Open(ctx)
				if err != nil {
					return nil, err
				}
				read := stamp.Result.Stats
				made.Stats.Lines += read.Lines
				made.Stats.Tokens += read.Tokens
				made.Stats.Invalid += read.Invalid
				made.Texts = append(made.Texts, stamp.Result.Texts)
			}
			words, err := corpus.MergeWords(ctx, paths, j.plan.MinCount)
			if err == nil {
				err = words.Write(path)
			}
			if err != nil {
				return nil, err
			}
			for _, count := range words.Counts {
				made.Stats.Known += count
			}
			stamp, err := place.Write(ctx, made, vocabularyName)
			return vocabularyOf(words, stamp), err
		},
	}.Get(ctx)
	return v, err
}

// Counter counts the pairs of a job's words.
type Counter struct {
	*Job
	Words    *Vocabulary
	counting *corpus.Counting
	memory   int64
}

// Counter returns what counts pairs of the job's words in about memory
// bytes, see corpus.NewCounting. Errors are those of Vocabulary.
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

// run is the step of a run file.
func (c *Counter) run(
	folder string, number int, make func(ctx context.Context, key corpus.Key, path string) error,
) checkpoint.Step[*corpus.Run] {
	path, key := c.path(folder, number), c.key(folder, number, c.Words.digest)
	return checkpoint.Step[*corpus.Run]{
		Tell: c.Mend,
		Open: func(context.Context) (*corpus.Run, error) { return corpus.OpenRun(path, key) },
		Make: func(ctx context.Context) (*corpus.Run, error) { return nil, make(ctx, key, path) },
	}
}

// Pairs counts the pairs of words of a shard, unless that has been done, and returns whether
// it had to. An error names the shard; one of too little memory comes before it is taken.
func (c *Counter) Pairs(ctx context.Context, shard int, progress func(done, total int64)) (made bool, err error) {
	texts := c.Words.texts[shard]
	step := c.run(pairsName, shard, func(ctx context.Context, key corpus.Key, path string) error {
		text, err := c.text(shard, texts)
		if err == nil {
			err = bounded.Allocate(c.memory)
		}
		if err == nil {
			c.Begin("pairs of " + c.Shard(shard))
			_, err = c.counting.Shard(ctx, text, key, path, progress)
		}
		return c.named(shard, err)
	})
	open := step.Open
	step.Open = func(ctx context.Context) (*corpus.Run, error) {
		run, err := open(ctx)
		if err == nil {
			err = c.unchanged(ctx, run.Path, shard, texts)
		}
		return run, err
	}
	return step.Do(ctx)
}

// Merge adds up a part of the counts of all shards, unless that has been done, and returns whether
// it had to. The error is a *NotYetError if some are not counted. A damaged one is counted again.
func (c *Counter) Merge(ctx context.Context, part int, _ func(done, total int64)) (made bool, err error) {
	step := c.run(partsName, part, func(ctx context.Context, key corpus.Key, path string) error {
		runs, err := c.runs(ctx, "pairs", pairsName, c.Shards())
		if err != nil {
			return err
		}
		return c.counting.Merge(ctx, runs, part, key, path)
	})
	step.Remake = c.remake(c.paths(pairsName, c.Shards()), c.Pairs)
	return step.Do(ctx)
}

// runs opens the n run files of a folder, which the named step makes. The
// error is a *NotYetError or a *corpus.DamagedError if they are not all there.
func (c *Counter) runs(ctx context.Context, step, folder string, n int) (runs []*corpus.Run, err error) {
	paths := c.paths(folder, n)
	if err := checkpoint.Need(step, paths); err != nil {
		return nil, err
	}
	for number, path := range paths {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		run, err := corpus.OpenRun(path, c.key(folder, number, c.Words.digest))
		if err != nil {
			return nil, err
		}
		runs = append(runs, run)
	}
	return runs, nil
}

// merged opens the parts.
func (c *Counter) merged(ctx context.Context) ([]*corpus.Run, error) {
	return c.runs(ctx, "merge", partsName, c.Parts())
}

// Kind is that of the folder that Counts makes.
var Kind = atomicfile.Kind{Name: "counts", Files: []string{vocabularyName, matrixName}}

// Counts joins the parts in the folder counts of the job, unless that has been done: the vocabulary and the
// counts as GloVe's tools write them. It returns the folder and the bytes of the counts. The error is a
// *NotYetError if some parts are not there. A damaged one is made again, and so are counts that are damaged.
func (c *Counter) Counts(ctx context.Context, progress func(done, total int64)) (dir string, size int64, err error) {
	dir = filepath.Join(c.Dir, countsName)
	place := checkpoint.Place[struct{}]{
		Stamp: filepath.Join(c.Dir, joinedName), Dir: dir, Key: c.key(countsName, 0, c.Words.digest),
	}
	stamp, _, err := checkpoint.Step[checkpoint.Stamp[struct{}]]{
		Tell: c.Mend, Remake: c.remake(c.paths(partsName, c.Parts()), c.Merge),
		Open: place.Open,
		Make: func(ctx context.Context) (stamp checkpoint.Stamp[struct{}], err error) {
			runs, err := c.merged(ctx)
			if err != nil {
				return stamp, err
			}
			err = atomicfile.Replace(dir, Kind, func(made string) error {
				if err := c.Words.Write(filepath.Join(made, vocabularyName)); err != nil {
					return err
				}
				return c.counting.Write(ctx, runs, filepath.Join(made, matrixName), progress)
			})
			if err != nil {
				return stamp, err
			}
			return place.Write(ctx, struct{}{}, Kind.Files...)
		},
	}.Get(ctx)
	return dir, stamp.Files[matrixName].Bytes, err
}
