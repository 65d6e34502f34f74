// The loops over runs and records for 16 lanes; the caller defines GRADIENTS, from
// Z4 = rate·f·diff, Z5 = w and Z7 = v to Z11 and Z12, the rates times the gradients
// of w and v.

#ifndef CHUNK512
// 16 components at offset o behind DX: the update, and the part of the next
// record's product with the new row, added to acc. 1/√ is the processor's estimate,
// its relative error at most 2⁻¹⁴: a step's length need not be more exact.
#define CHUNK512(o, acc) \
	VMOVUPS      o(SI)(DX*1), Z5    \
	VMOVUPS      o+64(SI)(DX*1), Z6 \
	VMOVUPS      o(AX)(DX*1), Z7    \
	VMOVUPS      o+64(AX)(DX*1), Z8 \
	PREFETCHT0   o(CX)(DX*1)        \
	PREFETCHT0   o+64(CX)(DX*1)     \
	VADDPS       Z6, Z31, Z9        \
	VADDPS       Z8, Z31, Z10       \
	VRSQRT14PS   Z9, Z9             \
	VRSQRT14PS   Z10, Z10           \
	GRADIENTS                       \
	VFNMADD231PS Z9, Z11, Z5        \
	VFMADD231PS  o(BX)(DX*1), Z5, acc \
	VFNMADD231PS Z10, Z12, Z7       \
	VFMADD231PS  Z11, Z11, Z6       \
	VFMADD231PS  Z12, Z12, Z8       \
	VMOVUPS      Z5, o(SI)(DX*1)    \
	VMOVUPS      Z6, o+64(SI)(DX*1) \
	VMOVUPS      Z7, o(AX)(DX*1)    \
	VMOVUPS      Z8, o+64(AX)(DX*1)
#endif

	VBROADCASTSS one<>(SB), Z31
	VXORPD       X29, X29, X29
	LEAQ         -128(R10), R11

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
	VMOVUPS     (SI)(DX*1), Z2
	PREFETCHT0  (R15)(DX*1)
	PREFETCHT0  64(R15)(DX*1)
	VFMADD231PS (AX)(DX*1), Z2, Z0
	ADDQ        $128, DX
	CMPQ        DX, R10
	JLT         product

update:
	VMOVSS       8(R8), X13      // f
	VMULSS       X30, X13, X14
	VBROADCASTSS X14, Z14        // rate·f
	VBROADCASTSS 4(R8), Z15      // ln X

	// The sum of all lanes in each lane.
	VADDPS     Z1, Z0, Z0
	VSHUFF64X2 $0x4e, Z0, Z0, Z1
	VADDPS     Z1, Z0, Z0
	VSHUFF64X2 $0xb1, Z0, Z0, Z1
	VADDPS     Z1, Z0, Z0
	VPERMILPS  $0x4e, Z0, Z1
	VADDPS     Z1, Z0, Z0
	VPERMILPS  $0xb1, Z0, Z1
	VADDPS     Z1, Z0, Z0
	VSUBPS     Z15, Z0, Z0       // diff
	VMULPS     Z14, Z0, Z4
	VMULSS     X13, X0, X2
	VMULSS     X0, X2, X2
	VCVTSS2SD  X2, X2, X2
	VADDSD     X2, X29, X29

	MOVLQSX 12(R8), BX
	MOVLQSX 60(R8), CX // recordsAhead
	IMULQ   R10, BX
	IMULQ   R10, CX
	ADDQ    DI, BX
	ADDQ    DI, CX
	VXORPS  X0, X0, X0
	VXORPS  X1, X1, X1
	XORQ    DX, DX
	CMPQ    DX, R11
	JGE     last

pair:
	CHUNK512(0, Z0)
	CHUNK512(128, Z1)
	ADDQ $256, DX
	CMPQ DX, R11
	JLT  pair
	CMPQ DX, R10
	JGE  next

last:
	CHUNK512(0, Z0)

next:
	MOVQ BX, AX
	ADDQ $12, R8
	DECQ R9
	JNE  update
	DECQ R13
	JNE  row
