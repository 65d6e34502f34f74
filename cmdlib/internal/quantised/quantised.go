// Package quantised keeps vectors of length 1 in 8 bits a number.
package quantised

import (
	"encoding/binary"
	"math"
)

// Levels is the largest code.
const Levels = 127

// Vectors are Len vectors of Dim numbers: a factor for each, and a code from −Levels to Levels for each number,
//
//	v_i ≈ f·c_i,  c_i = round(Levels·v_i/max|v|),  f = 1/‖c‖
//
// so that each has the length 1 again. |f·c_i − v_i| is at most max|v|/Levels for vectors of length 1 (half of that by
// rounding; f differs from max|v|/Levels by no more than a part of it). The vector 0 has the factor 0.
type Vectors struct {
	Dim     int
	Factors []float32
	Codes   []byte // int8
}

// New returns vectors with codes of the rows of data, of whatever length.
func New(data []float32, dim int) *Vectors {
	v := &Vectors{Dim: dim, Factors: make([]float32, len(data)/dim), Codes: make([]byte, len(data))}
	for i := range v.Factors {
		row, codes := data[i*dim:(i+1)*dim], v.Codes[i*dim:(i+1)*dim]
		most, squares := 0.0, 0.0
		for _, x := range row {
			most = max(most, math.Abs(float64(x)))
		}
		if most == 0 {
			continue
		}
		for j, x := range row {
			c := math.Round(Levels * float64(x) / most)
			codes[j] = byte(int8(c))
			squares += float64(c * c)
		}
		v.Factors[i] = float32(1 / math.Sqrt(squares))
	}
	return v
}

// Len returns the number of vectors.
func (v *Vectors) Len() int { return len(v.Factors) }

// Row writes vector i to the first Dim numbers of to and tells whether there is one.
func (v *Vectors) Row(to []float32, i int) bool {
	f := v.Factors[i]
	for j, c := range v.Codes[i*v.Dim : (i+1)*v.Dim] {
		to[j] = f * float32(int8(c))
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
func Size(vectors, dim int) int { return vectors * (4 + dim) }

// Read returns the vectors that Append appended, and whether they can be such. Their codes are those of the bytes, which
// must not change.
func Read(bytes []byte, vectors, dim int) (*Vectors, bool) {
	if len(bytes) != Size(vectors, dim) {
		return nil, false
	}
	v := &Vectors{Dim: dim, Factors: make([]float32, vectors), Codes: bytes[4*vectors:]}
	for i := range v.Factors {
		f := math.Float32frombits(binary.LittleEndian.Uint32(bytes[4*i:]))
		if !(f >= 0 && f <= 1) { // the largest, of a code of 1 alone
			return nil, false
		}
		v.Factors[i] = f
	}
	return v, true
}
