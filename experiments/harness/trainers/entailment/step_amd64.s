//go:build !noasm

#include "textflag.h"

DATA one<>+0(SB)/4, $1.0
GLOBL one<>(SB), RODATA|NOPTR, $4
DATA half<>+0(SB)/4, $0.5
GLOBL half<>(SB), RODATA|NOPTR, $4
DATA minushalf<>+0(SB)/4, $-0.5
GLOBL minushalf<>(SB), RODATA|NOPTR, $4
DATA sixth<>+0(SB)/4, $0.16666667
GLOBL sixth<>(SB), RODATA|NOPTR, $4

// Registers of both kernels:
//
//	SI, DI  A of w and c      R8, R9  R of w and c
//	CX      offset            DX      bytes of half a vector
//	Y15     odds

// func scoreAVX2(w, c []float32, odds float32) float32
TEXT ·scoreAVX2(SB), NOSPLIT, $0-60
	MOVQ         w_base+0(FP), SI
	MOVQ         c_base+24(FP), DI
	MOVQ         w_len+8(FP), DX
	VBROADCASTSS odds+48(FP), Y15
	SHLQ         $1, DX
	LEAQ         (SI)(DX*1), R8
	LEAQ         (DI)(DX*1), R9
	VXORPS       Y0, Y0, Y0
	XORQ         CX, CX

sum:
	VMOVUPS     (R8)(CX*1), Y1
	VMULPS      (R9)(CX*1), Y1, Y1  // r
	VADDPS      Y15, Y1, Y2
	VDIVPS      Y2, Y1, Y1          // q
	VMOVUPS     (SI)(CX*1), Y3
	VADDPS      (DI)(CX*1), Y3, Y3  // s
	VFMADD231PS Y1, Y3, Y0
	ADDQ        $32, CX
	CMPQ        CX, DX
	JLT         sum

	VEXTRACTF128 $1, Y0, X1
	VADDPS       X1, X0, X0
	VPERMILPS    $0x4e, X0, X1
	VADDPS       X1, X0, X0
	VPERMILPS    $0xb1, X0, X1
	VADDSS       X1, X0, X0
	VMOVSS       X0, ret+56(FP)
	VZEROUPPER
	RET

// From Y4 = d, Y5 = A and Y6 = R: the new A and R in the same registers.
#define MOVE(a, r) \
	VSUBPS       r, Y14, Y7    \
	VMULPS       Y4, Y7, Y7    \
	VMINPS       Y13, Y7, Y7   \
	VMAXPS       Y12, Y7, Y7   \
	VADDPS       Y7, a, a      \
	VMOVAPS      Y13, Y8       \
	VFNMADD231PS Y11, Y7, Y8   \
	VMOVAPS      Y14, Y9       \
	VFNMADD231PS Y8, Y7, Y9    \
	VMULPS       Y9, Y7, Y9    \
	VFNMADD231PS Y9, r, r

// func stepAVX2(w, c []float32, odds, move float32)
TEXT ·stepAVX2(SB), NOSPLIT, $0-56
	MOVQ         w_base+0(FP), SI
	MOVQ         c_base+24(FP), DI
	MOVQ         w_len+8(FP), DX
	VBROADCASTSS odds+48(FP), Y15
	VBROADCASTSS move+52(FP), Y10
	VBROADCASTSS one<>(SB), Y14
	VBROADCASTSS half<>(SB), Y13
	VBROADCASTSS minushalf<>(SB), Y12
	VBROADCASTSS sixth<>(SB), Y11
	SHLQ         $1, DX
	LEAQ         (SI)(DX*1), R8
	LEAQ         (DI)(DX*1), R9
	XORQ         CX, CX

next:
	VMOVUPS      (SI)(CX*1), Y0
	VMOVUPS      (DI)(CX*1), Y1
	VMOVUPS      (R8)(CX*1), Y2
	VMOVUPS      (R9)(CX*1), Y3
	VMULPS       Y2, Y3, Y5          // r
	VADDPS       Y15, Y5, Y6
	VDIVPS       Y6, Y5, Y5          // q
	VADDPS       Y0, Y1, Y6          // s
	VSUBPS       Y5, Y14, Y4
	VFMSUB213PS  Y14, Y6, Y4         // s(1-q) - 1
	VMULPS       Y5, Y4, Y4
	VMULPS       Y10, Y4, Y4         // d
	MOVE(Y0, Y2)
	MOVE(Y1, Y3)
	VMOVUPS      Y0, (SI)(CX*1)
	VMOVUPS      Y1, (DI)(CX*1)
	VMOVUPS      Y2, (R8)(CX*1)
	VMOVUPS      Y3, (R9)(CX*1)
	ADDQ         $32, CX
	CMPQ         CX, DX
	JLT          next
	VZEROUPPER
	RET
