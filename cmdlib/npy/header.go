package npy

import (
	"errors"
	"fmt"
	"io"
	"regexp"
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

// entry is a key of the Python dictionary in a header, and its value. A string of Python 2 may be u'…', a number there
// 3L.
var entry = regexp.MustCompile(`(?s)^\s*u?['"](descr|fortran_order|shape)['"]\s*:\s*` +
	`(u?'[^']*'|u?"[^"]*"|\[.*\]|True|False|\(\s*(?:(?:\d+L?\s*,\s*)+(?:\d+L?\s*)?)?\))\s*(?:,\s*|$)`)

var digits = regexp.MustCompile(`\d+`)

// parseHeader reads the dictionary with exactly the keys of entry, in any order.
func parseHeader(text string) (h header, err error) {
	malformed := fmt.Errorf("has the header %.100q, expected the keys descr, fortran_order and shape, as numpy.save "+
		"writes them: save the array again", text)
	rest, opened := strings.CutPrefix(strings.TrimSpace(text), "{")
	rest, closed := strings.CutSuffix(rest, "}")
	fields := make(map[string]string)
	for n := 1; rest != ""; n++ {
		m := entry.FindStringSubmatch(rest)
		if m == nil {
			return h, malformed
		}
		if fields[m[1]] = m[2]; len(fields) < n {
			return h, fmt.Errorf("has a header with the key %s twice: save the array again", m[1])
		}
		rest = rest[len(m[0]):]
	}

	descr, order, shape := fields["descr"], fields["fortran_order"], fields["shape"]
	switch {
	case !opened || !closed || len(fields) < 3 || shape[0] != '(' || order != "True" && order != "False":
		return h, malformed
	case order == "True":
		return h, errors.New("is in Fortran order, expected C order: save it with numpy.save(file, " +
			"numpy.ascontiguousarray(array))")
	case descr[0] == '[':
		return h, errors.New("holds records with named fields, expected plain numbers: save one field an array")
	}
	if h.descr, err = typed(strings.Trim(descr, `u'"`)); err != nil {
		return h, err
	}
	for _, number := range digits.FindAllString(shape, -1) {
		d, err := strconv.Atoi(number)
		if err != nil {
			return h, fmt.Errorf("header: the dimension %s is beyond what memory can hold", number)
		}
		h.shape = append(h.shape, d)
	}
	n, ok := count(h.shape, h.size())
	if !ok {
		return h, fmt.Errorf("header: the shape %s has more elements than memory can hold", formatShape(h.shape))
	}
	h.count = n
	return h, nil
}

// typed returns the name of a type in a header, if arrays here may hold it.
func typed(descr string) (string, error) {
	if typeName(descr) != "" {
		return descr, nil
	}
	if swapped, big := strings.CutPrefix(descr, ">"); big && typeName("<"+swapped) != "" {
		return "", fmt.Errorf("is big-endian ('%s'), expected little-endian: save it with numpy.save(file, "+
			"array.astype('<%s'))", descr, swapped)
	}
	return "", fmt.Errorf("holds elements of the type '%s', expected one of '<f4', '<f8', '<i4', '<i8', '<u2', '|u1': "+
		"convert with array.astype('<f4') before numpy.save", descr)
}
