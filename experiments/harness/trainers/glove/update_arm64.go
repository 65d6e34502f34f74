//go:build !noasm

package glove

import "contextmover/experiments/harness/trainers/internal/records"

//go:generate go run gen_neon.go

func update(m *model, b records.Block) float64 {
	kernel := kernelNEON
	if m.clip > 0 {
		kernel = kernelClippedNEON
	}
	first := &m.layout.Records[b.First]
	return kernel(&m.rows[0], &m.contexts[0], &b.Runs[0], len(b.Runs), first, 4*m.stride, m.rate, m.clip)
}

// The kernels do what updatePortable does for n runs whose records lie one after the other, with stride in bytes. They
// read recordsAhead records and runsAhead runs more.

//go:noescape
func kernelNEON(
	rows, contexts *float32, runs *records.Run, n int, first *records.Record, stride int, rate, limit float32) float64

//go:noescape
func kernelClippedNEON(
	rows, contexts *float32, runs *records.Run, n int, first *records.Record, stride int, rate, limit float32) float64
