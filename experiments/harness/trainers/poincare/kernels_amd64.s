//go:build !noasm

#include "textflag.h"

DATA one<>+0(SB)/4, $1.0
GLOBL one<>(SB), RODATA|NOPTR, $4
DATA two<>+0(SB)/4, $2.0
GLOBL two<>(SB), RODATA|NOPTR, $4
DATA four<>+0(SB)/4, $4.0
GLOBL four<>(SB), RODATA|NOPTR, $4
DATA half<>+0(SB)/4, $0.5
GLOBL half<>(SB), RODATA|NOPTR, $4
DATA six<>+0(SB)/4, $6.0
GLOBL six<>(SB), RODATA|NOPTR, $4
DATA fifteen<>+0(SB)/4, $15.0
GLOBL fifteen<>(SB), RODATA|NOPTR, $4
// from here on tanh is 1
DATA far<>+0(SB)/4, $5.3
GLOBL far<>(SB), RODATA|NOPTR, $4
// −clip
DATA least<>+0(SB)/4, $-10.0
GLOBL least<>(SB), RODATA|NOPTR, $4
DATA most<>+0(SB)/4, $10.0
GLOBL most<>(SB), RODATA|NOPTR, $4
// 1 − border
DATA radius<>+0(SB)/4, $0.9999
GLOBL radius<>(SB), RODATA|NOPTR, $4
DATA radius2<>+0(SB)/4, $0.99980001
GLOBL radius2<>(SB), RODATA|NOPTR, $4
// of d²
DATA d1<>+0(SB)/4, $0.33333333
GLOBL d1<>(SB), RODATA|NOPTR, $4
DATA d2<>+0(SB)/4, $0.17777778
GLOBL d2<>(SB), RODATA|NOPTR, $4
DATA d3<>+0(SB)/4, $0.11428571
GLOBL d3<>(SB), RODATA|NOPTR, $4
// of its derivative
DATA r1<>+0(SB)/4, $0.66666667
GLOBL r1<>(SB), RODATA|NOPTR, $4
DATA r2<>+0(SB)/4, $0.53333333
GLOBL r2<>(SB), RODATA|NOPTR, $4
DATA r3<>+0(SB)/4, $0.45714286
GLOBL r3<>(SB), RODATA|NOPTR, $4
DATA r4<>+0(SB)/4, $0.40634921
GLOBL r4<>(SB), RODATA|NOPTR, $4

// Registers of both kernels: SI and DI a word and a context, CX their bytes of a coordinate, DX the offset of 8 disks, R8 and R9
// their second coordinates, R10 and R11 their sums of squares.
#define ARGUMENTS \
	MOVQ x+0(FP), SI       \
	MOVQ y+8(FP), DI       \
	MOVQ n+16(FP), CX      \
	SHLQ $2, CX            \
	LEAQ (SI)(CX*1), R8    \
	LEAQ (DI)(CX*1), R9    \
	LEAQ (R8)(CX*1), R10   \
	LEAQ (R9)(CX*1), R11   \
	XORQ DX, DX

// Y0 to Y3 = the coordinates a, b, c, d; Y4 = a − c, Y5 = b − d, Y6 = their squares' sum, Y7 and Y8 = 1 less the squares of
// either point, Y9 = u.
#define LOAD \
	VMOVUPS      (SI)(DX*1), Y0  \
	VMOVUPS      (R8)(DX*1), Y1  \
	VMOVUPS      (DI)(DX*1), Y2  \
	VMOVUPS      (R9)(DX*1), Y3  \
	VSUBPS       Y2, Y0, Y4      \
	VSUBPS       Y3, Y1, Y5      \
	VMULPS       Y4, Y4, Y6      \
	VFMADD231PS  Y5, Y5, Y6      \
	VBROADCASTSS one<>(SB), Y7   \
	VMOVAPS      Y7, Y8          \
	VFNMADD231PS Y0, Y0, Y7      \
	VFNMADD231PS Y1, Y1, Y7      \
	VFNMADD231PS Y2, Y2, Y8      \
	VFNMADD231PS Y3, Y3, Y8      \
	VMULPS       Y7, Y8, Y9      \
	VDIVPS       Y9, Y6, Y9

