package profile

import (
	"reflect"
	"slices"

	"contextmover/experiments/harness/method"
)

// Row is a row of the tables: a method, and what it is called there.
type Row struct {
	ID, Label, Block string
	Select           bool // choose the settings on the validation group
	// The paper's rows that this one reproduces, as keys of package published: in
	// Table 1 and in the tables of the groups. Empty: the paper has none.
	PublishedSummary, PublishedDetail string

	Method method.Method
}

// Histograms returns the settings of a method that compares histograms; zero for others.
func (r Row) Histograms() method.Histograms {
	h, _ := method.GroupOf[method.Histograms](r.Method)
	return h
}

// HasHistograms tells whether the method compares histograms.
func (r Row) HasHistograms() bool { return r.Method.Needs().Histograms }

// Vectors is the kind of the method's word vectors, or its file of them; "" without.
func (r Row) Vectors() string {
	if v := r.Method.Needs().Vectors; len(v) > 0 {
		return v[0]
	}
	return ""
}

// Weighting returns the weights of words; zero for a method without.
func (r Row) Weighting() method.Weighting {
	w, _ := method.GroupOf[method.Weighting](r.Method)
	return w
}

// Removal returns which components are removed; zero for a method without.
func (r Row) Removal() method.Removal {
	removal, _ := method.GroupOf[method.Removal](r.Method)
	return removal
}

// With returns the row with another value of a setting that its method has.
func (r Row) With(name string, value any) Row {
	r.Method = method.Set(r.Method, name, value)
	return r
}

// Kind is the id of the method's kind.
func (r Row) Kind() string { return method.KindOf(r.Method).ID }

// Is tells whether the method is of the kind with this id, without a mix, and removes the principal component or not.
func (r Row) Is(kind string, removePC bool) bool {
	return r.Kind() == kind && r.Histograms().Mix == 0 && r.Removal().RemovePC == removePC
}

// Resembles tells whether two methods are of one kind, and both
// have a mix, and both remove the principal component, or neither.
func (r Row) Resembles(o Row) bool {
	return r.Kind() == o.Kind() && (r.Histograms().Mix > 0) == (o.Histograms().Mix > 0) &&
		r.Removal().RemovePC == o.Removal().RemovePC
}

// As returns the row with a method of another kind that has the same settings, as far as it has them.
func (r Row) As(kind string) Row {
	m, ok := method.ByID(kind)
	if !ok {
		panic("profile: no method " + kind)
	}
	settings := method.Settings{}
	for _, f := range method.Fields(r.Method) {
		settings[f.Name] = f.In(r.Method).Interface()
	}
	r.Method = settings.On(m)
	return r
}

// Grids are what is tried for rows. All methods that compare histograms have the same, so that none has more to
// choose from; so have all that compare averages of vectors.
type Grids struct {
	Transport method.Grid `toml:"transport"`
	Vectors   method.Grid `toml:"vectors"` // of methods without histograms
}

// For returns the grid of a row.
func (g Grids) For(row Row) method.Grid {
	if row.HasHistograms() {
		return g.Transport
	}
	return g.Vectors
}

// Candidates returns the settings that are tried for a row with select = true: its own, then
// those of its grid that differ.
func (p *Profile) Candidates(row Row) []Row {
	all := []Row{row}
	for _, r := range p.Settings(p.STS.Select.For(row), row) {
		if !slices.Contains(all, r) {
			all = append(all, r)
		}
	}
	return all
}

// Settings returns the row with each combination of a grid (see method.Grid) without those that scaling vectors
// to length 1 does not change, because the profile's have it already.
func (p *Profile) Settings(grid method.Grid, row Row) []Row {
	if v := row.Vectors(); v == SVD && p.Vectors.Normalise || v == GloVe && p.GloVe.Normalise {
		grid = grid.Without("unit")
	}
	return rowsOf(grid, row)
}

func rowsOf(grid method.Grid, row Row) (rows []Row) {
	for _, m := range grid.Vary(row.Method) {
		row.Method = m
		rows = append(rows, row)
	}
	return rows
}

// isAverage tells whether the method averages the vectors of a text's words.
func (r Row) isAverage() bool {
	_, ok := method.GroupOf[method.Averaged](r.Method)
	return ok
}

// UsesList tells whether the row needs the list of frequencies.
func (r Row) UsesList() bool { return slices.Contains(r.Method.Needs().Marginals, method.OfList) }

// UsesList tells whether a row, or a setting that is tried, needs the list of frequencies.
func (s STS) UsesList() bool {
	for _, g := range []method.Grid{s.Select.Transport, s.Select.Vectors, s.Tune.Transport, s.Tune.Vectors} {
		if slices.Contains(g["weights"], any(SIFList)) {
			return true
		}
	}
	return slices.ContainsFunc(s.Rows, Row.UsesList)
}

// row checks a row.
func (c *checker) row(key string, r Row) {
	if r.Label == "" {
		c.fail(key+".label", "no label")
	}
	c.atMost(key+".method", r.Method, c.p.STS.Defaults)
	choosable := slices.ContainsFunc(method.Fields(r.Method), func(f method.Field) bool {
		return f.Grid && method.Varies(r.Method, f.Name)
	})
	if r.Select && !choosable {
		c.fail(key, "is in a block with select = true, but the method %q has no settings to choose", r.Kind())
	}
}

func (c *checker) setting(key string, f method.Field, value reflect.Value) {
	if problem := f.Check(value.Interface()); problem != "" {
		c.fail(key, "%s", problem)
	}
	if rows := f.Tag.Get("row"); rows != "" {
		c.rowOf(key, value.String(), rows == "histograms")
	}
	if f.AtMostWords {
		c.atMostWords(key, int(value.Int()))
	}
}

// atMost checks the settings of a method, whose text has the given key, that the number of words bounds.
func (c *checker) atMost(key string, m method.Method, usual method.Settings) {
	for _, f := range method.Fields(m) {
		if !f.AtMostWords {
			continue
		}
		n := f.In(m).Interface()
		if n == usual[f.Name] {
			key = "sts.defaults." + f.Name
		}
		c.atMostWords(key, n.(int))
	}
}
