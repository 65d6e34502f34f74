//go:build !noasm

package glove

import "contextmover/experiments/harness/trainers/internal/records"

//go:generate go run gen_neon.go

var update = updateBy(kernelNEON, kernelClippedNEON)

//go:noescape
func kernelNEON(
	rows, contexts *float32, runs *records.Run, n int, first *records.Record, stride int, rate, limit float32) float64

//go:noescape
func kernelClippedNEON(
	rows, contexts *float32, runs *records.Run, n int, first *records.Record, stride int, rate, limit float32) float64
