package figure

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"html"
	"io"
	"math"
	"strings"

	"golang.org/x/text/encoding/charmap"

	"contextmover/internal/printable"
)

// software is what files name as their maker.
const software = "Context Mover"

// metadata returns what files say of themselves.
func (f *Figure) metadata() (title, caption, source string) {
	return printable.Text(f.Title), printable.Text(f.Caption), printable.Text(f.Provenance.source())
}

// source is the provenance in one line.
func (p Provenance) source() string {
	s := "profile " + p.Profile
	if p.Space != "" {
		s = "space " + p.Space
	}
	if len(p.Artefacts) > 0 {
		s += "; artefacts " + strings.Join(p.Artefacts, " ")
	}
	return s
}

// screen is how much larger SVG is than paper, in pixels a point: letters of 6.5 points are 13 pixels high.
const screen = 2

// writeSVG adds size, background, the metadata, titles and a list of fonts to fall back on to an SVG file.
func writeSVG(w io.Writer, svg string, f *Figure, titles []string) error {
	head, rest, _ := strings.Cut(svg, "<svg")
	_, rest, _ = strings.Cut(rest, ">")
	title, caption, source := f.metadata()
	var b strings.Builder
	fmt.Fprintf(&b, `%s<svg width="%.5g" height="%.5g" viewBox="0 0 %.5g %.5g" style="max-width:100%%;height:auto" role="img"
	xmlns="http://www.w3.org/2000/svg"
	xmlns:xlink="http://www.w3.org/1999/xlink">`, head, screen*f.Width, screen*f.Height, f.Width, f.Height)
	fmt.Fprintf(&b, "\n<title>%s</title>\n<desc>%s</desc>\n", html.EscapeString(title), html.EscapeString(caption))
	fmt.Fprintf(&b, `<metadata>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:dc="http://purl.org/dc/elements/1.1/">
<rdf:Description rdf:about=""><dc:creator>%s</dc:creator><dc:source>%s</dc:source></rdf:Description>
</rdf:RDF>
</metadata>
<rect width="100%%" height="100%%" fill="#ffffff"/>
`, software, html.EscapeString(source))
	// The embedded font has a name of its own, since several figures may share a page.
	// Programs that ignore it find the same metrics in Times.
	sum := sha256.Sum256([]byte(svg))
	name := fmt.Sprintf("figure-%x", sum[:6])
	rest = strings.NewReplacer(`font-family:"`+family, `font-family:"`+name, "font-family:"+family,
		"font-family:'"+name+"','"+family+"','Times New Roman',Times,serif").Replace(rest)
	for i, part := range strings.Split(rest, titledGroup) {
		if i > 0 {
			fmt.Fprintf(&b, "<g><title>%s</title>", html.EscapeString(titles[i-1]))
		}
		b.WriteString(part)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writePNG adds the metadata to a PNG file, as text after its header.
func writePNG(w io.Writer, png []byte, f *Figure) error {
	const header = 8 + 4 + 4 + 13 + 4 // signature and the chunk IHDR
	title, caption, source := f.metadata()
	var b bytes.Buffer
	b.Write(png[:header])
	perMetre := binary.BigEndian.AppendUint32(nil, uint32(math.Round(DPI/0.0254)))
	chunk(&b, "pHYs", string(perMetre)+string(perMetre)+"\x01")
	for _, t := range [][2]string{
		{"Title", title}, {"Description", caption}, {"Source", source}, {"Software", software},
	} {
		// Latin-1, or else UTF-8 that is not compressed and has no language and no translated keyword.
		if text, err := charmap.ISO8859_1.NewEncoder().String(t[1]); err == nil {
			chunk(&b, "tEXt", t[0]+"\x00"+text)
		} else {
			chunk(&b, "iTXt", t[0]+"\x00\x00\x00\x00\x00"+t[1])
		}
	}
	b.Write(png[header:])
	_, err := w.Write(b.Bytes())
	return err
}

// chunk writes a chunk of PNG.
func chunk(b *bytes.Buffer, kind, data string) {
	b.Write(binary.BigEndian.AppendUint32(nil, uint32(len(data))))
	b.WriteString(kind + data)
	b.Write(binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE([]byte(kind+data))))
}
