//go:build !noasm

#include "textflag.h"

// func addScaledAVX512(y, x []float32, a float32, ahead []float32)
TEXT ·addScaledAVX512(SB), NOSPLIT, $0-80
	MOVQ         y_base+0(FP), DI
	MOVQ         x_base+24(FP), SI
	MOVQ         y_len+8(FP), CX
	VBROADCASTSS a+48(FP), Z0
	MOVQ         ahead_base+56(FP), R8
	SHLQ         $2, CX
	XORQ         DX, DX

next:
	VMOVUPS     (DI)(DX*1), Z1
	VMOVUPS     64(DI)(DX*1), Z2
	PREFETCHT0  (R8)(DX*1)
	PREFETCHT0  64(R8)(DX*1)
	VFMADD231PS (SI)(DX*1), Z0, Z1
	VFMADD231PS 64(SI)(DX*1), Z0, Z2
	VMOVUPS     Z1, (DI)(DX*1)
	VMOVUPS     Z2, 64(DI)(DX*1)
	ADDQ        $128, DX
	CMPQ        DX, CX
	JLT         next
	VZEROUPPER
	RET

// func addScaledAVX2(y, x []float32, a float32, ahead []float32)
TEXT ·addScaledAVX2(SB), NOSPLIT, $0-80
	MOVQ         y_base+0(FP), DI
	MOVQ         x_base+24(FP), SI
	MOVQ         y_len+8(FP), CX
	VBROADCASTSS a+48(FP), Y0
	MOVQ         ahead_base+56(FP), R8
	SHLQ         $2, CX
	XORQ         DX, DX

next:
	VMOVUPS     (DI)(DX*1), Y1
	VMOVUPS     32(DI)(DX*1), Y2
	VMOVUPS     64(DI)(DX*1), Y3
	VMOVUPS     96(DI)(DX*1), Y4
	PREFETCHT0  (R8)(DX*1)
	PREFETCHT0  64(R8)(DX*1)
	VFMADD231PS (SI)(DX*1), Y0, Y1
	VFMADD231PS 32(SI)(DX*1), Y0, Y2
	VFMADD231PS 64(SI)(DX*1), Y0, Y3
	VFMADD231PS 96(SI)(DX*1), Y0, Y4
	VMOVUPS     Y1, (DI)(DX*1)
	VMOVUPS     Y2, 32(DI)(DX*1)
	VMOVUPS     Y3, 64(DI)(DX*1)
	VMOVUPS     Y4, 96(DI)(DX*1)
	ADDQ        $128, DX
	CMPQ        DX, CX
	JLT         next
	VZEROUPPER
	RET

// func dotAVX512(x, y, ahead []float32) float32
TEXT ·dotAVX512(SB), NOSPLIT, $0-76
	MOVQ   x_base+0(FP), DI
	MOVQ   y_base+24(FP), SI
	MOVQ   x_len+8(FP), CX
	MOVQ   ahead_base+48(FP), R8
	SHLQ   $2, CX
	XORQ   DX, DX
	VXORPS X0, X0, X0
	VXORPS X1, X1, X1

next:
	VMOVUPS     (DI)(DX*1), Z2
	VMOVUPS     64(DI)(DX*1), Z3
	PREFETCHT0  (R8)(DX*1)
	PREFETCHT0  64(R8)(DX*1)
	VFMADD231PS (SI)(DX*1), Z2, Z0
	VFMADD231PS 64(SI)(DX*1), Z3, Z1
	ADDQ        $128, DX
	CMPQ        DX, CX
	JLT         next

	VADDPS        Z1, Z0, Z0
	VEXTRACTF64X4 $1, Z0, Y1
	VADDPS        Y1, Y0, Y0
	VEXTRACTF128  $1, Y0, X1
	VADDPS        X1, X0, X0
	VPERMILPS     $0x4e, X0, X1
	VADDPS        X1, X0, X0
	VPERMILPS     $0xb1, X0, X1
	VADDSS        X1, X0, X0
	VMOVSS        X0, ret+72(FP)
	VZEROUPPER
	RET

// func dotAVX2(x, y, ahead []float32) float32
TEXT ·dotAVX2(SB), NOSPLIT, $0-76
	MOVQ   x_base+0(FP), DI
	MOVQ   y_base+24(FP), SI
	MOVQ   x_len+8(FP), CX
	MOVQ   ahead_base+48(FP), R8
	SHLQ   $2, CX
	XORQ   DX, DX
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3

next:
	VMOVUPS     (DI)(DX*1), Y4
	VMOVUPS     32(DI)(DX*1), Y5
	VMOVUPS     64(DI)(DX*1), Y6
	VMOVUPS     96(DI)(DX*1), Y7
	PREFETCHT0  (R8)(DX*1)
	PREFETCHT0  64(R8)(DX*1)
	VFMADD231PS (SI)(DX*1), Y4, Y0
	VFMADD231PS 32(SI)(DX*1), Y5, Y1
	VFMADD231PS 64(SI)(DX*1), Y6, Y2
	VFMADD231PS 96(SI)(DX*1), Y7, Y3
	ADDQ        $128, DX
	CMPQ        DX, CX
	JLT         next

	VADDPS       Y1, Y0, Y0
	VADDPS       Y3, Y2, Y2
	VADDPS       Y2, Y0, Y0
	VEXTRACTF128 $1, Y0, X1
	VADDPS       X1, X0, X0
	VPERMILPS    $0x4e, X0, X1
	VADDPS       X1, X0, X0
	VPERMILPS    $0xb1, X0, X1
	VADDSS       X1, X0, X0
	VMOVSS       X0, ret+72(FP)
	VZEROUPPER
	RET