// Moves the point (a, b), for which alpha = 1 − a² − b², against the gradient (p, q); its sums of squares are at squares.
#define MOVE(a, b, alpha, p, q, squares) \
	VBROADCASTSS least<>(SB), Y10     \
	VBROADCASTSS most<>(SB), Y11      \
	VMAXPS       Y10, p, p            \
	VMAXPS       Y10, q, q            \
	VMINPS       Y11, p, p            \
	VMINPS       Y11, q, q            \
	VMOVUPS      squares, Y12         \
	VSQRTPS      Y12, Y13             \
	VMULPS       alpha, Y13, Y13      \
	VBROADCASTSS minusrate+28(FP), Y14 \
	VDIVPS       Y13, Y14, Y13        \
	VMULPS       p, p, Y14            \
	VFMADD231PS  q, q, Y14            \
	VBROADCASTSS half<>(SB), Y10      \
	VFMADD231PS  Y14, Y10, Y12        \
	VMOVUPS      Y12, squares         \
	VMULPS       Y13, p, p            \
	VMULPS       Y13, q, q            \
	VMULPS       p, p, Y12            \
	VFMADD231PS  q, q, Y12            \
	VBROADCASTSS fifteen<>(SB), Y10   \
	VADDPS       Y12, Y10, Y11        \
	VBROADCASTSS six<>(SB), Y13       \
	VFMADD231PS  Y13, Y12, Y10        \
	VDIVPS       Y10, Y11, Y11        \
	VSQRTPS      Y12, Y13             \
	VBROADCASTSS one<>(SB), Y10       \
	VDIVPS       Y13, Y10, Y13        \
	VBROADCASTSS far<>(SB), Y14       \
	VCMPPS       $0x1e, Y14, Y12, Y14 \
	VBLENDVPS    Y14, Y13, Y11, Y11   \
	VMULPS       Y11, p, p            \
	VMULPS       Y11, q, q            \
	VMULPS       Y11, Y11, Y11        \
	VMULPS       Y11, Y12, Y12        \
	VMULPS       a, p, Y13            \
	VFMADD231PS  b, q, Y13            \
	VADDPS       Y12, Y10, Y11        \
	VBROADCASTSS two<>(SB), Y14       \
	VFMADD231PS  Y13, Y14, Y11        \
	VMOVAPS      Y11, Y13             \
	VFNMADD231PS alpha, Y12, Y13      \
	VDIVPS       Y13, Y10, Y13        \
	VMULPS       a, Y11, a            \
	VMULPS       b, Y11, b            \
	VFMADD231PS  alpha, p, a          \
	VFMADD231PS  alpha, q, b          \
	VMULPS       Y13, a, a            \
	VMULPS       Y13, b, b            \
	VMULPS       a, a, Y12            \
	VFMADD231PS  b, b, Y12            \
	VSQRTPS      Y12, Y13             \
	VBROADCASTSS radius<>(SB), Y11    \
	VDIVPS       Y13, Y11, Y13        \
	VBROADCASTSS radius2<>(SB), Y14   \
	VCMPPS       $0x1e, Y14, Y12, Y14 \
	VBLENDVPS    Y14, Y13, Y10, Y13   \
	VMULPS       Y13, a, a            \
	VMULPS       Y13, b, b

// func squareAVX2(x, y *float32, n int) (sum, most float32)
TEXT ·squareAVX2(SB), NOSPLIT, $0-32
	ARGUMENTS
	VXORPS Y14, Y14, Y14 // sums
	VXORPS Y15, Y15, Y15 // greatest u

