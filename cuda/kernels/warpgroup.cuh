// Products by a warpgroup, four warps, as Hopper has them (wgmma of the PTX manual, sm_90a):
// D += A·B with 64 rows, N columns and 8 terms, A and D in the registers of the threads, B in
// shared memory, all operands TF32. And their emulation.
//
// Where the lanes of a warp hold D, they may hold the A of a next product: of each row, lane 4·r + p holds columns
// 8j + 2p and 8j + 2p + 1 of D, d[4j] and d[4j+1]; d[4j+2] and d[4j+3] are those of the row 8 further down.
// They are A if B's rows 8j + p and 8j + p + 4 are what is to be multiplied with columns 8j + 2p and 8j + 2p + 1.
//
// B's 8 rows and N columns lie in pieces of 8 columns × 4 rows, each 128 bytes: first the pieces of the first
// 4 rows, for all columns, then those of the others; arranged of engine.go writes them.
#pragma once

#ifdef __CUDACC__
typedef unsigned long long Operand; // a matrix descriptor

// operand describes the B of N columns that lies there. Strides count 16 bytes: from 4 rows to the next 4,
// and from 8 columns to the next 8. A product may take some of the columns, from any multiple of 8 on: the
// operand + that column.
template <int N> static __device__ __forceinline__ Operand operand(const void *b) {
	Operand at = ((unsigned)__cvta_generic_to_shared(b) & 0x3ffff) >> 4;
	return at | (Operand)(N / 8 * 8) << 16 | (Operand)8 << 32;
}

// to_tf32 rounds to 11 bits of significand.
static __device__ __forceinline__ unsigned to_tf32(float x) {
	unsigned y;
	asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(y) : "f"(x));
	return y;
}

// Between writes to registers or shared memory and the products that read them.
static __device__ __forceinline__ void products_begin() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
static __device__ __forceinline__ void products_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
// products_older waits for all but the products committed last.
static __device__ __forceinline__ void products_older() { asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory"); }
// products_wait also tells the compiler that the sums have changed.
template <int COUNT> static __device__ __forceinline__ void products_wait(float (&d)[COUNT]) {
	asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#pragma unroll
	for (int i = 0; i < COUNT; i++) asm volatile("" : "+f"(d[i])::"memory");
}
// pin makes the compiler compute an operand here, and not between the products.
static __device__ __forceinline__ void pin(unsigned (&a)[4]) { asm volatile("" : "+r"(a[0]), "+r"(a[1]), "+r"(a[2]), "+r"(a[3])); }
// What ordinary stores wrote to shared memory becomes visible to products after the next barrier.
static __device__ __forceinline__ void publish() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

// hide makes the compiler take an address as it comes: it would compute what is read from it before the
// loop, and keep that in registers.
static __device__ __forceinline__ void hide(const float *&p) { asm volatile("" : "+l"(p)); }
// load2 reads now; see load4.
static __device__ __forceinline__ float2 load2(const float *from) {
	float2 x;
	asm volatile("ld.global.nc.v2.f32 {%0,%1}, [%2];" : "=f"(x.x), "=f"(x.y) : "l"(from));
	return x;
}
// quotient is x/y up to one unit in the last place.
static __device__ __forceinline__ float quotient(float x, float y) {
	float r;
	asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(y));
	return x * r;
}

#define D4(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define D8(i) D4(i), D4(i + 4)
#define D16(i) D8(i), D8(i + 8)
#define D48 D16(0), D16(16), D16(32)
#define NAMES32 "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31"
#define NAMES48 NAMES32 ",%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47"
#define NAMES64 NAMES48 ",%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63"
#define MULTIPLY(COLUMNS, NAMES, OPERANDS, AND_B, ...)                                                                \
	asm volatile("{.reg .pred on; setp.eq.u32 on, 0, 0; wgmma.mma_async.sync.aligned.m64n" COLUMNS "k8.f32.tf32.tf32 {" NAMES "}, {" OPERANDS "}, " AND_B ", on, 1, 1;}" \
		: __VA_ARGS__ : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b))

