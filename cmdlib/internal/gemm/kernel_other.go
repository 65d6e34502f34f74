//go:build (!amd64 && !arm64) || noasm

package gemm

// kernels lists what this machine can run, best first.
func kernels() []*kernelSet { return []*kernelSet{&portable} }

func run[T Float](_ *kernelSet, t *tile, _ int) { portableTile[T](t, false) }

// runStrip is never called: no kernel has strips.
func runStrip(*tile) {}
