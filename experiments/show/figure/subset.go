package figure

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"

	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
)

// subset returns a TrueType font with the outlines of the given letters only.
func subset(face *opentype.Font, letters []rune) *opentype.Font {
	small, err := lettersOnly(face, letters)
	if err != nil {
		panic("figure: the font cannot be made smaller: " + err.Error()) // the font is part of the program
	}
	return small
}

// lettersOnly makes the font of subset: the glyphs keep their numbers, but those that
// are not needed have no outline, and tables for layout are dropped [OpenType
// specification, glyf and loca].
func lettersOnly(face *opentype.Font, letters []rune) (*opentype.Font, error) {
	var raw bytes.Buffer
	if _, err := face.WriteSourceTo(nil, &raw); err != nil {
		return nil, err
	}
	file := raw.Bytes()
	tables := make(map[string][]byte)
	for i := range int(binary.BigEndian.Uint16(file[4:])) {
		entry := file[12+16*i:]
		offset, length := binary.BigEndian.Uint32(entry[8:]), binary.BigEndian.Uint32(entry[12:])
		tables[string(entry[:4])] = file[offset : offset+length]
	}
	glyf, loca, head := tables["glyf"], tables["loca"], tables["head"]
	if glyf == nil || loca == nil || head == nil {
		return nil, fmt.Errorf("no TrueType outlines")
	}
	long := binary.BigEndian.Uint16(head[50:]) == 1
	at := func(glyph int) int {
		if long {
			return int(binary.BigEndian.Uint32(loca[4*glyph:]))
		}
		return 2 * int(binary.BigEndian.Uint16(loca[2*glyph:]))
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
		for _, part := range components(glyf[at(needed[i]):at(needed[i]+1)]) {
			if !slices.Contains(needed, part) {
				needed = append(needed, part)
			}
		}
	}
	slices.Sort(needed)
	var outlines, places []byte
	for glyph := range face.NumGlyphs() {
		places = binary.BigEndian.AppendUint32(places, uint32(len(outlines)))
		if _, ok := slices.BinarySearch(needed, glyph); ok {
			outlines = append(outlines, glyf[at(glyph):at(glyph+1)]...)
			outlines = append(outlines, make([]byte, -len(outlines)&3)...)
		}
	}
	places = binary.BigEndian.AppendUint32(places, uint32(len(outlines)))
	head = slices.Clone(head)
	binary.BigEndian.PutUint16(head[50:], 1)
	post := slices.Clone(tables["post"][:32])
	binary.BigEndian.PutUint32(post, 0x00030000) // without names of glyphs
	tables["glyf"], tables["loca"], tables["head"], tables["post"] = outlines, places, head, post

	names := []string{
		"OS/2", "cmap", "cvt ", "fpgm", "glyf", "head", "hhea", "hmtx", "loca", "maxp", "name", "post", "prep",
	}
	names = slices.DeleteFunc(names, func(name string) bool { return tables[name] == nil })
	directory := binary.BigEndian.AppendUint32(nil, 0x00010000)
	power, log := 1, 0
	for 2*power <= len(names) {
		power, log = 2*power, log+1
	}
	for _, v := range []int{len(names), 16 * power, log, 16 * (len(names) - power)} {
		directory = binary.BigEndian.AppendUint16(directory, uint16(v))
	}
	var content []byte
	for _, name := range names {
		table := tables[name]
		directory = append(directory, name...)
		directory = binary.BigEndian.AppendUint32(directory, checksum(table))
		directory = binary.BigEndian.AppendUint32(directory, uint32(12+16*len(names)+len(content)))
		directory = binary.BigEndian.AppendUint32(directory, uint32(len(table)))
		content = append(content, table...)
		content = append(content, make([]byte, -len(content)&3)...)
	}
	return opentype.Parse(append(directory, content...))
}

// components returns the glyphs that a composite glyph refers to.
func components(glyph []byte) (parts []int) {
	if len(glyph) < 10 || int16(binary.BigEndian.Uint16(glyph)) >= 0 {
		return nil
	}
	for rest := glyph[10:]; ; {
		flags := binary.BigEndian.Uint16(rest)
		parts = append(parts, int(binary.BigEndian.Uint16(rest[2:])))
		length := 6
		if flags&0x0001 != 0 { // arguments are words
			length += 2
		}
		switch {
		case flags&0x0008 != 0: // a scale
			length += 2
		case flags&0x0040 != 0: // one along each axis
			length += 4
		case flags&0x0080 != 0: // a matrix
			length += 8
		}
		if flags&0x0020 == 0 { // no more
			return parts
		}
		rest = rest[length:]
	}
}

func checksum(table []byte) (sum uint32) {
	for part := range slices.Chunk(table, 4) {
		var word [4]byte
		copy(word[:], part)
		sum += binary.BigEndian.Uint32(word[:])
	}
	return sum
}
