// What the ladders share: problems, launching, checking against a double-precision
// reference, timing. A ladder is compiled by nvcc for a GPU,
//
//	nvcc -gencode=arch=compute_90a,code=sm_90a -O3 -std=c++17 cuda/dev/distance.cu -o bin/distance
//
// and by a C++ compiler for the CPU (c++ -x c++ …), where kernels/emulate.h runs the
// same kernels. There, or with an argument, as under compute-sanitizer, sizes are small and
// nothing is timed. Results go to standard output, a line of JSON for each version and
// size; the exit status is 1 if one is wrong.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>
#include "../kernels/common.cuh"

static const char *now = "preparation"; // the version that runs

#ifdef __CUDACC__
#define ON_DEVICE true
#define TRY(call)                                                                          \
	do {                                                                                   \
		cudaError_t code = (call);                                                         \
		if (code != cudaSuccess) {                                                         \
			printf("{\"failed\": \"%s: %s: %s\"}\n", now, #call, cudaGetErrorString(code)); \
			exit(1);                                                                       \
		}                                                                                  \
	} while (0)
#else
#define ON_DEVICE false
#define __host__
#endif

// ---- Memory of the device.

template <class T> static T *room(size_t n) {
#ifdef __CUDACC__
	T *p;
	TRY(cudaMalloc(&p, n * sizeof(T)));
	return p;
#else
	return (T *)aligned_alloc(128, (n * sizeof(T) + 127) / 128 * 128);
#endif
}

template <class T> static void upload(T *to, const T *from, size_t n) {
#ifdef __CUDACC__
	TRY(cudaMemcpy(to, from, n * sizeof(T), cudaMemcpyHostToDevice));
#else
	memcpy(to, from, n * sizeof(T));
#endif
}

template <class T> static std::vector<T> download(const T *from, size_t n) {
	std::vector<T> to(n);
#ifdef __CUDACC__
	TRY(cudaMemcpy(to.data(), from, n * sizeof(T), cudaMemcpyDeviceToHost));
#else
	memcpy((void *)to.data(), from, n * sizeof(T));
#endif
	return to;
}

template <class T> static T *device(const std::vector<T> &x) {
	T *p = room<T>(x.size());
	upload(p, x.data(), x.size());
	return p;
}

// ---- Launching.

typedef void (*Kernel_)(const void *);

struct Launch {
	Kernel_ kernel;
	int grid, threads, shared, cluster;
};

// most is the shared memory that a block may have.
static int most_shared() {
#ifdef __CUDACC__
	int bytes;
	TRY(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
	return bytes;
#else
	return 227 << 10;
#endif
}

// prepare says how much shared memory a kernel takes; null, or why it cannot run here. A multiprocessor
// has as much as the blocks take that it runs at a time; the rest is cache.
static const char *prepare(const Launch &l) {
#ifdef __CUDACC__
	cudaError_t code = cudaFuncSetAttribute((const void *)l.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, l.shared);
	if (code == cudaSuccess && l.cluster > 8) code = cudaFuncSetAttribute((const void *)l.kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
	if (code != cudaSuccess) {
		cudaGetLastError();
		return cudaGetErrorString(code);
	}
	int blocks, all;
	TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void *)l.kernel, l.threads, l.shared));
	TRY(cudaDeviceGetAttribute(&all, cudaDevAttrMaxSharedMemoryPerMultiprocessor, 0));
	const int percent = std::min(100, (blocks * (l.shared + 1024) * 100 + all - 1) / all);
	TRY(cudaFuncSetAttribute((const void *)l.kernel, cudaFuncAttributePreferredSharedMemoryCarveout, percent));
#endif
	return 0;
}

// start runs a kernel; null, or why it cannot run here.
static const char *start(const Launch &l, const void *args) {
#ifdef __CUDACC__
	cudaLaunchAttribute attribute;
	attribute.id = cudaLaunchAttributeClusterDimension;
	attribute.val.clusterDim.x = l.cluster, attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
	cudaLaunchConfig_t config = {};
	config.gridDim = dim3(l.grid), config.blockDim = dim3(l.threads), config.dynamicSmemBytes = l.shared;
	config.attrs = &attribute, config.numAttrs = l.cluster > 1;
	void *pointers[] = {&args};
	cudaError_t code = cudaLaunchKernelExC(&config, (const void *)l.kernel, pointers);
	if (code == cudaSuccess) code = cudaGetLastError();
	return code == cudaSuccess ? 0 : cudaGetErrorString(code);
#else
	static int launches; // each in another order of threads, so that a race changes the bits
	return emulation::launch((emulation::Kernel)l.kernel, l.grid, l.threads, l.shared, args, (emulation::Order)(launches++ % 3), l.cluster);
#endif
}

