// Package quantised keeps vectors of length 1 in 3, 4 or 8 bits a number.
package quantised

import (
	"fmt"
	"math"
)

// Vectors are Len vectors of Dim numbers: a factor for each, and a code
// from −L to L for each number, with L = 7 for 3 and 4 bits and 127 for 8,
//
//	v_i ≈ f·c_i,  c_i = round(L·v_i/max|v|),  f = 1/‖c‖
//
// so that each has the length 1 again. The vector 0 has the factor 0. With 3 bits codes are odd: the one that is
// nearest to v_i/(h·s), where s² is the mean square of v's numbers. 2h is the step of 8 even steps that is best for
// a normal distribution [Max 1960, Quantizing for minimum distortion].
type Vectors struct {
	Dim     int
	Bits    int // 3, 4 or 8
	Factors []float32
	// Codes are int8 each; of 4 bits c+8; of 3 bits (c+7)/2. The first is in
	// the lowest bits of the first byte; a vector begins with a byte.
	Codes []byte
}

// halfStep is h, for the deviation 1.
const halfStep = 0.293

// Levels is L of 8 bits.
const Levels = 127

// levels is L.
func levels(bits int) int {
	if bits == 3 {
		return 7
	}
	return 1<<(bits-1) - 1
}

// Valid tells whether vectors can have so many bits.
func Valid(bits int) bool { return bits == 3 || bits == 4 || bits == 8 }

// Width returns the number of bytes of the codes of a vector.
func Width(dim, bits int) int { return (dim*bits + 7) / 8 }

// New returns vectors of so many bits with codes of the rows of data, of whatever length. It panics if bits are not
// Valid.
func New(data []float32, dim, bits int) *Vectors {
	if !Valid(bits) {
		panic("quantised: vectors of neither 3, 4 nor 8 bits")
	}
	n, w := len(data)/dim, Width(dim, bits)
	v := &Vectors{Dim: dim, Bits: bits, Factors: make([]float32, n), Codes: make([]byte, n*w)}
	mostCode := float64(levels(bits))
	for i := range v.Factors {
		row, codes := data[i*dim:(i+1)*dim], v.Codes[i*w:(i+1)*w]
		most, sum, squares := 0.0, 0.0, 0.0
		for _, x := range row {
			most, sum = max(most, math.Abs(float64(x))), sum+float64(float64(x)*float64(x))
		}
		deviation := math.Sqrt(sum / float64(dim))
		for j, x := range row {
			c := 0.0
			switch {
			case most == 0:
			case bits == 3:
				c = max(-7, min(7, 2*math.Floor(float64(x)/(2*halfStep*deviation))+1))
			default:
				c = math.Round(mostCode * float64(x) / most)
			}
			switch bits {
			case 8:
				codes[j] = byte(int8(c))
			case 4:
				codes[j/2] |= byte(int(c)+8) << (4 * (j % 2))
			case 3:
				at, shift := 3*j/8, 3*j%8
				code := (int(c) + 7) / 2
				codes[at] |= byte(code << shift)
				if shift > 5 { // it ends in the next byte
					codes[at+1] |= byte(code >> (8 - shift))
				}
			}
			squares += float64(c * c)
		}
		if squares > 0 {
			v.Factors[i] = float32(1 / math.Sqrt(squares))
		}
	}
	return v
}

// Len returns the number of vectors.
func (v *Vectors) Len() int { return len(v.Factors) }

// Row writes vector i to the first Dim numbers of to and tells whether there is one.
func (v *Vectors) Row(to []float32, i int) bool {
	f, w := v.Factors[i], Width(v.Dim, v.Bits)
	codes := v.Codes[i*w : (i+1)*w]
	to = to[:v.Dim]
	switch v.Bits {
	case 3:
		var values [8]float32
		for c := range values {
			values[c] = f * float32(2*c-7)
		}
		at := 0
		for ; at/3*8+8 <= len(to); at += 3 { // 8 numbers in 3 bytes
			c, d := codes[at:at+3], to[at/3*8:][:8]
			word := uint32(c[0]) | uint32(c[1])<<8 | uint32(c[2])<<16
			d[0], d[1], d[2], d[3] = values[word&7], values[word>>3&7], values[word>>6&7], values[word>>9&7]
			d[4], d[5], d[6], d[7] = values[word>>12&7], values[word>>15&7], values[word>>18&7], values[word>>21&7]
		}
		for ; at < len(codes); at += 3 {
			var word uint32
			for k, c := range codes[at:min(at+3, len(codes))] {
				word |= uint32(c) << (8 * k)
			}
			first := at / 3 * 8
			for j := range to[first:min(first+8, len(to))] {
				to[first+j] = values[word>>(3*j)&7]
			}
		}
	case 4:
		var values [16]float32
		for c := range values {
			values[c] = f * float32(c-8)
		}
		for j := range len(to) / 2 {
			c := codes[j]
			to[2*j], to[2*j+1] = values[c&15], values[c>>4]
		}
		if len(to)%2 == 1 {
			to[len(to)-1] = values[codes[len(codes)-1]&15]
		}
	default:
		for j, c := range codes {
			to[j] = f * float32(int8(c))
		}
	}
	return f != 0
}

// Read returns the vectors with these factors and codes, which must not change. It is an error if they cannot be those
// of such vectors.
func Read(factors []float32, codes []byte, dim, bits int) (*Vectors, error) {
	if !Valid(bits) || len(codes) != len(factors)*Width(dim, bits) {
		return nil, fmt.Errorf("%d bytes of %d vectors of %d bits", len(codes), len(factors), bits)
	}
	for i, f := range factors {
		if !(f >= 0 && f <= 1) { // the largest, of a code of 1 alone
			return nil, fmt.Errorf("the factor of vector %d is %v, expected 0 to 1", i, f)
		}
	}
	return &Vectors{Dim: dim, Bits: bits, Factors: factors, Codes: codes}, nil
}
