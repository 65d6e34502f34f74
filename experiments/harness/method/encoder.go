package method

import (
	"context"

	"contextmover/cmdlib/sentence"
)

// Encoder has scores that another program made: of pairs, or the cosine of vectors of texts. It has nothing to search.
type Encoder struct {
	// File has the vectors (FILE.npy, with the texts in FILE.txt) or the scores of pairs.
	File string `toml:"file" help:"file of vectors of sentences, or of scores"`
}

// Validate implements Method.
func (m Encoder) Validate() error {
	if m.File == "" {
		return wrong("file", `no file, which the method "encoder" reads: vectors of sentences `+
			"(FILE.npy, with the sentences in FILE.txt) or scores of pairs")
	}
	return nil
}

// Needs implements Method.
func (m Encoder) Needs() Needs { return Needs{Files: []string{m.File}} }

func (m Encoder) counts(name string) bool { return name == "file" }

// scorer scores by the file. A text that it lacks is an error.
func (m Encoder) scorer(ctx context.Context, s Source, pairs []Pair) (Scorer, error) {
	file, err := s.File(ctx, m.File)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (scores sentence.Scores, err error) {
		for _, p := range pairs {
			value, err := file.Score(p.A, p.B)
			if err != nil {
				return sentence.Scores{}, err
			}
			scores.Value, scores.Covered = append(scores.Value, value), append(scores.Covered, true)
		}
		return scores, ctx.Err()
	}, nil
}
