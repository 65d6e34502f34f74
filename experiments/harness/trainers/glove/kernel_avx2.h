// The loops over runs and records for 8 lanes; the caller defines GRADIENTS, from
// Y4 = rate·f·diff, Y5 = w and Y7 = v to Y11 and Y12, the rates times the gradients
// of w and v; Y13 is free for it, and Y2 its own.

#ifndef CHUNK8
// 8 components at offset o behind DX: the update, and the part of the next record's
// product with the new row, added to acc. 1/√ is the processor's estimate and a step
// of Newton's method: y(1.5 - 0.5xy²).
#define CHUNK8(o, acc) \
	VMOVUPS      o(SI)(DX*1), Y5    \
	VMOVUPS      o+64(SI)(DX*1), Y6 \
	VMOVUPS      o(AX)(DX*1), Y7    \
	VMOVUPS      o+64(AX)(DX*1), Y8 \
	VBROADCASTSS one<>(SB), Y13     \
	VADDPS       Y6, Y13, Y11       \
	VADDPS       Y8, Y13, Y12       \
	VRSQRTPS     Y11, Y9            \
	VRSQRTPS     Y12, Y10           \
	VMULPS       Y9, Y11, Y11       \
	VMULPS       Y10, Y12, Y12      \
	VMULPS       Y9, Y11, Y11       \
	VMULPS       Y10, Y12, Y12      \
	VFNMADD213PS Y15, Y14, Y11      \
	VFNMADD213PS Y15, Y14, Y12      \
	VMULPS       Y11, Y9, Y9        \
	VMULPS       Y12, Y10, Y10      \
	GRADIENTS                       \
	VFNMADD231PS Y9, Y11, Y5        \
	VFMADD231PS  o(BX)(DX*1), Y5, acc \
	VFNMADD231PS Y10, Y12, Y7       \
	VFMADD231PS  Y11, Y11, Y6       \
	VFMADD231PS  Y12, Y12, Y8       \
	VMOVUPS      Y5, o(SI)(DX*1)    \
	VMOVUPS      Y6, o+64(SI)(DX*1) \
	VMOVUPS      Y7, o(AX)(DX*1)    \
	VMOVUPS      Y8, o+64(AX)(DX*1)
#endif

	VBROADCASTSS half<>(SB), Y14
	VBROADCASTSS threehalves<>(SB), Y15
	VXORPD       X3, X3, X3

row:
	MOVLQSX (R12), SI
	MOVLQSX 4(R12), R9
	MOVLQSX 16(R12), R15 // runsAhead
	ADDQ    $8, R12
	IMULQ   R10, SI
	IMULQ   R10, R15
	ADDQ    rows+0(FP), SI
	ADDQ    rows+0(FP), R15

	// The product of the run's first record; those of the others are by-products of
	// the updates before them.
	VXORPS X0, X0, X0
	VXORPS X1, X1, X1
	XORQ   DX, DX

product:
	VMOVUPS     (SI)(DX*1), Y5
	VMOVUPS     32(SI)(DX*1), Y6
	PREFETCHT0  (R15)(DX*1)
	PREFETCHT0  64(R15)(DX*1)
	VFMADD231PS (AX)(DX*1), Y5, Y0
	VFMADD231PS 32(AX)(DX*1), Y6, Y1
	ADDQ        $128, DX
	CMPQ        DX, R10
	JLT         product

update:
	VMOVSS       8(R8), X13      // f
	VMULSS       rate+48(FP), X13, X5

	// The sum of all lanes.
	VADDPS       Y1, Y0, Y0
	VEXTRACTF128 $1, Y0, X1
	VADDPS       X1, X0, X0
	VPERMILPS    $0x4e, X0, X1
	VADDPS       X1, X0, X0
	VPERMILPS    $0xb1, X0, X1
	VADDSS       X1, X0, X0
	VSUBSS       4(R8), X0, X0   // diff
	VMULSS       X5, X0, X4
	VBROADCASTSS X4, Y4
	VMULSS       X13, X0, X1
	VMULSS       X0, X1, X1
	VCVTSS2SD    X1, X1, X1
	VADDSD       X1, X3, X3

	MOVLQSX 12(R8), BX
	MOVLQSX 60(R8), CX // recordsAhead
	IMULQ   R10, BX
	IMULQ   R10, CX
	ADDQ    DI, BX
	ADDQ    DI, CX
	VXORPS  X0, X0, X0
	VXORPS  X1, X1, X1
	XORQ    DX, DX

chunk:
	PREFETCHT0 (CX)(DX*1)
	PREFETCHT0 64(CX)(DX*1)
	CHUNK8(0, Y0)
	CHUNK8(32, Y1)
	ADDQ       $128, DX
	CMPQ       DX, R10
	JLT        chunk

	MOVQ BX, AX
	ADDQ $12, R8
	DECQ R9
	JNE  update
	DECQ R13
	JNE  row
