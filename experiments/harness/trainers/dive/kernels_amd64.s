//go:build !noasm

#include "textflag.h"

DATA half<>+0(SB)/4, $0.5
GLOBL half<>(SB), RODATA|NOPTR, $4
DATA threehalves<>+0(SB)/4, $1.5
GLOBL threehalves<>(SB), RODATA|NOPTR, $4

// func dotAVX2(w, c []float32) float32
TEXT ·dotAVX2(SB), NOSPLIT, $0-52
	MOVQ   w_base+0(FP), SI
	MOVQ   c_base+24(FP), DI
	MOVQ   w_len+8(FP), CX
	SHLQ   $2, CX
	XORQ   DX, DX
	VXORPS Y0, Y0, Y0

next:
	VMOVUPS     (SI)(DX*1), Y1
	VFMADD231PS (DI)(DX*1), Y1, Y0
	ADDQ        $64, DX
	CMPQ        DX, CX
	JLT         next

	VEXTRACTF128 $1, Y0, X1
	VADDPS       X1, X0, X0
	VPERMILPS    $0x4e, X0, X1
	VADDPS       X1, X0, X0
	VPERMILPS    $0xb1, X0, X1
	VADDSS       X1, X0, X0
	VMOVSS       X0, ret+48(FP)
	VZEROUPPER
	RET

// func stepAVX2(w, c []float32, gradient, rate float32)
//
// 1/√ is the processor's estimate and a step of Newton's method: y(1.5 − 0.5xy²).
TEXT ·stepAVX2(SB), NOSPLIT, $0-56
	MOVQ         w_base+0(FP), SI
	MOVQ         c_base+24(FP), DI
	MOVQ         w_len+8(FP), CX
	VBROADCASTSS gradient+48(FP), Y15
	VBROADCASTSS rate+52(FP), Y14
	VBROADCASTSS half<>(SB), Y13
	VBROADCASTSS threehalves<>(SB), Y12
	VXORPS       Y11, Y11, Y11
	SHLQ         $2, CX
	XORQ         DX, DX

next:
	VMOVUPS      (SI)(DX*1), Y0    // w
	VMOVUPS      32(SI)(DX*1), Y1  // its squares
	VMOVUPS      (DI)(DX*1), Y2    // c
	VMOVUPS      32(DI)(DX*1), Y3
	VMULPS       Y15, Y2, Y4       // g c
	VMULPS       Y15, Y0, Y5       // g w
	VFMADD231PS  Y4, Y4, Y1
	VFMADD231PS  Y5, Y5, Y3
	VRSQRTPS     Y1, Y6
	VRSQRTPS     Y3, Y7
	VMULPS       Y6, Y6, Y8
	VMULPS       Y7, Y7, Y9
	VMULPS       Y1, Y8, Y8
	VMULPS       Y3, Y9, Y9
	VFNMADD213PS Y12, Y13, Y8      // 1.5 − 0.5xy²
	VFNMADD213PS Y12, Y13, Y9
	VMULPS       Y8, Y6, Y6
	VMULPS       Y9, Y7, Y7
	VMULPS       Y14, Y4, Y4
	VMULPS       Y14, Y5, Y5
	VFMADD231PS  Y6, Y4, Y0
	VFMADD231PS  Y7, Y5, Y2
	VMAXPS       Y11, Y0, Y0
	VMAXPS       Y11, Y2, Y2
	VMOVUPS      Y0, (SI)(DX*1)
	VMOVUPS      Y1, 32(SI)(DX*1)
	VMOVUPS      Y2, (DI)(DX*1)
	VMOVUPS      Y3, 32(DI)(DX*1)
	ADDQ         $64, DX
	CMPQ         DX, CX
	JLT          next
	VZEROUPPER
	RET
