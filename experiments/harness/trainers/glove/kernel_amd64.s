//go:build !noasm

#include "textflag.h"

DATA one<>+0(SB)/4, $1.0
GLOBL one<>(SB), RODATA|NOPTR, $4
DATA half<>+0(SB)/4, $0.5
GLOBL half<>(SB), RODATA|NOPTR, $4
DATA threehalves<>+0(SB)/4, $1.5
GLOBL threehalves<>(SB), RODATA|NOPTR, $4

// Registers of all kernels:
//
//	DI  contexts                R10 bytes of a word's parameters
//	SI  row                     AX  context of the record
//	BX  of the next record      CX  of the record whose turn comes later
//	R8  record                  R9  records left in the run
//	R12 next run                R13 runs left, this one included
//	DX  offset in a word        R15 next row

#define ARGUMENTS \
	MOVQ    contexts+8(FP), DI \
	MOVQ    runs+16(FP), R12   \
	MOVQ    n+24(FP), R13      \
	MOVQ    records+32(FP), R8 \
	MOVQ    stride+40(FP), R10 \
	MOVLQSX (R8), AX           \
	IMULQ   R10, AX            \
	ADDQ    DI, AX

// func kernelAVX512(rows, contexts *float32, runs *run, n int, records *record, stride int, rate, limit float32) float64
TEXT ·kernelAVX512(SB), NOSPLIT, $0-64
	ARGUMENTS
	VMOVSS rate+48(FP), X30

#define GRADIENTS \
	VMULPS Z4, Z7, Z11 \
	VMULPS Z4, Z5, Z12
#include "kernel_avx512.h"
#undef GRADIENTS

	VMOVSD X29, ret+56(FP)
	VZEROUPPER
	RET

// func kernelClippedAVX512(rows, contexts *float32, runs *run, n int, records *record, stride int, rate, limit float32) float64
TEXT ·kernelClippedAVX512(SB), NOSPLIT, $0-64
	ARGUMENTS
	VMOVSS       rate+48(FP), X30
	VBROADCASTSS limit+52(FP), Z27
	VXORPS       X28, X28, X28
	VSUBPS       Z27, Z28, Z28

#define GRADIENTS \
	VMULPS Z4, Z7, Z11   \
	VMULPS Z4, Z5, Z12   \
	VMINPS Z27, Z11, Z11 \
	VMINPS Z27, Z12, Z12 \
	VMAXPS Z28, Z11, Z11 \
	VMAXPS Z28, Z12, Z12
#include "kernel_avx512.h"
#undef GRADIENTS

	VMOVSD X29, ret+56(FP)
	VZEROUPPER
	RET

// func kernelAVX2(rows, contexts *float32, runs *run, n int, records *record, stride int, rate, limit float32) float64
TEXT ·kernelAVX2(SB), NOSPLIT, $0-64
	ARGUMENTS

#define GRADIENTS \
	VMULPS Y4, Y7, Y11 \
	VMULPS Y4, Y5, Y12
#include "kernel_avx2.h"
#undef GRADIENTS

	VMOVSD X3, ret+56(FP)
	VZEROUPPER
	RET

// func kernelClippedAVX2(rows, contexts *float32, runs *run, n int, records *record, stride int, rate, limit float32) float64
TEXT ·kernelClippedAVX2(SB), NOSPLIT, $0-64
	ARGUMENTS
	VBROADCASTSS limit+52(FP), Y2

#define GRADIENTS \
	VMULPS Y4, Y7, Y11     \
	VMULPS Y4, Y5, Y12     \
	VMINPS Y2, Y11, Y11    \
	VMINPS Y2, Y12, Y12    \
	VXORPS Y13, Y13, Y13   \
	VSUBPS Y2, Y13, Y13    \
	VMAXPS Y13, Y11, Y11   \
	VMAXPS Y13, Y12, Y12
#include "kernel_avx2.h"
#undef GRADIENTS

	VMOVSD X3, ret+56(FP)
	VZEROUPPER
	RET
