package glove

import "math"

// train updates the parameters with each record of b in order and returns the sum
// of their losses.
func (m *model) train(b block) float64 {
	if b.records == 0 {
		return 0
	}
	return 0.5 * update(m, b)
}

// updatePortable is the update in plain Go. It returns the sum of f·diff².
func updatePortable(m *model, b block) float64 {
	var loss float64
	records := m.layout.records[b.first:]
	for _, run := range b.runs {
		row := m.rows[int(run.row)*m.stride:][:m.stride]
		for _, r := range records[:run.records] {
			context := m.contexts[int(r.column)*m.stride:][:len(row)]
			// As many sums as lanes: one would wait for itself.
			var sums [lanes]float32
			for at := 0; at < len(row); at += 2 * lanes {
				w, v := (*[lanes]float32)(row[at:]), (*[lanes]float32)(context[at:])
				for k := range sums {
					sums[k] += w[k] * v[k]
				}
			}
			diff := -r.log
			for _, s := range sums {
				diff += s
			}
			loss += float64(r.weight * diff * diff)
			g := m.rate * r.weight * diff
			for at := 0; at < len(row); at += 2 * lanes {
				w, v := (*[2 * lanes]float32)(row[at:]), (*[2 * lanes]float32)(context[at:])
				for k := range lanes {
					s, t := g*v[k], g*w[k]
					if m.clip > 0 {
						s, t = min(max(s, -m.clip), m.clip), min(max(t, -m.clip), m.clip)
					}
					w[k] -= s / float32(math.Sqrt(float64(1+w[lanes+k])))
					v[k] -= t / float32(math.Sqrt(float64(1+v[lanes+k])))
					w[lanes+k] += s * s
					v[lanes+k] += t * t
				}
			}
		}
		records = records[run.records:]
	}
	return loss
}
