package profile

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"contextmover/cmdlib/corpus"
	"contextmover/experiments/harness/dataset"
	"contextmover/experiments/harness/method"
	"contextmover/experiments/harness/prepare"
)

// checker collects the first thing that is wrong.
type checker struct {
	p       *Profile
	words   int                 // of the vocabulary; math.MaxInt before it is known
	names   map[string][]string // of the entries of lists, by the keys of these
	err     error               // about the profile itself
	tooMany error               // about a number that the vocabulary is too small for
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

func (c *checker) atMostWords(key string, value int) {
	if value > c.words && c.tooMany == nil {
		c.tooMany = c.p.Errorf(key, "%d, expected at most %d, as many as the vocabulary has words", value, c.words)
	}
}

// forms are what texts with the tag form look like.
var forms = map[string]struct {
	*regexp.Regexp
	name string
}{
	"stem": {
		regexp.MustCompile(`^[\pL\pN][\pL\pM\pN_-]{0,63}$`),
		"a name for files and folders: up to 64 letters, digits, - and _, a letter or digit first",
	},
	"id":     {regexp.MustCompile(`^[a-zA-Z0-9_-]+$`), "an id of letters, digits, - and _"},
	"colour": {regexp.MustCompile(`^#[0-9a-fA-F]{6}$`), "a colour such as #1f77b4"},
}

func (c *checker) form(key, form, value string) {
	if f := forms[form]; !f.MatchString(value) {
		c.fail(key, "%q, expected %s", value, f.name)
	}
}

// walk checks a table, an entry of the list if there is one, by the tags of method.Field, and these:
//
//	need     what is missing where there is nothing
//	unique   "y" for names that are given, and that entries of the list do not share, or those of some lists
//	form     what a text looks like, one of forms
//	row      "y" for ids of rows of sentence similarity whose settings are given, "histograms" for such of histograms
//	without  a setting without which a table is left out
func (c *checker) walk(key, list string, table any) {
	for _, f := range method.Fields(table) {
		at, value := join(key, f.Name), f.In(table)
		if missing := f.Tag.Get("need"); missing != "" && empty(value) {
			c.fail(at, "%s", missing)
		}
		switch among := f.Tag.Get("unique"); among {
		case "":
		case "y":
			c.name(at, value.String(), list)
		default:
			c.name(at, value.String(), among)
		}
		if value.Kind() != reflect.Slice {
			c.entry(at, "", f, value)
			continue
		}
		for i := range value.Len() {
			c.entry(fmt.Sprintf("%s[%d]", at, i), at, f, value.Index(i))
		}
	}
}

// entry checks what a table has, or an entry of a list of it.
func (c *checker) entry(key, list string, f method.Field, value reflect.Value) {
	if form := f.Tag.Get("form"); form != "" {
		c.form(key, form, value.String())
	}
	if value.Kind() != reflect.Struct {
		c.setting(key, f, value)
		return
	}
	without := f.Tag.Get("without")
	for _, g := range method.Fields(value.Interface()) {
		if g.Name == without && empty(g.In(value.Interface())) {
			return
		}
	}
	c.walk(key, list, value.Interface())
}

func empty(v reflect.Value) bool { return v.IsZero() || v.Kind() == reflect.Slice && v.Len() == 0 }

// check looks at all values.
func (c *checker) check() {
	p := c.p
	c.names = map[string][]string{}
	c.walk("", "", p)
	c.corpus(p.Corpus)
	if of := p.onText(); p.Corpus.Kind == KindNone && of != "" {
		c.fail("corpus.kind", "%q, but there are %s, which are made of a text", KindNone, of)
	}
	c.atMostWords("vectors.dim", p.Vectors.Dim)
	c.params("glove", p.GloVe)
	c.params("sent2vec", p.Sent2vec)
	c.sts(p.STS)
	c.wordSimilarity(p.WordSim)
	c.hypernymy(p.Hypernymy)
	c.scaling(p.Scaling, p.Corpus)
	c.geometry(p.Geometry)
	c.documents(p.Documents)
	c.qualitative(p.Qualitative, p.STS)
	c.alignment(p.Alignment)
	c.space(p.Space)
	for _, g := range p.grids() {
		for _, f := range g.fields {
			if !f.AtMostWords {
				continue
			}
			for i, v := range g.values[f.Name] {
				c.atMostWords(fmt.Sprintf("%s.%s[%d]", g.key, f.Name, i), v.(int))
			}
		}
	}
}

func (c *checker) corpus(s Corpus) {
	switch s.Kind {
	case KindMiniWorld:
		if s.Tokens < 1 {
			c.fail("corpus.tokens", "%d, expected 1 or more", s.Tokens)
		}
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
	for g, group := range s.Groups {
		key := fmt.Sprintf("sts.groups[%d]", g)
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
		c.form(key+".table", "stem", group.Table)
	}
	c.apart(s.Groups)
	if validation > 1 {
		c.fail("sts.groups", "%d groups have validation = true, expected at most one", validation)
	}
	if s.UsesList() && s.Frequencies == "" {
		c.fail("sts.frequencies", "no file, but a row, or a setting that is tried, has weights %q, which go by a list "+
			"of frequencies", SIFList)
	}
	for i, b := range s.Blocks {
		if b.Select && validation == 0 {
			c.fail(fmt.Sprintf("sts.blocks[%d].select", i), "true, but no group has validation = true")
		}
		for _, row := range s.Rows {
			if row.Block == b.ID {
				c.row("sts.rows."+strings.TrimPrefix(row.ID, b.Prefix), row)
			}
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
func (c *checker) name(key, name, list string) {
	switch {
	case name == "":
		c.fail(key, "no name")
	case slices.Contains(c.names[list], name):
		c.fail(key, "%q stands twice", name)
	}
	c.names[list] = append(c.names[list], name)
}
