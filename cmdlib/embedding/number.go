package embedding

import (
	"math"
	"strconv"
)

// The powers of ten that float64 holds exactly.
var powersOfTen = [...]float64{
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
}

// parseFloat reads the decimal number at the start of text, which ends at a blank
// or at the end of text, and returns it rounded to the nearest float32, the number
// of bytes it takes, and whether there is one. Infinities and NaN are numbers
// here.
func parseFloat(text []byte) (x float32, length int, ok bool) {
	var (
		mantissa uint64
		digits   int // of the mantissa, leading zeros not counted
		exponent int
		seen     bool // a digit
		i        int
	)
	negative := false
	if i < len(text) && (text[i] == '-' || text[i] == '+') {
		negative = text[i] == '-'
		i++
	}
	for ; i < len(text) && text[i]-'0' < 10; i++ {
		mantissa = mantissa*10 + uint64(text[i]-'0')
		seen = true
		if mantissa != 0 {
			digits++
		}
	}
	if i < len(text) && text[i] == '.' {
		i++
		point := i
		for ; i < len(text) && text[i]-'0' < 10; i++ {
			mantissa = mantissa*10 + uint64(text[i]-'0')
			if mantissa != 0 {
				digits++
			}
		}
		exponent = point - i
		seen = seen || exponent != 0
	}
	if seen && i+1 < len(text) && text[i]|0x20 == 'e' {
		j := i + 1
		minus := text[j] == '-'
		if minus || text[j] == '+' {
			j++
		}
		e, from := 0, j
		for ; j < len(text) && text[j]-'0' < 10 && e < 10000; j++ {
			e = e*10 + int(text[j]-'0')
		}
		if j > from {
			if minus {
				e = -e
			}
			exponent += e
			i = j
		}
	}
	// An exact mantissa times or over an exact power of ten is correctly rounded
	// [Clinger 1990], here to float64. Rounding that once more to float32 is right
	// unless the first rounding ended half way between two float32, or the result
	// is not a normal float32.
	if seen && (i == len(text) || blank(text[i])) && digits <= 19 && mantissa < 1<<53 &&
		-22 <= exponent && exponent <= 22 {
		d := float64(mantissa)
		if exponent < 0 {
			d /= powersOfTen[-exponent]
		} else {
			d *= powersOfTen[exponent]
		}
		if math.Float64bits(d)&(1<<29-1) != 1<<28 && (d == 0 || 0x1p-126 <= d && d < 0x1p127) {
			if negative {
				d = -d
			}
			return float32(d), i, true
		}
	}
	for i = 0; i < len(text) && !blank(text[i]); i++ {
	}
	// ParseFloat also takes what no vector file contains.
	for _, c := range text[:i] {
		if c == '_' || c == 'x' || c == 'X' {
			return 0, i, false
		}
	}
	d, err := strconv.ParseFloat(string(text[:i]), 32)
	if err != nil && !math.IsInf(d, 0) {
		return 0, i, false
	}
	return float32(d), i, true
}

func blank(c byte) bool { return c == ' ' || c == '\t' }
