//go:build !noasm

#include "textflag.h"

// func stripSumAVX2(y, x *float32, index *int32, value *float32, n int)
//
// The 64 sums stay in Y0–Y7 over all n entries.
TEXT ·stripSumAVX2(SB), NOSPLIT, $0-40
	MOVQ y+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ index+16(FP), R8
	MOVQ value+24(FP), R9
	MOVQ n+32(FP), CX
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	VXORPS Y4, Y4, Y4
	VXORPS Y5, Y5, Y5
	VXORPS Y6, Y6, Y6
	VXORPS Y7, Y7, Y7

entry:
	MOVLQSX      (R8), AX
	SHLQ         $8, AX
	VBROADCASTSS (R9), Y8
	VFMADD231PS  0(SI)(AX*1), Y8, Y0
	VFMADD231PS  32(SI)(AX*1), Y8, Y1
	VFMADD231PS  64(SI)(AX*1), Y8, Y2
	VFMADD231PS  96(SI)(AX*1), Y8, Y3
	VFMADD231PS  128(SI)(AX*1), Y8, Y4
	VFMADD231PS  160(SI)(AX*1), Y8, Y5
	VFMADD231PS  192(SI)(AX*1), Y8, Y6
	VFMADD231PS  224(SI)(AX*1), Y8, Y7
	ADDQ         $4, R8
	ADDQ         $4, R9
	DECQ         CX
	JNZ          entry

	VMOVUPS Y0, 0(DI)
	VMOVUPS Y1, 32(DI)
	VMOVUPS Y2, 64(DI)
	VMOVUPS Y3, 96(DI)
	VMOVUPS Y4, 128(DI)
	VMOVUPS Y5, 160(DI)
	VMOVUPS Y6, 192(DI)
	VMOVUPS Y7, 224(DI)
	VZEROUPPER
	RET

// func stripSumAVX512(y, x *float32, index *int32, value *float32, n int)
//
// The 64 sums stay in Z0–Z3 over all n entries, added in the order of stripSumAVX2.
TEXT ·stripSumAVX512(SB), NOSPLIT, $0-40
	MOVQ y+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ index+16(FP), R8
	MOVQ value+24(FP), R9
	MOVQ n+32(FP), CX
	VPXORQ Z0, Z0, Z0
	VPXORQ Z1, Z1, Z1
	VPXORQ Z2, Z2, Z2
	VPXORQ Z3, Z3, Z3

entry:
	MOVLQSX      (R8), AX
	SHLQ         $8, AX
	VBROADCASTSS (R9), Z8
	VFMADD231PS  0(SI)(AX*1), Z8, Z0
	VFMADD231PS  64(SI)(AX*1), Z8, Z1
	VFMADD231PS  128(SI)(AX*1), Z8, Z2
	VFMADD231PS  192(SI)(AX*1), Z8, Z3
	ADDQ         $4, R8
	ADDQ         $4, R9
	DECQ         CX
	JNZ          entry

	VMOVUPS Z0, 0(DI)
	VMOVUPS Z1, 64(DI)
	VMOVUPS Z2, 128(DI)
	VMOVUPS Z3, 192(DI)
	VZEROUPPER
	RET

// func halfPanelAVX2(sum *float64, stride int, a, b *float64, rows int)
//
// Adds the product of 4 columns of panel a and the 8 columns of panel b, which has at
// least one row.
TEXT ·halfPanelAVX2(SB), NOSPLIT, $0-40
	MOVQ sum+0(FP), DI
	MOVQ stride+8(FP), R8
	MOVQ a+16(FP), SI
	MOVQ b+24(FP), DX
	MOVQ rows+32(FP), CX
	SHLQ $3, R8
	LEAQ (DI)(R8*1), R9
	LEAQ (R9)(R8*1), R10
	LEAQ (R10)(R8*1), R11
	VMOVUPD 0(DI), Y0
	VMOVUPD 32(DI), Y1
	VMOVUPD 0(R9), Y2
	VMOVUPD 32(R9), Y3
	VMOVUPD 0(R10), Y4
	VMOVUPD 32(R10), Y5
	VMOVUPD 0(R11), Y6
	VMOVUPD 32(R11), Y7

row:
	VMOVUPD      0(DX), Y8
	VMOVUPD      32(DX), Y9
	VBROADCASTSD 0(SI), Y10
	VFMADD231PD  Y8, Y10, Y0
	VFMADD231PD  Y9, Y10, Y1
	VBROADCASTSD 8(SI), Y11
	VFMADD231PD  Y8, Y11, Y2
	VFMADD231PD  Y9, Y11, Y3
	VBROADCASTSD 16(SI), Y12
	VFMADD231PD  Y8, Y12, Y4
	VFMADD231PD  Y9, Y12, Y5
	VBROADCASTSD 24(SI), Y13
	VFMADD231PD  Y8, Y13, Y6
	VFMADD231PD  Y9, Y13, Y7
	ADDQ         $64, SI
	ADDQ         $64, DX
	DECQ         CX
	JNZ          row

	VMOVUPD Y0, 0(DI)
	VMOVUPD Y1, 32(DI)
	VMOVUPD Y2, 0(R9)
	VMOVUPD Y3, 32(R9)
	VMOVUPD Y4, 0(R10)
	VMOVUPD Y5, 32(R10)
	VMOVUPD Y6, 0(R11)
	VMOVUPD Y7, 32(R11)
	VZEROUPPER
	RET
