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
func writeSVG(w io.Writer, svg []byte, f *Figure, titles []string) error {
	open := bytes.Index(svg, []byte("<svg"))
	end := bytes.IndexByte(svg[max(open, 0):], '>')
	if open < 0 || end < 0 {
		return fmt.Errorf("figure: vgsvg wrote no <svg> element")
	}
	end += open + 1
	parts := bytes.Split(svg[end:], []byte(titledGroup))
	if len(parts) != len(titles)+1 {
		return fmt.Errorf("figure: vgsvg wrote %d groups for %d titles", len(parts)-1, len(titles))
	}
	title, caption, source := f.metadata()
	var b bytes.Buffer
	b.Write(svg[:open])
	fmt.Fprintf(&b,
		`<svg width="%.5g" height="%.5g" viewBox="0 0 %.5g %.5g" style="max-width:100%%;height:auto" role="img"
	xmlns="http://www.w3.org/2000/svg"
	xmlns:xlink="http://www.w3.org/1999/xlink">`, screen*f.Width, screen*f.Height, f.Width, f.Height)
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
	sum := sha256.Sum256(svg)
	name := fmt.Sprintf("figure-%x", sum[:6])
	var body bytes.Buffer
	body.Write(parts[0])
	for i, part := range parts[1:] {
		fmt.Fprintf(&body, "<g><title>%s</title>", html.EscapeString(titles[i]))
		body.Write(part)
	}
	rest := bytes.ReplaceAll(body.Bytes(), []byte(`font-family:"`+family+`"`), []byte(`font-family:"`+name+`"`))
	b.Write(bytes.ReplaceAll(rest, []byte("font-family:"+family),
		[]byte("font-family:'"+name+"','"+family+"','Times New Roman',Times,serif")))
	_, err := w.Write(b.Bytes())
	return err
}

// writePNG adds the metadata to a PNG file, as text after its header.
func writePNG(w io.Writer, png []byte, f *Figure) error {
	const header = 8 + 4 + 4 + 13 + 4 // signature and the chunk IHDR
	if len(png) < header {
		return fmt.Errorf("figure: vgimg wrote no PNG file")
	}
	title, caption, source := f.metadata()
	var b bytes.Buffer
	b.Write(png[:header])
	perMetre := uint32(math.Round(DPI / 0.0254))
	rawChunk(&b, "pHYs", append(binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, perMetre), perMetre),
		1))
	for _, t := range [][2]string{
		{"Title", title}, {"Description", caption}, {"Source", source}, {"Software", software},
	} {
		chunk(&b, t[0], t[1])
	}
	b.Write(png[header:])
	_, err := w.Write(b.Bytes())
	return err
}

// chunk writes a text chunk of PNG: tEXt, which is Latin-1, or else iTXt.
func chunk(b *bytes.Buffer, keyword, text string) {
	kind, data := "tEXt", append([]byte(keyword), 0)
	latin1 := make([]byte, 0, len(text))
	for _, r := range text {
		if r > 0xff {
			kind = "iTXt"
		}
		latin1 = append(latin1, byte(r))
	}
	if kind == "tEXt" {
		data = append(data, latin1...)
	} else {
		data = append(data, 0, 0, 0, 0) // not compressed; no language, no translated keyword
		data = append(data, text...)
	}
	rawChunk(b, kind, data)
}

// rawChunk writes a chunk of PNG.
func rawChunk(b *bytes.Buffer, kind string, data []byte) {
	b.Write(binary.BigEndian.AppendUint32(nil, uint32(len(data))))
	data = append([]byte(kind), data...)
	b.Write(data)
	b.Write(binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(data)))
}
