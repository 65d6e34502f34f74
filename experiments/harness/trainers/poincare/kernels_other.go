//go:build !amd64 || noasm

package poincare

const vectorised = false

func (m *model) near(x, y []float32) (sum float32, ok bool) { return 0, false }

func (m *model) stepNear(x, y []float32, g, rate float32) { m.step(x, y, g, rate) }
