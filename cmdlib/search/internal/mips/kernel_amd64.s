//go:build !noasm

#include "textflag.h"

// Four rows at a time: what each step reads of the query serves them all. Sums of products are of 32 bits.

// func dotsVNNI(sums *int32, rows *byte, query *int16, fours, stride, steps int)
TEXT ·dotsVNNI(SB), NOSPLIT, $0-48
	MOVQ sums+0(FP), DI
	MOVQ rows+8(FP), SI
	MOVQ query+16(FP), DX
	MOVQ fours+24(FP), CX
	MOVQ stride+32(FP), R8
	MOVQ steps+40(FP), R9
	LEAQ (R8)(R8*2), R10

rows:
	VPXORD Z0, Z0, Z0
	VPXORD Z1, Z1, Z1
	VPXORD Z2, Z2, Z2
	VPXORD Z3, Z3, Z3
	MOVQ   SI, R11
	XORQ   R12, R12
	MOVQ   R9, R13

step: // 32 numbers
	VMOVDQU64 (DX)(R12*1), Z4
	VPMOVSXBW (R11), Z5
	VPMOVSXBW (R11)(R8*1), Z6
	VPMOVSXBW (R11)(R8*2), Z7
	VPMOVSXBW (R11)(R10*1), Z8
	VPDPWSSD  Z5, Z4, Z0
	VPDPWSSD  Z6, Z4, Z1
	VPDPWSSD  Z7, Z4, Z2
	VPDPWSSD  Z8, Z4, Z3
	ADDQ      $32, R11
	ADDQ      $64, R12
	DECQ      R13
	JNZ       step

	VEXTRACTI64X4 $1, Z0, Y4
	VEXTRACTI64X4 $1, Z1, Y5
	VEXTRACTI64X4 $1, Z2, Y6
	VEXTRACTI64X4 $1, Z3, Y7
	VPADDD        Y4, Y0, Y0
	VPADDD        Y5, Y1, Y1
	VPADDD        Y6, Y2, Y2
	VPADDD        Y7, Y3, Y3
	VPHADDD       Y1, Y0, Y0
	VPHADDD       Y3, Y2, Y2
	VPHADDD       Y2, Y0, Y0
	VEXTRACTI128  $1, Y0, X1
	VPADDD        X1, X0, X0
	VMOVDQU       X0, (DI)
	ADDQ          $16, DI
	LEAQ          (SI)(R8*4), SI
	DECQ          CX
	JNZ           rows
	VZEROUPPER
	RET

// func dotsAVX2(sums *int32, rows *byte, query *int16, fours, stride, steps int)
TEXT ·dotsAVX2(SB), NOSPLIT, $0-48
	MOVQ sums+0(FP), DI
	MOVQ rows+8(FP), SI
	MOVQ query+16(FP), DX
	MOVQ fours+24(FP), CX
	MOVQ stride+32(FP), R8
	MOVQ steps+40(FP), R9
	SHLQ $1, R9
	LEAQ (R8)(R8*2), R10

rows:
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	VPXOR Y2, Y2, Y2
	VPXOR Y3, Y3, Y3
	MOVQ  SI, R11
	XORQ  R12, R12
	MOVQ  R9, R13

step: // 16 numbers
	VMOVDQU   (DX)(R12*1), Y4
	VPMOVSXBW (R11), Y5
	VPMOVSXBW (R11)(R8*1), Y6
	VPMOVSXBW (R11)(R8*2), Y7
	VPMOVSXBW (R11)(R10*1), Y8
	VPMADDWD  Y5, Y4, Y5
	VPMADDWD  Y6, Y4, Y6
	VPMADDWD  Y7, Y4, Y7
	VPMADDWD  Y8, Y4, Y8
	VPADDD    Y5, Y0, Y0
	VPADDD    Y6, Y1, Y1
	VPADDD    Y7, Y2, Y2
	VPADDD    Y8, Y3, Y3
	ADDQ      $16, R11
	ADDQ      $32, R12
	DECQ      R13
	JNZ       step

	VPHADDD      Y1, Y0, Y0
	VPHADDD      Y3, Y2, Y2
	VPHADDD      Y2, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPADDD       X1, X0, X0
	VMOVDQU      X0, (DI)
	ADDQ         $16, DI
	LEAQ         (SI)(R8*4), SI
	DECQ         CX
	JNZ          rows
	VZEROUPPER
	RET
