package profile

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"contextmover/cmdlib/corpus"
	"contextmover/experiments/harness/dataset"
	"contextmover/experiments/harness/method"
	"contextmover/experiments/harness/prepare"
)

const idLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"

// checker collects the first thing that is wrong.
type checker struct {
	p       *Profile
	words   int   // of the vocabulary; math.MaxInt before it is known
	err     error // about the profile itself
	tooMany error // about a number that the vocabulary is too small for
}

func (c *checker) fail(key, format string, args ...any) {
	if c.err == nil {
		c.err = c.p.Errorf(key, format, args...)
	}
}

func (c *checker) oneOf(key, value string, known []string) {
	if !slices.Contains(known, value) {
		c.fail(key, "%q, expected one of %s", value, `"`+strings.Join(known, `", "`)+`"`)
	}
}

// between checks low ≤ value ≤ high.
func (c *checker) between(key string, value, low, high float64) {
	if value < low || value > high {
		c.fail(key, "%v, expected %v to %v", value, low, high)
	}
}

func (c *checker) atLeast(key string, value, low int) {
	if value < low {
		c.fail(key, "%d, expected %d or more", value, low)
	}
}

func (c *checker) atMostWords(key string, value int) {
	if value > c.words && c.tooMany == nil {
		c.tooMany = c.p.Errorf(key, "%d, expected at most %d, as many as the vocabulary has words", value, c.words)
	}
}

// validStem is what files and folders can be called everywhere.
var validStem = regexp.MustCompile(`^[\pL\pN][\pL\pM\pN_-]{0,63}$`)

// stem checks the name of a file or a folder.
func (c *checker) stem(key, value string) {
	if !validStem.MatchString(value) {
		c.fail(key, "%q, expected a name for files and folders: up to 64 letters, digits, - and _, a letter or "+
			"digit first", value)
	}
}

// check looks at all values.
func (c *checker) check() {
	p := c.p
	c.stem("name", p.Name)
	c.group("seeds", p.Seeds)
	c.corpus(p.Corpus)
	if of := p.onText(); p.Corpus.Kind == KindNone && of != "" {
		c.fail("corpus.kind", "%q, but there are %s, which are made of a text", KindNone, of)
	}
	c.group("vectors", p.Vectors)
	c.atMostWords("vectors.dim", p.Vectors.Dim)
	c.params("glove", p.GloVe)
	c.params("sent2vec", p.Sent2vec)
	c.sts(p.STS)
	c.wordSimilarity(p.WordSim)
	c.hypernymy(p.Hypernymy)
	c.figures(p.Figures, p.STS.Rows)
	c.clusters(p.Clusters, p.STS.Rows)
	c.scaling(p.Scaling, p.Corpus, p.STS.Rows)
	c.geometry(p.Geometry, p.STS.Rows)
	c.documents(p.Documents)
	c.qualitative(p.Qualitative, p.STS)
	c.alignment(p.Alignment)
	c.space(p.Space)
	for _, g := range p.grids() {
		for _, f := range g.fields {
			each(g.key+"."+f.Name, g.values[f.Name], func(key string, v any) {
				if f.AtMostWords {
					c.atMostWords(key, v.(int))
				}
			})
		}
	}
}

func (c *checker) corpus(s Corpus) {
	c.group("corpus", s)
	switch s.Kind {
	case KindMiniWorld:
		c.atLeast("corpus.tokens", s.Tokens, 1)
		if s.MinCount > int64(s.Tokens) {
			c.fail("corpus.min_count", "%d, expected at most %d, the number of tokens: no word can occur more "+
				"often", s.MinCount, s.Tokens)
		}
	case KindPrepared:
		if s.Books == "" && s.Wikipedia == "" {
			c.fail("corpus.kind", "%q, but neither corpus.books nor corpus.wikipedia names what is prepared", s.Kind)
		}
		c.between("corpus.shards", float64(s.Shards), 1, prepare.MaxShards)
		if s.Taken < 1 || s.Taken > s.Shards {
			c.fail("corpus.taken", "%d, expected 1 to %d, the number of shards", s.Taken, s.Shards)
		}
		if !s.Tokenised {
			c.fail("corpus.tokenised", "false, but what is prepared is tokenised already: expected true")
		}
	case KindFiles, KindAuthors:
		if len(s.Files) == 0 {
			c.fail("corpus.files", "no files, expected at least one")
		}
	}
	c.between("corpus.window", float64(s.Window), 1, corpus.MaxWindow)
}