static void finish() {
#ifdef __CUDACC__
	TRY(cudaDeviceSynchronize());
#endif
}

// seconds is the median duration of a run after a first one; 0 in emulation.
static double seconds(const Launch &l, const void *args) {
#ifdef __CUDACC__
	cudaEvent_t begin, end;
	TRY(cudaEventCreate(&begin));
	TRY(cudaEventCreate(&end));
	std::vector<float> all;
	float sum = 0;
	for (int i = 0; i < 7; i++) {
		TRY(cudaEventRecord(begin));
		start(l, args);
		TRY(cudaEventRecord(end));
		TRY(cudaEventSynchronize(end));
		float ms;
		TRY(cudaEventElapsedTime(&ms, begin, end));
		if (i > 0) all.push_back(ms);
		sum += ms;
		if (sum > 300 && i > 0) break; // a slow version
	}
	std::sort(all.begin(), all.end());
	return all[all.size() / 2] / 1e3;
#else
	return 0;
#endif
}

// ---- Problems: K points of a square, the cost their distance, and histograms with
// a third of their bins empty.

struct Random {
	uint64_t state;
	double next() { // in (0, 1)
		state = state * 6364136223846793005u + 1442695040888963407u;
		return ((state >> 11) + 0.5) / 9007199254740992.;
	}
	int below(int n) { return (int)(next() * n); }
};

static int round_up(int n, int to) { return (n + to - 1) / to * to; }

struct Problem {
	int k, kp, n; // bins, rounded up to 8; histograms
	double reg, unit;
	std::vector<float> cost, gibbs, weighted; // k×kp; weighted: gibbs·cost/unit
	std::vector<float> rows;                  // n×kp

	Problem(int k, int n, double reg) : k(k), kp(round_up(k, 8)), n(n), reg(reg), unit(2), cost(k * kp), gibbs(k * kp), weighted(k * kp), rows((size_t)n * kp) {
		Random random = {(uint64_t)k};
		std::vector<double> x(2 * k);
		for (double &y : x) y = random.next();
		for (int i = 0; i < k; i++) {
			for (int j = 0; j < k; j++) {
				float c = (float)hypot(x[2 * i] - x[2 * j], x[2 * i + 1] - x[2 * j + 1]);
				cost[i * kp + j] = c;
				gibbs[i * kp + j] = (float)exp(-c / reg);
				weighted[i * kp + j] = gibbs[i * kp + j] * (float)(c / unit);
			}
		}
		for (int r = 0; r < n; r++) {
			float *row = &rows[(size_t)r * kp];
			double sum = 0;
			for (int i = 0; i < k; i++) sum += row[i] = i == r % k || random.below(3) ? (float)-log(random.next()) : 0;
			for (int i = 0; i < k; i++) row[i] = (float)(row[i] / sum);
		}
	}
};

// ---- Checking and reporting.

struct Outcome_ {
	std::string kernel, version, note;
	int k;
	double tolerance, error, problems, flop; // problems of a run, operations each
};

static int wrong = 0;
static bool small = !ON_DEVICE;

static void report(Outcome_ o, const Launch &l, double seconds, bool same) {
	bool ok = o.error <= o.tolerance && same; // not if the error is NaN
	wrong += !ok;
	if (!std::isfinite(o.error)) o.error = -1; // JSON has no such number
	printf("{\"kernel\": \"%s\", \"version\": \"%s\", \"k\": %d, \"threads\": %d, \"shared\": %d, \"cluster\": %d, \"error\": %.3g, \"tolerance\": %.3g, \"same_bits\": %s, \"ok\": %s",
		o.kernel.c_str(), o.version.c_str(), o.k, l.threads, l.shared, l.cluster, o.error, o.tolerance, same ? "true" : "false", ok ? "true" : "false");
	if (seconds > 0) printf(", \"per_second\": %.6g, \"tflops\": %.4g", o.problems / seconds, o.problems * o.flop / seconds / 1e12);
	printf("}\n");
	fflush(stdout);
}

