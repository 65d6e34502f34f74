//go:build !amd64 || noasm

package system

// There are no kernels for AVX-512 and AVX2 in this build.
const AVX512, AVX512VNNI, AVX2 = false, false, false
