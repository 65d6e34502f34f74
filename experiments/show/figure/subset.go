package figure

import (
	"encoding/binary"
	"slices"

	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
)

// subset returns the font with the outlines of the given letters only: the glyphs keep their numbers, but those that
// are not needed have no outline, and tables for layout are dropped [OpenType specification, glyf and loca]. It takes
// the font as it is, which is part of the program: with offsets of 32 bits, and parts of glyphs that are not scaled.
func subset(letters []rune) (*opentype.Font, error) {
	file := fontFile()
	tables := make(map[string][]byte)
	for i := range int(binary.BigEndian.Uint16(file[4:])) {
		entry := file[12+16*i:]
		offset, length := binary.BigEndian.Uint32(entry[8:]), binary.BigEndian.Uint32(entry[12:])
		tables[string(entry[:4])] = file[offset : offset+length]
	}
	loca, glyf := tables["loca"], tables["glyf"]
	outline := func(glyph int) []byte {
		return glyf[binary.BigEndian.Uint32(loca[4*glyph:]):binary.BigEndian.Uint32(loca[4*glyph+4:])]
	}
	needed := []int{0}
	var buffer sfnt.Buffer
	for _, r := range letters {
		glyph, err := face.GlyphIndex(&buffer, r)
		if err != nil {
			return nil, err
		}
		needed = append(needed, int(glyph))
	}
	// A glyph may be composed of others.
	for i := 0; i < len(needed); i++ {
		needed = append(needed, components(outline(needed[i]))...)
	}
	var outlines, places []byte
	for glyph := range face.NumGlyphs() {
		places = binary.BigEndian.AppendUint32(places, uint32(len(outlines)))
		if slices.Contains(needed, glyph) {
			outlines = append(outlines, padded(outline(glyph))...)
		}
	}
	places = binary.BigEndian.AppendUint32(places, uint32(len(outlines)))
	post := slices.Clone(tables["post"][:32])
	binary.BigEndian.PutUint32(post, 0x00030000) // without names of glyphs
	tables["glyf"], tables["loca"], tables["post"] = outlines, places, post

	names := []string{
		"OS/2", "cmap", "cvt ", "fpgm", "glyf", "head", "hhea", "hmtx", "loca", "maxp", "name", "post", "prep",
	}
	var directory, content []byte
	for _, v := range []int{1, 0, len(names), 16 * 8, 3, 16 * (len(names) - 8)} { // 8 = 2³ is the next power of two
		directory = binary.BigEndian.AppendUint16(directory, uint16(v))
	}
	for _, name := range names {
		table := padded(tables[name])
		sum := uint32(0)
		for word := range slices.Chunk(table, 4) {
			sum += binary.BigEndian.Uint32(word)
		}
		directory = append(directory, name...)
		for _, v := range []uint32{sum, uint32(12 + 16*len(names) + len(content)), uint32(len(tables[name]))} {
			directory = binary.BigEndian.AppendUint32(directory, v)
		}
		content = append(content, table...)
	}
	return opentype.Parse(append(directory, content...))
}

// padded returns data with zeros up to a whole number of words.
func padded(data []byte) []byte { return append(slices.Clone(data), make([]byte, -len(data)&3)...) }

// components returns the glyphs that a composite glyph refers to.
func components(glyph []byte) (parts []int) {
	if len(glyph) == 0 || int16(binary.BigEndian.Uint16(glyph)) >= 0 {
		return nil
	}
	for rest := glyph[10:]; ; {
		flags := binary.BigEndian.Uint16(rest)
		parts = append(parts, int(binary.BigEndian.Uint16(rest[2:])))
		if flags&0x0020 == 0 { // no more
			return parts
		}
		rest = rest[6+2*(flags&0x0001):] // arguments may be words
	}
}