// params checks settings by their own Validate.
func (c *checker) params(key string, settings interface{ Validate() error }) {
	var e *method.SettingError
	if err := settings.Validate(); errors.As(err, &e) {
		c.fail(join(key, e.Name), "%s", e.Problem)
	} else if err != nil {
		c.fail(key, "%v", err)
	}
}

func (c *checker) sts(s STS) {
	validation := 0
	var names []string
	for g, group := range s.Groups {
		key := fmt.Sprintf("sts.groups[%d]", g)
		c.name(key+".name", group.Name, &names)
		if group.Validation {
			validation++
			if group.Published != "" && group.Published != validationColumn {
				c.fail(key+".validation", "true, but the paper tests on %s (its column %s): nothing is chosen on "+
					"a test set; the paper's validation column is %s", group.Name, group.Published, validationColumn)
			}
		}
		if len(group.Sets) == 0 {
			c.fail(key+".sets", "no sets of sentence pairs in the group %s%s", group.Name,
				undeclared("sts.groups", group.Name))
		}
		c.stem(key+".table", group.Table)
		var sets []string
		for i, set := range group.Sets {
			k := fmt.Sprintf("%s.sets[%d]", key, i)
			c.name(k+".name", set.Name, &sets)
			if set.File == "" {
				c.fail(k+".file", "no file for the set %s", set.Name)
			}
		}
	}
	c.apart(s.Groups)
	if validation > 1 {
		c.fail("sts.groups", "%d groups have validation = true, expected at most one", validation)
	}
	var blocks []string
	for i, block := range s.Blocks {
		c.name(fmt.Sprintf("sts.blocks[%d].id", i), block.ID, &blocks)
	}
	if s.UsesList() && s.Frequencies == "" && !slices.ContainsFunc(s.Rows, Row.UsesList) {
		c.fail("sts.frequencies", "no file, but [sts.select] or [sts.tune] tries weights %q, which go by a list "+
			"of frequencies", SIFList)
	}
	for i, b := range s.Blocks {
		if b.Select && validation == 0 {
			c.fail(fmt.Sprintf("sts.blocks[%d].select", i), "true, but no group has validation = true")
		}
	}
	prefixes := map[string]string{}
	for _, b := range s.Blocks {
		prefixes[b.ID] = b.Prefix
	}
	for _, row := range s.Rows {
		c.row("sts.rows."+strings.TrimPrefix(row.ID, prefixes[row.Block]), row)
		if row.UsesList() && s.Frequencies == "" {
			c.fail("sts.frequencies", "no file, but the row %s has weights %q, which go by a list of frequencies",
				row.ID, SIFList)
		}
	}
}

// undeclared says that a list of data sets has no declaration of this name.
func undeclared(list, name string) string {
	return ", and no declaration of it; nearest: " + nearest(name, dataset.DeclaredNames(list))
}

// validationColumn is the column of the paper's Table 1 whose sets it chose settings on.
const validationColumn = "STS16_val"

// apart checks that no file is both chosen and tested on.
func (c *checker) apart(groups []Group) {
	validation := map[string]string{} // the groups of files
	for _, g := range groups {
		for _, set := range g.Sets {
			if g.Validation {
				validation[set.File] = g.Name
			}
		}
	}
	for g, group := range groups {
		for i, set := range group.Sets {
			if chosen, ok := validation[set.File]; ok && !group.Validation {
				c.fail(fmt.Sprintf("sts.groups[%d].sets[%d].file", g, i), "%q is also in the group %s, on which "+
					"settings are chosen: nothing is chosen on a test set", set.File, chosen)
			}
		}
	}
}

// name checks that a name is given and new.
func (c *checker) name(key, name string, names *[]string) {
	switch {
	case name == "":
		c.fail(key, "no name")
	case slices.Contains(*names, name):
		c.fail(key, "%q stands twice", name)
	}
	*names = append(*names, name)
}

func each[T any](key string, values []T, check func(key string, value T)) {
	for i, v := range values {
		check(fmt.Sprintf("%s[%d]", key, i), v)
	}
}
