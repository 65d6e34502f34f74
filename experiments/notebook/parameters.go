package notebook

import (
	"fmt"
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"slices"
	"strconv"
	"strings"
)

// parametersTag is the tag of the cell that holds a notebook's parameters, as papermill has it.
const parametersTag = "parameters"

// parameter is a variable that a notebook declares in its cell of parameters, with a literal as its value.
type parameter struct {
	name       string
	start, end int // of the literal in the cell's source
	kind       string
}

// inGo writes a value of a kind as Go has it; it is false for a value of another kind.
func inGo(kind, value string) (string, bool) {
	if kind == "text" {
		return strconv.Quote(value), true
	}
	e, err := parser.ParseExpr(value)
	if err != nil {
		return "", false
	}
	is := literal(e)
	if kind == "number" && is == "whole number" {
		return value + ".0", true
	}
	return value, is == kind
}

// parameters returns the cell of a notebook's parameters, or nil, and what it declares.
func (n *Notebook) parameters() (*Cell, []parameter, error) {
	i := slices.IndexFunc(n.Cells, func(c *Cell) bool {
		return c.Kind == "code" && slices.Contains(c.Tags, parametersTag)
	})
	if i < 0 {
		return nil, nil, nil
	}
	c := n.Cells[i]
	const head = "package p\n"
	file, err := parser.ParseFile(gotoken.NewFileSet(), "", head+c.Source, parser.SkipObjectResolution)
	if err != nil {
		return nil, nil, fmt.Errorf("notebook: %s: cell %d, tagged %s: expected nothing but declarations, such as "+
			"var steps = 3: %w", n.Path, i+1, parametersTag, err)
	}
	var found []parameter
	for _, d := range file.Decls {
		group, ok := d.(*ast.GenDecl)
		if !ok || group.Tok != gotoken.VAR && group.Tok != gotoken.CONST {
			continue
		}
		for _, s := range group.Specs {
			v := s.(*ast.ValueSpec)
			for k, name := range v.Names {
				if k >= len(v.Values) {
					break
				}
				if kind := literal(v.Values[k]); kind != "" {
					found = append(found, parameter{
						name.Name, int(v.Values[k].Pos()) - 1 - len(head), int(v.Values[k].End()) - 1 - len(head), kind,
					})
				}
			}
		}
	}
	return c, found, nil
}

// literal returns the kind of a literal, or nothing for other expressions.
func literal(e ast.Expr) string {
	if u, ok := e.(*ast.UnaryExpr); ok && u.Op == gotoken.SUB {
		if kind := literal(u.X); kind == "number" || kind == "whole number" {
			return kind
		}
		return ""
	}
	switch e := e.(type) {
	case *ast.BasicLit:
		return map[gotoken.Token]string{
			gotoken.STRING: "text", gotoken.INT: "whole number", gotoken.FLOAT: "number",
		}[e.Kind]
	case *ast.Ident:
		if e.Name == "true" || e.Name == "false" {
			return "truth value"
		}
	}
	return ""
}

// Parameters returns the names of the parameters: the variables that the cell tagged "parameters"
// gives a text, a number or a truth value. There are none where no cell has the tag.
func (n *Notebook) Parameters() ([]string, error) {
	_, found, err := n.parameters()
	var names []string
	for _, p := range found {
		names = append(names, p.name)
	}
	return names, err
}

// Set gives a parameter another value than the one that the notebook has, in the cell itself, until
// Reset. A name that is no parameter, and a value of another kind than the one in the cell, are errors.
func (n *Notebook) Set(name, value string) error {
	c, found, err := n.parameters()
	if err != nil {
		return err
	}
	i := slices.IndexFunc(found, func(p parameter) bool { return p.name == name })
	if i < 0 {
		names, _ := n.Parameters() // which have been read above
		there := "it has none: no cell is tagged " + parametersTag
		if len(names) > 0 {
			there = "it has " + strings.Join(names, ", ")
		}
		return fmt.Errorf("notebook: %s has no parameter %q; %s", n.Path, name, there)
	}
	p := found[i]
	text, ok := inGo(p.kind, value)
	if !ok {
		return fmt.Errorf("notebook: %s: the parameter %s is a %s, as %s; %q is none",
			n.Path, name, p.kind, c.Source[p.start:p.end], value)
	}
	if !c.set {
		c.original, c.set = c.Source, true
	}
	c.Source = c.Source[:p.start] + text + c.Source[p.end:]
	return nil
}

// Reset gives the parameters the values back that the notebook has.
func (n *Notebook) Reset() {
	for _, c := range n.Cells {
		if c.set {
			c.Source, c.set = c.original, false
		}
	}
}
