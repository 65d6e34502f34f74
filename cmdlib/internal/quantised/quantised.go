// Package quantised keeps vectors of length 1 in 4 or 8 bits a number.
package quantised

import (
	"encoding/binary"
	"math"
)

// Vectors are Len vectors of Dim numbers: a factor for each, and a code
// from −L to L for each number, with L = 7 for 4 bits and 127 for 8,
//
//	v_i ≈ f·c_i,  c_i = round(L·v_i/max|v|),  f = 1/‖c‖
//
// so that each has the length 1 again. The vector 0 has the factor 0.
type Vectors struct {
	Dim     int
	Bits    int // 4 or 8; 0 stands for 8
	Factors []float32
	// Codes are int8 each, or of 4 bits two in a byte, c+8 each,
	// the first in the lower half; a vector begins with a byte.
	Codes []byte
}

// Levels is L of 8 bits.
const Levels = 127

// levels is L.
func levels(bits int) int { return 1<<(bits-1) - 1 }

// Valid tells whether vectors can have so many bits.
func Valid(bits int) bool { return bits == 4 || bits == 8 }

// width is the number of bytes of the codes of a vector.
func width(dim, bits int) int {
	if bits == 4 {
		return (dim + 1) / 2
	}
	return dim
}

// New returns vectors of 8 bits with codes of the rows of data, of whatever length.
func New(data []float32, dim int) *Vectors { return Of(data, dim, 8) }

// Of is New with so many bits. It panics if they are not Valid.
func Of(data []float32, dim, bits int) *Vectors {
	if !Valid(bits) {
		panic("quantised: vectors of neither 4 nor 8 bits")
	}
	n, w := len(data)/dim, width(dim, bits)
	v := &Vectors{Dim: dim, Bits: bits, Factors: make([]float32, n), Codes: make([]byte, n*w)}
	mostCode := float64(levels(bits))
	for i := range v.Factors {
		row, codes := data[i*dim:(i+1)*dim], v.Codes[i*w:(i+1)*w]
		most, squares := 0.0, 0.0
		for _, x := range row {
			most = max(most, math.Abs(float64(x)))
		}
		for j, x := range row {
			c := 0.0
			if most > 0 {
				c = math.Round(mostCode * float64(x) / most)
			}
			if bits == 8 {
				codes[j] = byte(int8(c))
			} else {
				codes[j/2] |= byte(int(c)+8) << (4 * (j % 2))
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
	f, w := v.Factors[i], width(v.Dim, v.Bits)
	codes := v.Codes[i*w : (i+1)*w]
	to = to[:v.Dim]
	if v.Bits != 4 {
		for j, c := range codes {
			to[j] = f * float32(int8(c))
		}
		return f != 0
	}
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
	return f != 0
}

// Append appends the factors, lowest byte first, and the codes.
func (v *Vectors) Append(to []byte) []byte {
	for _, f := range v.Factors {
		to = binary.LittleEndian.AppendUint32(to, math.Float32bits(f))
	}
	return append(to, v.Codes...)
}

// Size is the number of bytes that Append appends for so many vectors.
func Size(vectors, dim, bits int) int { return vectors * (4 + width(dim, bits)) }

// Read returns the vectors that Append appended, and whether they can
// be such. Their codes are those of the bytes, which must not change.
func Read(bytes []byte, vectors, dim, bits int) (*Vectors, bool) {
	if !Valid(bits) || len(bytes) != Size(vectors, dim, bits) {
		return nil, false
	}
	v := &Vectors{Dim: dim, Bits: bits, Factors: make([]float32, vectors), Codes: bytes[4*vectors:]}
	for i := range v.Factors {
		f := math.Float32frombits(binary.LittleEndian.Uint32(bytes[4*i:]))
		if !(f >= 0 && f <= 1) { // the largest, of a code of 1 alone
			return nil, false
		}
		v.Factors[i] = f
	}
	return v, true
}
