package npy

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

const magic = "\x93NUMPY"

// maxHeader bounds the text of a header. NumPy itself refuses more than 10,000
// bytes unless it is told to trust the file.
const maxHeader = 10000

// alignment of the first element: what NumPy has written since 1.14.
const alignment = 64

// formatHeader returns everything before the first element, in version 1.0.
func formatHeader(descr string, shape []int) []byte {
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }", descr, formatShape(shape))
	length := len(magic) + 4 + len(text) + 1
	text += strings.Repeat(" ", (alignment-length%alignment)%alignment) + "\n"
	if len(text) > 65535 {
		panic(fmt.Sprintf("npy: an array of %d dimensions", len(shape)))
	}
	b := append([]byte(magic), 1, 0, byte(len(text)), byte(len(text)>>8))
	return append(b, text...)
}

// readHeader reads everything before the first element.
func readHeader(r io.Reader) (header, error) {
	var start [12]byte
	if _, err := io.ReadFull(r, start[:8]); err != nil || string(start[:6]) != magic {
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return header{}, err
		}
		return header{}, errors.New("is not a .npy file: it does not start with \"\\x93NUMPY\"")
	}
	var width int // bytes of the length field
	switch version := start[6]; {
	case start[7] == 0 && version == 1:
		width = 2
	case start[7] == 0 && (version == 2 || version == 3):
		width = 4
	default:
		return header{}, fmt.Errorf("has format version %d.%d, expected 1.0, 2.0 or 3.0", start[6], start[7])
	}
	if err := readFull(r, start[8:8+width]); err != nil {
		return header{}, err
	}
	length := 0
	for i := width - 1; i >= 0; i-- {
		length = length<<8 | int(start[8+i])
	}
	if length > maxHeader || length < 0 {
		return header{}, fmt.Errorf("has a header of %d bytes, expected at most %d", length, maxHeader)
	}
	text := make([]byte, length)
	if err := readFull(r, text); err != nil {
		return header{}, err
	}
	h, err := parseHeader(string(text))
	h.length = 8 + width + length
	return h, err
}

func readFull(r io.Reader, b []byte) error {
	if _, err := io.ReadFull(r, b); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return errors.New("ends within its header")
		}
		return err
	}
	return nil
}

// parseHeader reads the Python dictionary with exactly the keys descr,
// fortran_order and shape, in any order.
func parseHeader(text string) (header, error) {
	p := &parser{rest: text}
	var h header
	var seen [3]bool
	if err := p.expect("{"); err != nil {
		return h, err
	}
	for !p.accept("}") {
		key, err := p.quoted()
		if err != nil {
			return h, err
		}
		if err := p.expect(":"); err != nil {
			return h, err
		}
		field := map[string]int{"descr": 1, "fortran_order": 2, "shape": 3}[key] - 1
		if field < 0 {
			return h, fmt.Errorf("header: unknown key %q, expected descr, fortran_order and shape", key)
		}
		if seen[field] {
			return h, fmt.Errorf("header: the key %s stands twice", key)
		}
		seen[field] = true
		switch key {
		case "descr":
			if h.descr, err = p.descr(); err != nil {
				return h, err
			}
		case "fortran_order":
			if p.accept("True") {
				return h, errors.New("is in Fortran order, expected C order: save it with numpy.save(file, " +
					"numpy.ascontiguousarray(array))")
			}
			if err := p.expect("False"); err != nil {
				return h, err
			}
		case "shape":
			if h.shape, err = p.shape(); err != nil {
				return h, err
			}
		}
		if !p.accept(",") {
			if err := p.expect("}"); err != nil {
				return h, err
			}
			break
		}
	}
	for i, key := range []string{"descr", "fortran_order", "shape"} {
		if !seen[i] {
			return h, fmt.Errorf("header: the key %s is missing", key)
		}
	}
	if p.skip(); p.rest != "" {
		return h, fmt.Errorf("header: %s after its end", p.here())
	}
	n, ok := count(h.shape, h.size())
	if !ok {
		return h, fmt.Errorf("header: the shape %s has more elements than memory can hold", formatShape(h.shape))
	}
	h.count = n
	return h, nil
}

// parser reads the few Python literals that a header may hold.
type parser struct{ rest string }

func (p *parser) skip() { p.rest = strings.TrimLeft(p.rest, " \t\r\n") }

func (p *parser) accept(token string) bool {
	p.skip()
	rest, ok := strings.CutPrefix(p.rest, token)
	p.rest = rest
	return ok
}

func (p *parser) expect(token string) error {
	if p.accept(token) {
		return nil
	}
	return fmt.Errorf("header: expected %q, found %s", token, p.here())
}

// here describes the text at the current place.
func (p *parser) here() string {
	p.skip()
	if p.rest == "" {
		return "its end"
	}
	return strconv.Quote(p.rest[:min(len(p.rest), 20)])
}

func (p *parser) quoted() (string, error) {
	p.accept("u") // a string of Python 2 may be u'…'
	p.skip()
	if p.rest != "" && (p.rest[0] == '\'' || p.rest[0] == '"') {
		if end := strings.IndexByte(p.rest[1:], p.rest[0]); end >= 0 {
			s := p.rest[1 : 1+end]
			p.rest = p.rest[end+2:]
			return s, nil
		}
	}
	return "", fmt.Errorf("header: expected a quoted word, found %s", p.here())
}

func (p *parser) descr() (string, error) {
	if p.skip(); strings.HasPrefix(p.rest, "[") {
		return "", errors.New("holds records with named fields, expected plain numbers: save one field an array")
	}
	s, err := p.quoted()
	if err != nil {
		return "", err
	}
	if typeName(s) != "" {
		return s, nil
	}
	if swapped, big := strings.CutPrefix(s, ">"); big && typeName("<"+swapped) != "" {
		return "", fmt.Errorf("is big-endian ('%s'), expected little-endian: save it with numpy.save(file, "+
			"array.astype('<%s'))", s, swapped)
	}
	return "", fmt.Errorf("holds elements of the type '%s', expected one of '<f4', '<f8', '<i4', '<i8', '<u2', '|u1': "+
		"convert with array.astype('<f4') before numpy.save", s)
}

func (p *parser) shape() ([]int, error) {
	if err := p.expect("("); err != nil {
		return nil, err
	}
	shape := []int{}
	comma := true
	for !p.accept(")") {
		if !comma {
			return nil, fmt.Errorf("header: expected %q or %q in the shape, found %s", ",", ")", p.here())
		}
		p.skip()
		digits := len(p.rest) - len(strings.TrimLeft(p.rest, "0123456789"))
		if digits == 0 {
			return nil, fmt.Errorf("header: expected a dimension of 0 or more, found %s", p.here())
		}
		d, err := strconv.Atoi(p.rest[:digits])
		if err != nil {
			return nil, fmt.Errorf("header: the dimension %s is beyond what memory can hold", p.rest[:digits])
		}
		shape, p.rest = append(shape, d), strings.TrimPrefix(p.rest[digits:], "L") // Python 2 wrote 3L
		comma = p.accept(",")
	}
	if len(shape) == 1 && !comma { // (3) is a number in Python, not a tuple
		return nil, fmt.Errorf("header: the shape (%d) is a number, expected the tuple (%d,)", shape[0], shape[0])
	}
	return shape, nil
}
