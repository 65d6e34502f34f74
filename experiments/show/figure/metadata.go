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
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf16"

	"codeberg.org/go-pdf/fpdf"

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
	family := families[f.Style.Font]
	rest := bytes.ReplaceAll(body.Bytes(), []byte(`font-family:"`+family[0]+`"`), []byte(`font-family:"`+name+`"`))
	b.Write(bytes.ReplaceAll(rest, []byte("font-family:"+family[0]),
		[]byte("font-family:'"+name+"','"+family[0]+"',"+family[1])))
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
	perMetre := uint32(math.Round(float64(f.Style.dpi()) / 0.0254))
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

// sortCatalogue makes fpdf list fonts in a fixed order. The library keeps this in a
// variable of its own, and vgpdf gives no other way to it.
var sortCatalogue = sync.OnceFunc(func() { fpdf.SetDefaultCatalogSort(true) })

var (
	pdfTrailer = regexp.MustCompile(`trailer\n<<\n/Size (\d+)\n/Root (\d+) 0 R\n/Info (\d+) 0 R\n`)
	pdfEntry   = regexp.MustCompile(`^(\d{10}) (\d{5}) ([nf]) \n`)
)

// writePDF replaces the information dictionary of a PDF file, which has the time
// of its making, by one with the metadata and without dates.
func writePDF(w io.Writer, pdf []byte, f *Figure) error {
	fault := func(what string) error { return fmt.Errorf("figure: the PDF file of fpdf has no %s", what) }
	start := bytes.LastIndex(pdf, []byte("\nxref\n"))
	trailer := pdfTrailer.FindSubmatch(pdf)
	if start < 0 || trailer == nil {
		return fault("table of objects")
	}
	start++
	size, root, info := atoi(trailer[1]), atoi(trailer[2]), atoi(trailer[3])
	table := pdf[start+len("xref\n"):]
	heading := fmt.Sprintf("0 %d\n", size)
	if !bytes.HasPrefix(table, []byte(heading)) {
		return fault("single list of objects")
	}
	table = table[len(heading):]
	offsets := make([]int, size)
	for i := range offsets {
		m := pdfEntry.FindSubmatch(table)
		if m == nil {
			return fault("entry for object " + strconv.Itoa(i))
		}
		offsets[i] = atoi(m[1])
		table = table[len(m[0]):]
	}
	from := offsets[info]
	length := bytes.Index(pdf[from:], []byte("endobj\n"))
	if length < 0 {
		return fault("end of object " + strconv.Itoa(info))
	}
	length += len("endobj\n")

	title, caption, source := f.metadata()
	var object, out bytes.Buffer
	fmt.Fprintf(&object, "%d 0 obj\n<<\n/Producer %s\n/Title %s\n/Subject %s\n/Keywords %s\n>>\nendobj\n",
		info, pdfText(software), pdfText(title), pdfText(caption), pdfText(source))
	out.Write(pdf[:from])
	out.Write(object.Bytes())
	out.Write(pdf[from+length : start])
	xref := out.Len()
	fmt.Fprintf(&out, "xref\n%s", heading)
	for i, offset := range offsets {
		if offset > from {
			offset += object.Len() - length
		}
		if i == 0 {
			out.WriteString("0000000000 65535 f \n")
		} else {
			fmt.Fprintf(&out, "%010d 00000 n \n", offset)
		}
	}
	fmt.Fprintf(&out, "trailer\n<<\n/Size %d\n/Root %d 0 R\n/Info %d 0 R\n>>\nstartxref\n%d\n%%%%EOF\n",
		size, root, info, xref)
	_, err := w.Write(out.Bytes())
	return err
}

func atoi(b []byte) int {
	n, err := strconv.Atoi(string(b))
	if err != nil {
		panic("figure: " + err.Error()) // the patterns match digits
	}
	return n
}

// pdfText is a text string of PDF in hexadecimal digits: UTF-16 with a byte order mark.
func pdfText(s string) string {
	var b strings.Builder
	b.WriteString("<FEFF")
	for _, u := range utf16.Encode([]rune(s)) {
		fmt.Fprintf(&b, "%04X", u)
	}
	b.WriteString(">")
	return b.String()
}
