//go:build (!amd64 && !arm64) || noasm

package timings

// spin returns 0: without vector instructions no peak is known.
func spin(int) float64 { return 0 }
