// What all kernels share. The same source is compiled for the device and, through
// emulate.h, for the CPU, where the conformance suite runs it without a device.
#pragma once

#ifdef __CUDACC__
#define SHARED(name) extern __shared__ __align__(16) unsigned char name[]
#define MAC(a, b, c) fmaf(a, b, c)
typedef long long int64;
static_assert(sizeof(void *) == 8, "arguments are read as 8-byte words");

// copy16 starts a copy of 16 bytes from device to shared memory.
static __device__ __forceinline__ void copy16(void *to, const void *from) {
	unsigned shared = (unsigned)__cvta_generic_to_shared(to);
	asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared), "l"(from) : "memory");
}
static __device__ __forceinline__ void copy_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
// copy_wait waits until at most N of the groups committed last are under way.
template <int N> static __device__ __forceinline__ void copy_wait() { asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory"); }

// to_tf32 rounds to 11 bits of significand. mma_tf32 adds the product of a 16×8 and an
// 8×8 matrix, whose elements a warp's lanes hold as the PTX manual says.
static __device__ __forceinline__ unsigned to_tf32(float x) {
	unsigned y;
	asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(y) : "f"(x));
	return y;
}
static __device__ __forceinline__ void mma_tf32(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
	asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
		: "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
// load4 reads now: the compiler would put off another load until its result is used.
static __device__ __forceinline__ float4 load4(const float *from) {
	float4 x;
	asm volatile("ld.global.nc.v4.f32 {%0,%1,%2,%3}, [%4];" : "=f"(x.x), "=f"(x.y), "=f"(x.z), "=f"(x.w) : "l"(from));
	return x;
}
#else
#include "emulate.h"
static inline float4 load4(const float *from) { return *(const float4 *)from; }
#endif

#define WARP 32
#define EVERY 0xffffffffu
#define TINY 1.17549435e-38f
#define INFINITE __int_as_float(0x7f800000)

// A block keeps `columns` problems (or members of groups) in shared memory: element
// (bin, column) of a matrix X is x[bin*stride + column]. A thread owns 8 bins and 8
// columns, the latter in two runs of 4, so that the 16-byte accesses of neighbouring
// threads are neighbours.
#define TILE 8
// Rows of a matrix that is not resident pass through shared memory STAGE at a time.
#define STAGE 8
// The most threads of a block, so that each has enough registers for its 64 sums.
#define MAX_THREADS 256

// least divisors from which float32 scaling is accurate; see trusted in package cpu.
#define ENOUGH 7.888609052210118e-31f /* 2^-100 */
#define ENOUGH_BLUR 8.881784197001252e-16f /* 2^-50 */

static __device__ __forceinline__ bool trusted(float x, float y) {
	return x >= ENOUGH && y >= ENOUGH && (double)x * (double)y >= (double)ENOUGH;
}

struct Tile {
	int k, kp, columns, stride; // bins, bins rounded up to 8, columns and their stride
	int groups, group, row;     // groups of 8 bins, the thread's and its first bin
	int c0, c1;                 // the thread's runs of columns
	bool live;                  // not one of the threads that only fill the last warp

	__device__ Tile(int k, int kp, int columns, int stride) : k(k), kp(kp), columns(columns), stride(stride) {
		int lanes = columns / TILE, lane = threadIdx.x % lanes;
		groups = kp / TILE;
		group = threadIdx.x / lanes;
		live = group < groups;
		if (!live) group = 0;
		row = group * TILE;
		c0 = 4 * lane;
		c1 = columns / 2 + 4 * lane;
	}
	__device__ __forceinline__ int column(int q) const { return q < 4 ? c0 + q : c1 + q - 4; }
};

// accumulate adds w[s][row+i]·x[s][column(q)] for s = 0 … count−1, in this order.
static __device__ __forceinline__ void accumulate(const Tile &t, float (&acc)[TILE][TILE], const float *w, const float *x, int count) {
	w += t.row;
#pragma unroll 2
	for (int s = 0; s < count; s++) {
		float4 w0 = *(const float4 *)(w + s * t.kp), w1 = *(const float4 *)(w + s * t.kp + 4);
		float4 x0 = *(const float4 *)(x + s * t.stride + t.c0), x1 = *(const float4 *)(x + s * t.stride + t.c1);
		float a[TILE] = {w0.x, w0.y, w0.z, w0.w, w1.x, w1.y, w1.z, w1.w};
		float b[TILE] = {x0.x, x0.y, x0.z, x0.w, x1.x, x1.y, x1.z, x1.w};
#pragma unroll
		for (int i = 0; i < TILE; i++)
#pragma unroll
			for (int q = 0; q < TILE; q++) acc[i][q] = MAC(a[i], b[q], acc[i][q]);
	}
}

// fetch starts copying n floats, a multiple of 4, by all threads.
static __device__ __forceinline__ void fetch(float *to, const float *from, int n) {
	for (int i = 4 * threadIdx.x; i < n; i += 4 * blockDim.x) copy16(to + i, from + i);
	copy_commit();
}

// take carves n elements, a multiple of 16 bytes, out of shared memory.
template <class T> static __device__ __forceinline__ T *take(unsigned char *&at, int n) {
	T *p = (T *)at;
	at += ((int64)n * sizeof(T) + 15) / 16 * 16;
	return p;
}

// Kernel is a k×kp matrix in device memory and, if resident, its copy in shared memory.
struct Kernel {
	const float *device, *shared;
	bool resident;
};

// product computes acc[i][q] = Σ_s w[s][row+i]·x[s][column(q)], one term after the
// other: the same bits whether w is resident or streamed from device memory through
// stage. All threads must call it; a streamed product ends with a barrier.
static __device__ __forceinline__ void product(const Tile &t, float (&acc)[TILE][TILE], const Kernel &w, const float *x, float *stage) {
#pragma unroll
	for (int i = 0; i < TILE; i++)
#pragma unroll
		for (int q = 0; q < TILE; q++) acc[i][q] = 0;
	const int size = STAGE * t.kp, step = w.resident ? t.k : STAGE;
	if (!w.resident) fetch(stage, w.device, min(STAGE, t.k) * t.kp);
	for (int s = 0, turn = 0; s < t.k; s += step, turn ^= 1) {
		const int next = s + step;
		if (next < t.k) {
			fetch(stage + (turn ^ 1) * size, w.device + (int64)next * t.kp, min(STAGE, t.k - next) * t.kp);
			copy_wait<1>();
		} else {
			copy_wait<0>();
		}
		if (!w.resident) __syncthreads();
		accumulate(t, acc, w.resident ? w.shared : stage + turn * size, x + s * t.stride, min(step, t.k - s));
		if (!w.resident) __syncthreads();
	}
}

// tensor_product computes what product does by tensor cores: each operand is split into
// two of 11 bits, and the product of the lower parts is left out, so that about float32's
// precision remains. w comes in fragments (see split in engine.go), and x has kp rows, those
// beyond k zero. The sums pass through shared memory to the threads that own them.
// All threads must call it.
static __device__ __forceinline__ void tensor_product(const Tile &t, float (&acc)[TILE][TILE], const uint4 *w, const float *x, float *sums) {
	const int warp = threadIdx.x / WARP, warps = blockDim.x / WARP, lane = threadIdx.x % WARP, group = lane / 4, part = lane % 4;
	const int steps = t.kp / 8, tiles = (t.kp + 15) / 16, parts = (t.columns + 31) / 32;
	// A warp computes 16 bins × 32 columns at a time; a last one that is not whole, none.
	for (int item = warp < warps ? warp : tiles * parts; item < tiles * parts; item += warps) {
		const int tile = item / parts, first = item % parts * 32;
		float d[4][4];
#pragma unroll
		for (int n = 0; n < 4; n++) d[n][0] = d[n][1] = d[n][2] = d[n][3] = 0;
		const uint4 *from = w + (int64)tile * steps * 2 * WARP + lane;
#pragma unroll 2
		for (int step = 0; step < steps; step++, from += 2 * WARP) {
			const uint4 h = __ldg(from), l = __ldg(from + WARP);
			const unsigned hi[4] = {h.x, h.y, h.z, h.w}, lo[4] = {l.x, l.y, l.z, l.w};
#pragma unroll
			for (int n = 0; n < 4; n++) {
				if (first + 8 * n >= t.columns) continue;
				const float *b = x + (8 * step + part) * t.stride + first + 8 * n + group;
				const float b0 = b[0], b1 = b[4 * t.stride];
				const unsigned top[2] = {to_tf32(b0), to_tf32(b1)};
				const unsigned rest[2] = {to_tf32(b0 - __uint_as_float(top[0])), to_tf32(b1 - __uint_as_float(top[1]))};
				mma_tf32(d[n], lo, top);
				mma_tf32(d[n], hi, rest);
				mma_tf32(d[n], hi, top);
			}
		}
#pragma unroll
		for (int n = 0; n < 4; n++) {
			if (first + 8 * n >= t.columns) continue;
#pragma unroll
			for (int e = 0; e < 4; e++) {
				int bin = 16 * tile + group + e / 2 * 8;
				if (bin < t.kp) sums[bin * t.stride + first + 8 * n + 2 * part + e % 2] = d[n][e];
			}
		}
	}
	__syncthreads();
#pragma unroll
	for (int i = 0; i < TILE; i++) {
		const float *row = sums + (t.row + i) * t.stride;
		float4 y0 = *(const float4 *)(row + t.c0), y1 = *(const float4 *)(row + t.c1);
		acc[i][0] = y0.x, acc[i][1] = y0.y, acc[i][2] = y0.z, acc[i][3] = y0.w;
		acc[i][4] = y1.x, acc[i][5] = y1.y, acc[i][6] = y1.z, acc[i][7] = y1.w;
	}
}

// residents copies the matrices u ↦ Kᵀu and v ↦ Kv into shared memory, one copy for
// both where they are equal. The caller's next barrier makes them visible.
static __device__ __forceinline__ void residents(const Tile &t, unsigned char *&at, Kernel &to_target, Kernel &to_source, bool two) {
	float *w = take<float>(at, t.k * t.kp);
	fetch(w, to_target.device, t.k * t.kp);
	to_target.shared = to_source.shared = w;
	if (two) {
		w = take<float>(at, t.k * t.kp);
		fetch(w, to_source.device, t.k * t.kp);
		to_source.shared = w;
	}
	copy_wait<0>();
}

// load8 reads a thread's 8 bins of a row in device memory.
static __device__ __forceinline__ void load8(float (&to)[TILE], const float *row) {
	float4 x = load4(row), y = load4(row + 4);
	to[0] = x.x, to[1] = x.y, to[2] = x.z, to[3] = x.w;
	to[4] = y.x, to[5] = y.y, to[6] = y.z, to[7] = y.w;
}

// store writes a thread's elements of a matrix in shared memory.
static __device__ __forceinline__ void store(const Tile &t, float *x, const float (&acc)[TILE][TILE]) {
#pragma unroll
	for (int i = 0; i < TILE; i++) {
		if (t.row + i < t.k) {
			float *to = x + (t.row + i) * t.stride;
			*(float4 *)(to + t.c0) = make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
			*(float4 *)(to + t.c1) = make_float4(acc[i][4], acc[i][5], acc[i][6], acc[i][7]);
		}
	}
}

// Reductions of a warp in a fixed order; every lane gets the result.
#ifdef __CUDACC__
template <class T, class F> static __device__ __forceinline__ T reduce(T x, F combine) {
	for (int d = WARP / 2; d > 0; d /= 2) x = combine(x, __shfl_xor_sync(EVERY, x, d));
	return x;
}
#endif
static __device__ __forceinline__ double warp_sum(double x) {
	return reduce(x, [](double x, double y) { return x + y; });
}
static __device__ __forceinline__ double warp_max(double x) {
	return reduce(x, [](double x, double y) { return fmax(x, y); });
}
static __device__ __forceinline__ float warp_min(float x) {
	return reduce(x, [](float x, float y) { return fminf(x, y); });
}