template <int N> static __device__ __forceinline__ void multiply(float (&d)[N / 2], const unsigned (&a)[4], Operand b) {
	static_assert(N == 64 || N == 104 || N == 128 || N == 152, "");
	if constexpr (N == 64) MULTIPLY("64", NAMES32, "%32,%33,%34,%35", "%36", D16(0), D16(16));
	if constexpr (N == 104) MULTIPLY("104", NAMES48 ",%48,%49,%50,%51", "%52,%53,%54,%55", "%56", D48, D4(48));
	if constexpr (N == 128) MULTIPLY("128", NAMES64, "%64,%65,%66,%67", "%68", D48, D16(48));
	if constexpr (N == 152) MULTIPLY("152", NAMES64 ",%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75", "%76,%77,%78,%79", "%80", D48, D16(48), D8(64), D4(72));
}

// four_sum and four_min combine what the four lanes of a row have, in a fixed order.
static __device__ __forceinline__ float four_sum(float x) {
	x += __shfl_xor_sync(EVERY, x, 1);
	return x + __shfl_xor_sync(EVERY, x, 2);
}
static __device__ __forceinline__ float four_min(float x) {
	x = fminf(x, __shfl_xor_sync(EVERY, x, 1));
	return fminf(x, __shfl_xor_sync(EVERY, x, 2));
}
#else
struct Operand {
	const unsigned char *at;
	int n;
	Operand operator+(int sixteens) const { return {at + 16 * sixteens, n}; }
};
template <int N> static inline Operand operand(const void *b) { return {(const unsigned char *)b, N}; }
static inline unsigned to_tf32(float x) { return (__float_as_uint(x) + 0x1000) & ~0x1fffu; }
static inline void products_begin() {}
static inline void products_older() {}
static inline void products_commit() {}
template <int COUNT> static inline void products_wait(float (&)[COUNT]) {}
static inline void pin(unsigned (&)[4]) {}
static inline void publish() {}
static inline void hide(const float *&) {}
static inline float2 load2(const float *from) { return *(const float2 *)from; }
static inline float quotient(float x, float y) { return x * (1 / y); }

namespace emulation {
struct Fragment {
	unsigned a[4];
};
static Fragment fragments[2][4096];
static unsigned char fragment_turn[4096];
// offer shows a thread's fragment to its warp; those of its four lanes of a row are returned. A slot is
// written again two products later, when all have read it.
static inline const Fragment *offer(const unsigned (&a)[4]) {
	int turn = fragment_turn[current] ^= 1;
	memcpy(fragments[turn][current].a, a, sizeof a);
	const Fragment *first = &fragments[turn][current - threadIdx.x % 4];
	__syncwarp();
	return first;
}
} // namespace emulation

// The rows that a thread holds sums of are in its warp. The instruction reads 19 bits of an operand.
template <int N> static inline void multiply(float (&d)[N / 2], const unsigned (&a)[4], Operand b) {
	const emulation::Fragment *f = emulation::offer(a);
	const int part = threadIdx.x % 4;
	for (int x = 0; x < N / 2; x++) {
		const int column = x / 4 * 8 + 2 * part + x % 2, lower = x % 4 / 2;
		for (int s = 0; s < 8; s++) {
			unsigned y;
			memcpy(&y, b.at + (s / 4 * (b.n / 8) + column / 8) * 128 + column % 8 * 16 + s % 4 * 4, 4);
			d[x] += __uint_as_float(f[s % 4].a[lower + s / 4 * 2] & ~0x1fffu) * __uint_as_float(y & ~0x1fffu);
		}
	}
}
static inline float four(float x, float (*combine)(float, float)) {
	const unsigned a[4] = {__float_as_uint(x)};
	const emulation::Fragment *f = emulation::offer(a);
	auto at = [&](int i) { return __uint_as_float(f[i].a[0]); };
	return combine(combine(at(0), at(1)), combine(at(2), at(3)));
}
static inline float four_sum(float x) {
	return four(x, [](float x, float y) { return x + y; });
}
static inline float four_min(float x) {
	return four(x, [](float x, float y) { return fminf(x, y); });
}
#endif
