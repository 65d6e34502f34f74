package notebook

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	markup "github.com/yuin/goldmark/renderer/html"
)

// markdown renders the text of cells. HTML in them is kept: a notebook's own text is
// trusted as its code is.
var markdown = goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(markup.WithUnsafe()))

const pageStart = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>%s</title>
<style>
body { max-width: 60em; margin: 2em auto; padding: 0 1em; font: 16px/1.5 system-ui, sans-serif; color: #222; background: #fff }
pre { padding: .6em .8em; overflow-x: auto; font: 13px/1.45 ui-monospace, monospace }
pre.source { background: #f5f5f3; border-left: 3px solid #9ab }
pre.stderr, pre.error { background: #fdecea }
.output { margin: .5em 0 1.5em; overflow-x: auto }
table { border-collapse: collapse; font-size: 14px }
caption { text-align: left; padding: .3em 0 }
th, td { padding: .15em .7em; border-bottom: 1px solid #ddd; vertical-align: top }
img { max-width: 100%% }
</style>
</head>
<body>
`

// HTML writes the notebook as a page of its own, without scripts and links to others.
func (n *Notebook) HTML(w io.Writer) error {
	var out bytes.Buffer
	fmt.Fprintf(&out, pageStart, html.EscapeString(n.title()))
	for i, c := range n.Cells {
		switch c.Kind {
		case "markdown":
			if err := markdown.Convert([]byte(c.Source), &out); err != nil {
				return fmt.Errorf("notebook: %s: cell %d: %w", n.Path, i+1, err)
			}
		case "code":
			fmt.Fprintf(&out, "<pre class=\"source\">%s</pre>\n", html.EscapeString(c.Source))
			for _, o := range c.Outputs {
				out.WriteString("<div class=\"output\">\n")
				if err := o.html(&out); err != nil {
					return fmt.Errorf("notebook: %s: cell %d: %w", n.Path, i+1, err)
				}
				out.WriteString("</div>\n")
			}
		case "raw":
			fmt.Fprintf(&out, "<pre>%s</pre>\n", html.EscapeString(c.Source))
		}
	}
	out.WriteString("</body>\n</html>\n")
	_, err := out.WriteTo(w)
	return err
}

// WriteHTML writes the page to a file: under a temporary name, synced, renamed.
func (n *Notebook) WriteHTML(path string) error {
	var out bytes.Buffer
	if err := n.HTML(&out); err != nil {
		return err
	}
	return writeFile(path, out.Bytes())
}

// title is the first heading, or the name of the file.
func (n *Notebook) title() string {
	for _, c := range n.Cells {
		if title, ok := strings.CutPrefix(c.Source, "# "); ok && c.Kind == "markdown" {
			title, _, _ = strings.Cut(title, "\n")
			return strings.TrimSpace(title)
		}
	}
	return n.Path
}

// html writes the richest form of the output that a page can show.
func (o *Output) html(out *bytes.Buffer) error {
	switch o.Type {
	case "stream":
		fmt.Fprintf(out, "<pre class=\"%s\">%s</pre>\n", html.EscapeString(o.Name), html.EscapeString(o.Text()))
		return nil
	case "error":
		fmt.Fprintf(out, "<pre class=\"error\">%s: %s</pre>\n", html.EscapeString(o.Error),
			html.EscapeString(o.Message))
		return nil
	}
	text := func(kind string) (string, bool) {
		s, ok := o.Data[kind].(string)
		return s, ok
	}
	if s, ok := text("text/html"); ok {
		out.WriteString(s)
		return nil
	}
	if s, ok := text("image/svg+xml"); ok {
		// Without what only a document of its own may start with.
		if i := strings.Index(s, "<svg"); i > 0 {
			s = s[i:]
		}
		out.WriteString(s)
		return nil
	}
	for _, kind := range []string{"image/png", "image/jpeg"} {
		if s, ok := text(kind); ok {
			fmt.Fprintf(out, "<img alt=\"\" src=\"data:%s;base64,%s\">\n", kind, strings.Join(strings.Fields(s), ""))
			return nil
		}
	}
	if s, ok := text("text/markdown"); ok {
		return markdown.Convert([]byte(s), out)
	}
	if s, ok := text("text/plain"); ok {
		fmt.Fprintf(out, "<pre>%s</pre>\n", html.EscapeString(s))
		return nil
	}
	fmt.Fprintf(out, "<pre>[%s]</pre>\n", html.EscapeString(strings.Join(o.kinds(), ", ")))
	return nil
}
