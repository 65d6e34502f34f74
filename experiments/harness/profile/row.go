package profile

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"contextmover/cmdlib/method"
)

// Row is a row of the tables: a method, and what it is called there.
type Row struct {
	ID     string `toml:"-"`
	Label  string `toml:"label"`
	Block  string `toml:"block"`
	Select bool   `toml:"select"` // choose the settings on the validation group
	// The paper's rows that this one reproduces, as keys of package published: in
	// Table 1 and in the tables of the groups. Empty: the paper has none.
	PublishedSummary string `toml:"published_summary"`
	PublishedDetail  string `toml:"published_detail"`
	// Method has all settings; in files they are keys of the row, beside "method", the id of its kind.
	Method method.Method `toml:"-"`
}

// Histograms returns the settings of a method that compares histograms; zero for others.
func (r Row) Histograms() method.Histograms {
	h, _ := method.Of[method.Histograms](r.Method)
	return h
}

// HasHistograms tells whether the method compares histograms.
func (r Row) HasHistograms() bool { return r.Method.Needs().Histograms }

// Averages tells whether the method combines histograms by their mean, which takes no transport.
func (r Row) Averages() bool { return r.HasHistograms() && r.Method.Needs().Combined == nil }

// WithHistograms returns the row with other settings of a method that compares histograms.
func (r Row) WithHistograms(h method.Histograms) Row {
	r.Method = method.With(r.Method, h)
	return r
}

// Vectors is the kind of the method's word vectors, or its file of them; "" without.
func (r Row) Vectors() string {
	if v := r.Method.Needs().Vectors; len(v) > 0 {
		return v[0]
	}
	return ""
}

// Weighting returns the weights of words; zero for a method without.
func (r Row) Weighting() method.Weighting {
	w, _ := method.Of[method.Weighting](r.Method)
	return w
}

