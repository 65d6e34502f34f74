//go:build !noasm

package glove

import (
	"contextmover/experiments/harness/trainers/internal/records"
	"contextmover/internal/system"
)

// update is the fastest of the updates that this processor can run.
var update = fastest()

func fastest() func(m *model, b records.Block) float64 {
	switch {
	case system.AVX512:
		return updateAVX512
	case system.AVX2:
		return updateAVX2
	}
	return updatePortable
}

func updateAVX512(m *model, b records.Block) float64 {
	kernel := kernelAVX512
	if m.clip > 0 {
		kernel = kernelClippedAVX512
	}
	return kernel(&m.rows[0], &m.contexts[0], &b.Runs[0], len(b.Runs), &m.layout.Records[b.First],
		4*m.stride, m.rate, m.clip)
}

func updateAVX2(m *model, b records.Block) float64 {
	kernel := kernelAVX2
	if m.clip > 0 {
		kernel = kernelClippedAVX2
	}
	return kernel(&m.rows[0], &m.contexts[0], &b.Runs[0], len(b.Runs), &m.layout.Records[b.First],
		4*m.stride, m.rate, m.clip)
}

// The kernels do what updatePortable does for n runs whose records lie one after
// the other, with stride in bytes. They read recordsAhead records and runsAhead runs
// more.

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
