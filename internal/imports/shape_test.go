package imports

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"contextmover/internal/golden"
)

// source is a file of Go of a package.
type source struct {
	folder, name string
	text         []byte
	*ast.File
}

// sources returns the files of all packages, tests apart.
func sources(t *testing.T) (all []source) {
	t.Helper()
	for _, p := range list(t) {
		for _, name := range slices.Sorted(slices.Values(p.GoFiles)) {
			text, err := os.ReadFile(filepath.Join(p.Dir, name))
			if err != nil {
				t.Fatal(err)
			}
			f, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution|parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, source{strings.TrimPrefix(p.ImportPath, p.Module.Path+"/"), name, text, f})
		}
	}
	return all
}

// compare compares lines with a golden file, or writes it.
func compare(t *testing.T, file, mend string, lines []string) {
	t.Helper()
	path := filepath.Join("testdata", file)
	slices.Sort(lines)
	text := []byte(strings.Join(lines, "\n") + "\n")
	if golden.Updating() {
		if err := os.MkdirAll("testdata", 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(text, want) {
		return
	}
	was := strings.Split(strings.TrimSpace(string(want)), "\n")
	for _, line := range lines {
		if !slices.Contains(was, line) {
			t.Errorf("%s lacks %s", path, line)
		}
	}
	for _, line := range was {
		if !slices.Contains(lines, line) {
			t.Errorf("%s has %s, which is no more", path, line)
		}
	}
	t.Log(mend)
}

// What the library offers is seen in review where it changes.
func TestExportedNames(t *testing.T) {
	compare(t, "api.txt", "Where that is meant, go test -update writes the file.", exportedNames(t))
}

func exportedNames(t *testing.T) (names []string) {
	t.Helper()
	for _, s := range sources(t) {
		if !in(s.folder, "cmdlib") || strings.Contains(s.folder, "internal") {
			continue
		}
		for _, d := range s.Decls {
			for _, name := range exported(d) {
				names = append(names, s.folder+" "+name)
			}
		}
	}
	return names
}

// exported returns the exported names that a declaration makes, methods of exported types among them.
func exported(d ast.Decl) (names []string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if receiver := receiverOf(d); d.Name.IsExported() && (receiver == "" || ast.IsExported(receiver)) {
			return []string{strings.TrimPrefix(receiver+"."+d.Name.Name, ".")}
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				if spec.Name.IsExported() {
					names = append(names, "type "+spec.Name.Name)
				}
			case *ast.ValueSpec:
				for _, n := range spec.Names {
					if n.IsExported() {
						names = append(names, d.Tok.String()+" "+n.Name)
					}
				}
			}
		}
	}
	return names
}

// receiverOf is the name of the type that a method is of, "" of a function.
func receiverOf(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	of := d.Recv.List[0].Type
	for {
		switch x := of.(type) {
		case *ast.StarExpr:
			of = x.X
		case *ast.IndexExpr:
			of = x.X
		case *ast.IndexListExpr:
			of = x.X
		case *ast.Ident:
			return x.Name
		default:
			return "?"
		}
	}
}

// mostParameters is what a function takes at most, but where assembly needs
// more: those that take more today are listed, and may only become fewer.
const mostParameters = 6

func TestParameters(t *testing.T) {
	var long []string
	for _, s := range sources(t) {
		for _, d := range s.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Body == nil { // assembly has no body
				continue
			}
			n := 0
			for _, p := range f.Type.Params.List {
				n += max(1, len(p.Names))
			}
			if n > mostParameters {
				name := strings.TrimPrefix(receiverOf(f)+"."+f.Name.Name, ".")
				long = append(long, fmt.Sprintf("%s %s", s.folder, name))
			}
		}
	}
	compare(t, "parameters.txt", "A function takes at most 6 parameters; take what belongs together as one.", long)
}

// mostColumns is the length of a line at most, a tab four columns. What cannot be broken is left out: tags of fields and
// strings in backquotes.
const mostColumns = 120

func TestLinesAreShort(t *testing.T) {
	for _, s := range sources(t) {
		if ast.IsGenerated(s.File) {
			continue
		}
		for _, number := range longLines(s) {
			t.Errorf("%s/%s:%d has more than %d columns: break it", s.folder, s.name, number, mostColumns)
		}
	}
}

// longLines are the numbers of a file's lines that are too long, but for those in backquotes.
func longLines(s source) (numbers []int) {
	quoted := map[int]bool{}
	file := token.NewFileSet().AddFile(s.name, -1, len(s.text))
	var tokens scanner.Scanner
	tokens.Init(file, s.text, nil, 0)
	for pos, tok, text := tokens.Scan(); tok != token.EOF; pos, tok, text = tokens.Scan() {
		if tok == token.STRING && text[0] == '`' {
			for line := range strings.Count(text, "\n") + 1 {
				quoted[file.Line(pos)+line] = true
			}
		}
	}
	for i, line := range strings.Split(string(s.text), "\n") {
		columns := utf8.RuneCountInString(strings.ReplaceAll(line, "\t", "    "))
		if columns > mostColumns && !quoted[i+1] {
			numbers = append(numbers, i+1)
		}
	}
	return numbers
}

// Which error is reported must not depend on the order of a map: a loop over one that is written out, and whose body
// returns or fails, is over a list.
func TestErrorsHaveAnOrder(t *testing.T) {
	for _, s := range sources(t) {
		ast.Inspect(s.File, func(n ast.Node) bool {
			loop, ok := n.(*ast.RangeStmt)
			if !ok {
				return true
			}
			if literal, ok := loop.X.(*ast.CompositeLit); ok {
				if _, ok := literal.Type.(*ast.MapType); ok && endsEarly(loop.Body) {
					t.Errorf("%s/%s: a loop over a map ends with the first error, expected a list", s.folder, s.name)
				}
			}
			return true
		})
	}
}

// endsEarly reports whether a body returns, or calls a method fail.
func endsEarly(body *ast.BlockStmt) (ends bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt:
			ends = true
		case *ast.CallExpr:
			method, ok := n.Fun.(*ast.SelectorExpr)
			ends = ends || ok && method.Sel.Name == "fail"
		}
		return true
	})
	return ends
}
