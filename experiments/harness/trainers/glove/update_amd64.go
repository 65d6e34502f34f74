//go:build !noasm

package glove

import (
	"contextmover/experiments/harness/trainers/internal/records"
	"contextmover/internal/system"
)

func init() {
	switch {
	case system.AVX512:
		update = updateBy(kernelAVX512, kernelClippedAVX512)
	case system.AVX2:
		update = updateBy(kernelAVX2, kernelClippedAVX2)
	}
}

//go:noescape
func kernelAVX512(
	rows, contexts *float32, runs *records.Run, n int, first *records.Record, stride int, rate, limit float32,
) float64

//go:noescape
func kernelClippedAVX512(
	rows, contexts *float32, runs *records.Run, n int, first *records.Record, stride int, rate, limit float32,
) float64

//go:noescape
func kernelAVX2(
	rows, contexts *float32, runs *records.Run, n int, first *records.Record, stride int, rate, limit float32,
) float64

//go:noescape
func kernelClippedAVX2(
	rows, contexts *float32, runs *records.Run, n int, first *records.Record, stride int, rate, limit float32,
) float64