// Removal returns which components are removed; zero for a method without.
func (r Row) Removal() method.Removal {
	removal, _ := method.Of[method.Removal](r.Method)
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

// Defaults are what rows do not say themselves.
type Defaults struct {
	Row
	// Settings are those of all methods.
	Settings method.Settings
}

// Grids are what is tried for rows. All methods that compare histograms have the same, so that none has more to
// choose from; so have all that compare averages of vectors.
type Grids struct {
	Transport method.Grid `toml:"transport"`
	Vectors   method.Grid `toml:"vectors"` // of methods without histograms
}

// Of returns the grid of a row.
func (g Grids) Of(row Row) method.Grid {
	if row.HasHistograms() {
		return g.Transport
	}
	return g.Vectors
}

// Candidates returns the settings that are tried for a row with select = true: its own, then
// those of its grid that differ.
func (p *Profile) Candidates(row Row) []Row {
	all := []Row{row}
	for _, r := range p.Settings(p.STS.Select.Of(row), row) {
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
	for _, m := range grid.Of(row.Method) {
		row.Method = m
		rows = append(rows, row)
	}
	return rows
}

// isAverage tells whether the method averages the vectors of a text's words.
func (r Row) isAverage() bool {
	_, ok := method.Of[method.Averaged](r.Method)
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

// defaults decodes what rows do not say themselves.
func (d *decoder) defaults(key string, v reflect.Value, value any) error {
	table, err := d.asTable(key, value)
	if err != nil {
		return err
	}
	defaults := Defaults{Settings: method.Settings{}}
	known := slices.Sorted(maps.Keys(headKeys()))
	for _, f := range method.AllFields() {
		known = append(known, f.Name)
	}
	if err := d.known(key, table, known); err != nil {
		return err
	}
	if err := d.head(key, &defaults.Row, table); err != nil {
		return err
	}
	for _, f := range method.AllFields() {
		if child, ok := table[f.Name]; ok {
			x, err := d.setting(join(key, f.Name), f, child)
			if err != nil {
				return err
			}
			defaults.Settings[f.Name] = x
			if problem := f.Check(x); problem != "" {
				return d.errorf(join(key, f.Name), "%s", problem)
			}
		}
	}
	if _, ok := table["method"]; ok {
		id, err := d.methodID(key, table, "")
		if err != nil {
			return err
		}
		m, _ := method.ByID(id)
		defaults.Method = defaults.Settings.On(m)
	}
	v.Set(reflect.ValueOf(defaults))
	return nil
}

// headKeys are the keys of a row that are no settings of its method.
func headKeys() map[string]bool {
	keys := map[string]bool{"method": true}
	for _, f := range fieldsOf(reflect.TypeFor[Row]()) {
		keys[f.name] = true
	}
	return keys
}

// head decodes those but the method.
func (d *decoder) head(key string, row *Row, table map[string]any) error {
	v := reflect.ValueOf(row).Elem()
	for _, f := range fieldsOf(v.Type()) {
		if child, ok := table[f.name]; ok {
			if err := d.value(join(key, f.name), v.FieldByIndex(f.index), child, v); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d *decoder) setting(key string, f method.Field, value any) (any, error) {
	v := reflect.New(f.Type).Elem()
	err := d.value(key, v, value, v)
	return v.Interface(), err
}

// methodID returns the id that the table names, or else the usual one.
func (d *decoder) methodID(key string, table map[string]any, usual string) (string, error) {
	id := usual
	if value, ok := table["method"]; ok {
		v := reflect.ValueOf(&id).Elem()
		if err := d.value(join(key, "method"), v, value, v); err != nil {
			return "", err
		}
	}
	if _, ok := method.ByID(id); !ok {
		return "", d.errorf(join(key, "method"), "%q, expected one of %s", id,
			`"`+strings.Join(method.IDs(), `", "`)+`"`)
	}
	return id, nil
}

// row decodes a row over a copy of the defaults.
func (d *decoder) row(key string, defaults Defaults, value any) (Row, error) {
	table, err := d.asTable(key, value)
	if err != nil {
		return Row{}, err
	}
	row, usual := defaults.Row, ""
	if defaults.Method != nil {
		usual = defaults.Kind()
	}
	id, err := d.methodID(key, table, usual)
	if err != nil {
		return row, err
	}
	row.Method, err = d.method(key, id, defaults.Settings, table, headKeys())
	if err != nil {
		return row, err
	}
	return row, d.head(key, &row, table)
}

// method decodes the settings of a method of the kind id from a table that may have other keys, too.
func (d *decoder) method(
	key, id string, defaults method.Settings, table map[string]any, other map[string]bool,
) (method.Method, error) {
	m, _ := method.ByID(id)
	m = defaults.On(m)
	fields := map[string]method.Field{}
	known := slices.Sorted(maps.Keys(other))
	for _, f := range method.Fields(m) {
		fields[f.Name] = f
		known = append(known, f.Name)
	}
	everywhere := slices.Clone(known)
	for _, f := range method.AllFields() {
		everywhere = append(everywhere, f.Name)
	}
	if err := d.known(key, table, everywhere); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(table)) {
		f, ok := fields[name]
		if !ok {
			if !slices.Contains(known, name) {
				return nil, d.errorf(join(key, name), "the method %q has no such setting, it has: %s", id,
					strings.Join(slices.Sorted(maps.Keys(fields)), ", "))
			}
			continue
		}
		x, err := d.setting(join(key, name), f, table[name])
		if err != nil {
			return nil, err
		}
		m = method.Set(m, name, x)
	}
	return m, nil
}

// decodeRows decodes the tables of rows.
func (d *decoder) decodeRows(key string, v reflect.Value, value any, defaults Defaults) error {
	ids := d.rows
	if o, ok := value.(override); ok {
		value = o.parse()
		if table, ok := value.(map[string]any); ok {
			ids = slices.Sorted(maps.Keys(table))
		}
	}
	table, ok := value.(map[string]any)
	if !ok {
		return d.errorf(key, "%s, expected a table for each row, as in [sts.rows.comb]", describe(value))
	}
	var rows []Row
	for _, id := range ids {
		if _, ok := table[id]; !ok {
			continue // left out of a profile that is extended
		}
		row, err := d.row(join(key, id), defaults, table[id])
		if err != nil {
			return err
		}
		row.ID = id
		rows = append(rows, row)
	}
	v.Set(reflect.ValueOf(rows))
	return nil
}

// encodeRow writes a row's keys, and its method's.
func encodeRow(b *strings.Builder, row Row) {
	encodePlain(b, reflect.ValueOf(row))
	encodeMethod(b, row.Method)
}

func encodeMethod(b *strings.Builder, m method.Method) {
	fmt.Fprintf(b, "method = %s\n", quote(method.KindOf(m).ID))
	for _, f := range method.Fields(m) {
		fmt.Fprintf(b, "%s = %s\n", f.Name, encodeValue(f.In(m)))
	}
}

func encodeDefaults(b *strings.Builder, d Defaults) {
	encodePlain(b, reflect.ValueOf(d.Row))
	if d.Method != nil {
		fmt.Fprintf(b, "method = %s\n", quote(d.Kind()))
	}
	for _, f := range method.AllFields() {
		if x, ok := d.Settings[f.Name]; ok {
			fmt.Fprintf(b, "%s = %s\n", f.Name, encodeValue(reflect.ValueOf(x)))
		}
	}
}

// row checks a row.
func (c *checker) row(key string, r Row) {
	if r.Label == "" {
		c.fail(key+".label", "no label")
	}
	c.method(r.Method, func(name string, f func(key string)) { c.inherited(key, name, f) })
	choosable := slices.ContainsFunc(method.Fields(r.Method), func(f method.Field) bool {
		return f.Grid && r.Method.Varies(f.Name)
	})
	if r.Select && !choosable {
		c.inherited(key, "select", func(k string) {
			c.fail(k, "true, but the method %q has no settings to choose", r.Kind())
		})
	}
}

// method checks the settings of a method; at calls what it is given with the key of a setting.
func (c *checker) method(m method.Method, at func(name string, f func(key string))) {
	if err := m.Validate(); err != nil {
		e, _ := err.(*method.SettingError)
		at(e.Name, func(k string) { c.fail(k, "%s", e.Problem) })
	}
	c.atMost(m, at)
}

// group checks a group of settings.
func (c *checker) group(key string, group any) {
	at := func(name string, f func(key string)) { f(join(key, name)) }
	for _, f := range method.Fields(group) {
		if problem := f.Check(f.In(group).Interface()); problem != "" {
			at(f.Name, func(k string) { c.fail(k, "%s", problem) })
		}
	}
	c.atMost(group, at)
}

// atMost checks the settings that the number of words bounds.
func (c *checker) atMost(group any, at func(name string, f func(key string))) {
	for _, f := range method.Fields(group) {
		if f.AtMostWords {
			at(f.Name, func(k string) { c.atMostWords(k, int(f.In(group).Int())) })
		}
	}
}
