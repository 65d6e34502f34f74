package glove

import (
	"math"

	"contextmover/experiments/harness/trainers/internal/records"
)

// update is the fastest of the updates that this processor can run.
var update = updatePortable

// train updates the parameters with each record of b in order and returns the sum
// of their losses.
func (m *model) train(b records.Block) float64 {
	if b.Records == 0 {
		return 0
	}
	return 0.5 * update(m, b)
}

// A kernel does what updatePortable does for n runs whose records lie one after the other, with stride in bytes. It
// reads recordsAhead records and runsAhead runs more.
type kernel = func(
	rows, contexts *float32, runs *records.Run, n int, first *records.Record, stride int, rate, limit float32,
) float64

// updateBy is the update by a kernel, or by another one that clips gradients.
func updateBy(plain, clipped kernel) func(m *model, b records.Block) float64 {
	return func(m *model, b records.Block) float64 {
		run := plain
		if m.clip > 0 {
			run = clipped
		}
		first := &m.layout.Records[b.First]
		return run(&m.Sides[0][0], &m.Sides[1][0], &b.Runs[0], len(b.Runs), first, 4*m.Stride, m.rate, m.clip)
	}
}

// updatePortable is the update in plain Go. It returns the sum of f·diff².
func updatePortable(m *model, b records.Block) float64 {
	var loss float64
	records := m.layout.Records[b.First:]
	for _, run := range b.Runs {
		row := m.Word(run.Row)
		for _, r := range records[:run.Records] {
			context := m.Context(r.Column)[:len(row)]
			// As many sums as lanes: one would wait for itself.
			var sums [lanes]float32
			for at := 0; at < len(row); at += 2 * lanes {
				w, v := (*[lanes]float32)(row[at:]), (*[lanes]float32)(context[at:])
				for k := range sums {
					sums[k] += float32(w[k] * v[k])
				}
			}
			diff := -r.Log
			for _, s := range sums {
				diff += s
			}
			loss += float64(r.Weight * diff * diff)
			g := m.rate * r.Weight * diff
			for at := 0; at < len(row); at += 2 * lanes {
				w, v := (*[2 * lanes]float32)(row[at:]), (*[2 * lanes]float32)(context[at:])
				for k := range lanes {
					s, t := g*v[k], g*w[k]
					if m.clip > 0 {
						s, t = min(max(s, -m.clip), m.clip), min(max(t, -m.clip), m.clip)
					}
					w[k] -= s / float32(math.Sqrt(float64(1+w[lanes+k])))
					v[k] -= t / float32(math.Sqrt(float64(1+v[lanes+k])))
					w[lanes+k] += float32(s * s)
					v[lanes+k] += float32(t * t)
				}
			}
		}
		records = records[run.Records:]
	}
	return loss
}
