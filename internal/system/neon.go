//go:build arm64 && !noasm

package system

// NEON tells whether the kernels for NEON can run, as they can on every arm64 processor.
const NEON = true
