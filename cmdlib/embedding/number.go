package embedding

import (
	"bytes"
	"math"
	"strconv"
)

// parseFloat reads the decimal number at the start of text, which ends at a blank
// or at the end of text, and returns it rounded to the nearest float32, the number
// of bytes it takes, and whether there is one. Infinities and NaN are numbers
// here.
func parseFloat(text []byte) (x float32, length int, ok bool) {
	length = bytes.IndexAny(text, " \t")
	if length < 0 {
		length = len(text)
	}
	number := text[:length]
	// ParseFloat also takes what no vector file contains.
	if bytes.ContainsAny(number, "_xX") {
		return 0, length, false
	}
	d, err := strconv.ParseFloat(string(number), 32)
	if err != nil && !math.IsInf(d, 0) {
		return 0, length, false
	}
	return float32(d), length, true
}
