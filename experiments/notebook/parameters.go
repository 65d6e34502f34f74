package notebook

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// parametersTag is the tag of the cell that holds a notebook's parameters, as papermill has it.
const parametersTag = "parameters"

// parameter is the declaration of a variable with a text as its value, which are its two parts.
var parameter = regexp.MustCompile(`(?m)^\s*(?:var\s+|const\s+)?(\w+)\s*=\s*("(?:[^"\\\n]|\\.)*")`)

// parameters returns the cell of a notebook's parameters, or an empty one.
func (n *Notebook) parameters() *Cell {
	for _, c := range n.Cells {
		if c.Kind == "code" && slices.Contains(c.Tags, parametersTag) {
			return c
		}
	}
	return new(Cell)
}

// Parameters returns the names of the parameters: the variables that the cell tagged "parameters" gives a text. There
// are none where no cell has the tag.
func (n *Notebook) Parameters() (names []string) {
	for _, found := range parameter.FindAllStringSubmatch(n.parameters().Source, -1) {
		names = append(names, found[1])
	}
	return names
}

// Set gives a parameter another value than the one that the notebook has, in the cell itself, until
// Reset. A name that is no parameter is an error.
func (n *Notebook) Set(name, value string) error {
	c := n.parameters()
	for _, at := range parameter.FindAllStringSubmatchIndex(c.Source, -1) {
		if c.Source[at[2]:at[3]] != name {
			continue
		}
		c.original = cmp.Or(c.original, c.Source)
		c.Source = c.Source[:at[4]] + strconv.Quote(value) + c.Source[at[5]:]
		return nil
	}
	there := "it has none: no cell is tagged " + parametersTag
	if names := n.Parameters(); len(names) > 0 {
		there = "it has " + strings.Join(names, ", ")
	}
	return fmt.Errorf("notebook: %s has no parameter %q; %s", n.Path, name, there)
}

// Reset gives the parameters the values back that the notebook has.
func (n *Notebook) Reset() {
	for _, c := range n.Cells {
		c.Source, c.original = cmp.Or(c.original, c.Source), ""
	}
}
