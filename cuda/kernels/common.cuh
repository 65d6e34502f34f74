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
