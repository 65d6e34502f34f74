//go:build !arm64 || noasm

package system

// NEON tells whether the kernels for NEON can run.
const NEON = false
