//go:build !amd64 || noasm

package sgemm

// kernels lists what this machine can run, best first.
func kernels() []*kernelSet { return []*kernelSet{&portable} }

func (s *kernelSet) run(t *tile, _ int) { portableTile(t) }