disks:
	LOAD
	VMAXPS       Y9, Y15, Y15
	VBROADCASTSS d3<>(SB), Y10
	VBROADCASTSS d2<>(SB), Y11
	VFNMADD213PS Y11, Y9, Y10    // 8/45 − u 4/35
	VBROADCASTSS d1<>(SB), Y11
	VFNMADD213PS Y11, Y9, Y10
	VBROADCASTSS one<>(SB), Y11
	VFNMADD213PS Y11, Y9, Y10
	VFMADD231PS  Y9, Y10, Y14
	ADDQ         $32, DX
	CMPQ         DX, CX
	JLT          disks

	VBROADCASTSS four<>(SB), Y0
	VMULPS       Y0, Y14, Y14
	VEXTRACTF128 $1, Y14, X1
	VADDPS       X1, X14, X0
	VPERMILPS    $0x4e, X0, X1
	VADDPS       X1, X0, X0
	VPERMILPS    $0xb1, X0, X1
	VADDSS       X1, X0, X0
	VMOVSS       X0, sum+24(FP)
	VEXTRACTF128 $1, Y15, X1
	VMAXPS       X1, X15, X0
	VPERMILPS    $0x4e, X0, X1
	VMAXPS       X1, X0, X0
	VPERMILPS    $0xb1, X0, X1
	VMAXSS       X1, X0, X0
	VMOVSS       X0, most+28(FP)
	VZEROUPPER
	RET

// func stepAVX2(x, y *float32, n int, slope, minusrate float32)
TEXT ·stepAVX2(SB), NOSPLIT, $0-32
	ARGUMENTS
	VBROADCASTSS slope+24(FP), Y15
	VADDPS       Y15, Y15, Y15

disks:
	LOAD
	VBROADCASTSS r4<>(SB), Y10
	VBROADCASTSS r3<>(SB), Y11
	VFNMADD213PS Y11, Y9, Y10
	VBROADCASTSS r2<>(SB), Y11
	VFNMADD213PS Y11, Y9, Y10
	VBROADCASTSS r1<>(SB), Y11
	VFNMADD213PS Y11, Y9, Y10
	VBROADCASTSS one<>(SB), Y11
	VFNMADD213PS Y11, Y9, Y10
	VMULPS       Y15, Y10, Y10   // f
	VDIVPS       Y8, Y7, Y12
	VMULPS       Y10, Y12, Y12   // f α/β
	VDIVPS       Y7, Y8, Y13
	VMULPS       Y10, Y13, Y13   // f β/α
	VDIVPS       Y7, Y6, Y10
	VADDPS       Y11, Y10, Y10   // 1 + square/α
	VDIVPS       Y8, Y6, Y14
	VADDPS       Y11, Y14, Y14   // 1 + square/β
	VMOVAPS      Y10, Y4
	VFMSUB213PS  Y2, Y0, Y4
	VMULPS       Y12, Y4, Y4
	VMOVAPS      Y10, Y5
	VFMSUB213PS  Y3, Y1, Y5
	VMULPS       Y12, Y5, Y5
	VMOVAPS      Y14, Y6
	VFMSUB213PS  Y0, Y2, Y6
	VMULPS       Y13, Y6, Y6
	VMOVAPS      Y14, Y9
	VFMSUB213PS  Y1, Y3, Y9
	VMULPS       Y13, Y9, Y9
	MOVE(Y0, Y1, Y7, Y4, Y5, (R10)(DX*1))
	MOVE(Y2, Y3, Y8, Y6, Y9, (R11)(DX*1))
	VMOVUPS      Y0, (SI)(DX*1)
	VMOVUPS      Y1, (R8)(DX*1)
	VMOVUPS      Y2, (DI)(DX*1)
	VMOVUPS      Y3, (R9)(DX*1)
	ADDQ         $32, DX
	CMPQ         DX, CX
	JLT          disks
	VZEROUPPER
	RET
