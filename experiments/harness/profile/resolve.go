package profile

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"contextmover/experiments/harness/method"
)

// resolve turns what files say of methods and settings into these: names and plain values to what they are the text of.
func (c *checker) resolve() {
	p := c.p
	all := map[string]method.Field{}
	for _, f := range method.AllFields() {
		all[f.Name] = f
	}
	for _, name := range slices.Sorted(maps.Keys(p.STS.Defaults)) {
		p.STS.Defaults[name] = c.value("sts.defaults."+name, all, name, p.STS.Defaults[name])
	}
	for _, g := range p.grids() {
		known := map[string]method.Field{}
		for _, f := range g.fields {
			known[f.Name] = f
		}
		for _, name := range slices.Sorted(maps.Keys(g.values)) {
			for i, v := range g.values[name] {
				g.values[name][i] = c.value(fmt.Sprintf("%s.%s[%d]", g.key, name, i), known, name, v)
			}
			if len(g.values[name]) == 0 {
				delete(g.values, name)
			}
		}
	}
	if c.err != nil {
		return
	}
	p.Space.Method = c.method("space.method", p.Space.Text, nil)
	for i := range p.WordSim.Blocks {
		b := &p.WordSim.Blocks[i]
		key := "wordsim.blocks." + b.ID + ".method"
		m := c.method(key, b.Text, nil)
		average, ok := m.(method.Average)
		if !ok && m != nil {
			c.fail(key, "%q, expected the method \"euclidean\", whose settings are those of CMD Mix", b.Text)
		}
		b.Average = average
	}
	c.rows()
}

// rows makes the rows of the blocks.
func (c *checker) rows() {
	s := &c.p.STS
	ids := map[string]bool{}
	for i, b := range s.Blocks {
		if strings.Contains(b.Vectors, ",") {
			c.fail(fmt.Sprintf("sts.blocks[%d].vectors", i), "%q, expected a name without commas", b.Vectors)
		}
		for _, name := range b.Rows {
			text, ok := s.Texts[name]
			if !ok {
				c.fail(fmt.Sprintf("sts.blocks[%d].rows", i), "%q, expected a row that [sts.rows] has; nearest: %s",
					name, nearest(name, slices.Sorted(maps.Keys(s.Texts))))
				return
			}
			row := Row{ID: b.Prefix + name, Label: text.Label, Block: b.ID, Select: b.Select}
			if !forms["id"].MatchString(row.ID) || ids[row.ID] {
				c.fail("sts.rows."+name, "%q in the block %s is no id, expected letters, digits, - and _, and no "+
					"other row with it", row.ID, b.ID)
			}
			ids[row.ID] = true
			row.Method = c.method("sts.rows."+name+".method", text.Method, func(m method.Method) method.Method {
				m = s.Defaults.On(m)
				if b.Vectors != "" {
					m = method.Settings{"vectors": b.Vectors}.On(m)
				}
				return m
			})
			if printed := s.Published[row.ID]; len(printed) == 2 {
				row.PublishedSummary, row.PublishedDetail = printed[0], printed[1]
			}
			s.Rows = append(s.Rows, row)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(s.Published)) {
		if !ids[id] || len(s.Published[id]) != 2 {
			c.fail("sts.published."+id, "expected the id of a row, and of two printed ones: in Table 1 and in the "+
				"groups' tables")
		}
	}
}

// method reads the text of a method. Settings that it does not give are those that own returns.
func (c *checker) method(key, text string, own func(method.Method) method.Method) method.Method {
	m, err := method.Parse(text, own)
	if err != nil {
		c.fail(key, "%q: %v", text, err)
	}
	return m
}

// value returns the value of the setting with a name, of its type, or nil for what it cannot have.
func (c *checker) value(key string, fields map[string]method.Field, name string, value any) any {
	f, ok := fields[name]
	if !ok {
		c.fail(key, "no such setting; nearest: %s", nearest(name, slices.Sorted(maps.Keys(fields))))
		return nil
	}
	x, err := f.Parse(fmt.Sprint(value))
	if err != nil {
		c.fail(key, "%v", err.(*method.SettingError).Problem)
		return nil
	}
	x = reflect.ValueOf(x).Convert(f.Type).Interface()
	if problem := f.Check(x); problem != "" {
		c.fail(key, "%s", problem)
	}
	return x
}

// TOML returns the profile as a file that Load reads: every key with its value, overrides included, each row with its
// own id and the settings that [sts.defaults] does not say, but for sections that the profile is without.
func (p *Profile) TOML() string {
	q := *p
	q.WordSim.Blocks = slices.Clone(p.WordSim.Blocks)
	for i := range q.WordSim.Blocks {
		q.WordSim.Blocks[i].Text = textOf(q.WordSim.Blocks[i].Average, nil)
	}
	q.STS.Blocks = slices.Clone(p.STS.Blocks)
	q.STS.Texts, q.STS.Published = map[string]RowText{}, map[string][]string{}
	for i := range q.STS.Blocks {
		b := &q.STS.Blocks[i]
		b.Prefix, b.Vectors, b.Select, b.Rows = "", "", false, nil
		for _, r := range p.STS.Rows {
			if r.Block != b.ID {
				continue
			}
			b.Select = b.Select || r.Select
			b.Rows = append(b.Rows, r.ID)
			q.STS.Texts[r.ID] = RowText{Label: r.Label, Method: textOf(r.Method, p.STS.Defaults)}
			if r.PublishedSummary+r.PublishedDetail != "" {
				q.STS.Published[r.ID] = []string{r.PublishedSummary, r.PublishedDetail}
			}
		}
	}
	text, err := toml.Marshal(q)
	if err != nil {
		panic("profile: " + err.Error())
	}
	return string(text)
}

// textOf returns the text of a method: its kind, and the settings that differ from the usual ones.
func textOf(m method.Method, usual method.Settings) string {
	if m == nil {
		return ""
	}
	kind := method.KindOf(m)
	text, own := kind.ID, usual.On(kind.Method)
	for _, f := range method.Fields(m) {
		if value := f.Text(m); value != f.Text(own) {
			text += "," + f.Name + "=" + value
		}
	}
	return text
}
