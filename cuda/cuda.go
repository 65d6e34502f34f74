// Package cuda solves transport problems on a GPU, in batches and in float32, with
// the accuracy that package cpu states.
//
// It is built with the tag cuda only, which needs cgo, CUDA headers and libcuda;
// without the tag New returns ErrNotBuilt. The kernels lie in kernels/, compiled to
// PTX in ptx/, which the driver compiles for its device. See docs/dev/cuda.md.
//
// A block of threads keeps its problems, or members of groups, in shared memory through all iterations. The Gibbs
// kernel exp(−M/λ) is there too where it fits; else it is read through the second-level cache. On devices of
// compute capability 9.0 the products of distances without a border run on tensor cores, each operand split into
// two of 11 bits, which is as exact as float32. Problems for which scaling loses accuracy (as package cpu proves
// it does not) are solved again in the logarithmic domain, with float64 potentials, also on the device. No result
// depends on its neighbours, on the size of a batch or on the order of threads.
package cuda

import "errors"

// ErrNotBuilt is what New returns in a build without the tag cuda.
var ErrNotBuilt = errors.New("cuda: this build has no GPU engine; build it with the tag cuda (make cuda)")