static void skip(const Outcome_ &o, const char *why) {
	printf("{\"kernel\": \"%s\", \"version\": \"%s\", \"k\": %d, \"skipped\": \"%s\"}\n", o.kernel.c_str(), o.version.c_str(), o.k, why);
	fflush(stdout);
}

// run fills out with garbage, runs a version, checks it by error, runs it again for the same
// bits, and times it.
template <class T> static void run(Outcome_ o, const Launch &l, const void *args, T *out, size_t n, std::function<double(const std::vector<T> &)> error) {
	if (l.shared > most_shared() || l.threads > 1024) return skip(o, "does not fit");
	const std::string name = o.version + ", K=" + std::to_string(o.k);
	now = name.c_str();
	std::vector<T> garbage(n);
	memset((void *)garbage.data(), 0xff, n * sizeof(T));
	upload(out, garbage.data(), n);
	const char *why = prepare(l);
	if (!why) why = start(l, args);
	if (why) {
		wrong += !ON_DEVICE;
		return skip(o, why);
	}
	finish();
	std::vector<T> first = download(out, n);
	upload(out, garbage.data(), n);
	start(l, args);
	finish();
	std::vector<T> second = download(out, n);
	o.error = error(first);
	report(o, l, small ? 0 : seconds(l, args), !memcmp(first.data(), second.data(), n * sizeof(T)));
	now = "preparation";
}

// ---- Division, or a product with the reciprocal.

template <bool FAST> static __device__ __forceinline__ float divide(float x, float y) {
#ifdef __CUDACC__
	// An error of one unit in the last place, and the same bits on every run.
	if (FAST) {
		float r;
		asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(y));
		return x * r;
	}
#else
	if (FAST) return x * (1 / y);
#endif
	return x / y;
}

// ---- Clusters of blocks.

#ifdef __CUDACC__
static __device__ __forceinline__ unsigned cluster_rank() {
	unsigned r;
	asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
	return r;
}
// cluster_sync also makes what was written to other blocks' shared memory visible.
static __device__ __forceinline__ void cluster_sync() {
	asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}
// store_at writes into the shared memory of another block, where that has what to is here.
static __device__ __forceinline__ void store_at(unsigned rank, float *to, float4 x) {
	unsigned here = (unsigned)__cvta_generic_to_shared(to), there;
	asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(here), "r"(rank));
	asm volatile("st.shared::cluster.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(there), "f"(x.x), "f"(x.y), "f"(x.z), "f"(x.w) : "memory");
}
#else
static inline unsigned cluster_rank() {
	for (unsigned r = 0;; r++) {
		if (emulation::rooms[r] == emulation::shared) return r;
	}
}
static inline void cluster_sync() { emulation::wait(emulation::CLUSTER); }
static inline void store_at(unsigned rank, float *to, float4 x) {
	memcpy(emulation::rooms[rank] + ((unsigned char *)to - emulation::shared), &x, sizeof x);
}
#endif

// ---- Tensor cores: see common.cuh; bfloat16 is the ladder's only.

enum Mode { TF32, TF32X3, BF16X3 };

// depth is how many terms of a sum one instruction adds.
static constexpr __host__ __device__ int depth(int mode) { return mode == BF16X3 ? 16 : 8; }

#ifdef __CUDACC__
// pack_bf16 rounds two numbers to nearest even, lo into the lower half.
static __device__ __forceinline__ unsigned pack_bf16(float lo, float hi) {
	unsigned y;
	asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(y) : "f"(hi), "f"(lo));
	return y;
}
static __device__ __forceinline__ void mma_bf16(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
	asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
		: "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
#else
static inline unsigned to_bf16(float x) {
	unsigned y = __float_as_uint(x);
	return (y + 0x7fff + (y >> 16 & 1)) >> 16;
}
static inline unsigned pack_bf16(float lo, float hi) { return to_bf16(lo) | to_bf16(hi) << 16; }
static inline void mma_bf16(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
	const emulation::Fragment *f = emulation::offer(a, b);
	int group = threadIdx.x % 32 / 4, part = threadIdx.x % 4;
	for (int x = 0; x < 4; x++) {
		int row = x / 2, column = 2 * part + x % 2;
		for (int s = 0; s < 16; s++) {
			unsigned p = f[4 * group + s % 8 / 2].a[row + s / 8 * 2], q = f[4 * column + s % 8 / 2].b[s / 8];
			d[x] += __uint_as_float(p >> s % 2 * 16 << 16) * __uint_as_float(q >> s % 2 * 16 << 16);
		}
	}
}
#endif
