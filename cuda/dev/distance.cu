// The ladder of kernels/distance.cu: Sinkhorn distances with a fixed number of
// iterations over one symmetric cost. See ladder.h.
//
// Each version also finds the least divisors, by which the engine knows that scaling in
// float32 was accurate, the error of the columns' sums and the cost.
#include "ladder.h"
#include "warpgroup.cuh"

namespace production {
#include "../kernels/distance.cu"
}
using production::DistanceArgs;
using production::Outcome;

// ---- The reference, in double precision.

static double reference(const Problem &p, int source, int target, int iterations) {
	const int k = p.k;
	std::vector<double> gibbs(k * k), u(k), v(k);
	for (int i = 0; i < k; i++) {
		u[i] = p.rows[(size_t)source * p.kp + i] > 0;
		for (int j = 0; j < k; j++) gibbs[i * k + j] = exp(-p.cost[i * p.kp + j] / p.reg);
	}
	for (int iteration = 0; iteration < iterations; iteration++) {
		std::vector<double> d(k);
		for (int i = 0; i < k; i++)
			for (int j = 0; j < k; j++) d[j] += gibbs[i * k + j] * u[i];
		for (int j = 0; j < k; j++) v[j] = p.rows[(size_t)target * p.kp + j] / d[j];
		for (int i = 0; i < k; i++) {
			double sum = 0;
			for (int j = 0; j < k; j++) sum += gibbs[i * k + j] * v[j];
			u[i] = p.rows[(size_t)source * p.kp + i] / sum;
		}
	}
	double cost = 0;
	for (int i = 0; i < k; i++)
		for (int j = 0; j < k; j++) cost += u[i] * gibbs[i * k + j] * v[j] * p.cost[i * p.kp + j];
	return cost;
}

// ---- What the versions have in common.

// outcome computes error and cost of the columns [from, to) of a block, the first being
// that pair, from scalings in shared memory as (bin, column). red: 2 floats a thread.
static __device__ __forceinline__ void outcome(const DistanceArgs &a, const float *u, const float *v, int from, int to, int stride, int pair, float *red) {
	const int k = (int)a.k, kp = (int)a.kp, columns = min(to - from, (int)blockDim.x);
	const int parts = (int)blockDim.x / columns, part = threadIdx.x / columns;
	for (int first = 0; first < to - from; first += columns) {
		const int c = first + threadIdx.x % columns;
		const bool live = part < parts && from + c < to && pair + c < (int)a.pairs;
		if (live) {
			const float *b = a.rows + (int64)a.target[pair + c] * kp;
			float cost = 0, error = 0;
			for (int i = 4 * part; i < k; i += 4 * parts) {
				float w[4] = {0, 0, 0, 0}, d[4] = {0, 0, 0, 0};
				for (int s = 0; s < k; s++) {
					float4 x = __ldg((const float4 *)(a.weighted + s * kp + i)), y = __ldg((const float4 *)(a.to_target + s * kp + i));
					float vs = v[s * stride + from + c], us = u[s * stride + from + c];
					w[0] = MAC(x.x, vs, w[0]), w[1] = MAC(x.y, vs, w[1]), w[2] = MAC(x.z, vs, w[2]), w[3] = MAC(x.w, vs, w[3]);
					d[0] = MAC(y.x, us, d[0]), d[1] = MAC(y.y, us, d[1]), d[2] = MAC(y.z, us, d[2]), d[3] = MAC(y.w, us, d[3]);
				}
				for (int e = 0; e < 4 && i + e < k; e++) {
					cost = MAC(u[(i + e) * stride + from + c], w[e], cost);
					error += fabsf(v[(i + e) * stride + from + c] * d[e] - b[i + e]);
				}
			}
			red[2 * threadIdx.x] = cost, red[2 * threadIdx.x + 1] = error;
		}
		__syncthreads();
		if (live && part == 0) {
			double cost = 0, error = 0;
			for (int p = 0; p < parts; p++) cost += red[2 * (p * columns + threadIdx.x)], error += red[2 * (p * columns + threadIdx.x) + 1];
			Outcome *out = a.outcomes + pair + c;
			out->cost = cost * a.unit, out->error = error, out->iterations = (int)a.max_iter;
		}
		__syncthreads();
	}
}

// ---- Version 1: a block a pair, a thread a bin; the Gibbs kernel from device memory.

__global__ void naive(const DistanceArgs *args) {
	SHARED(memory);
	const DistanceArgs a = *args;
	const int k = (int)a.k, kp = (int)a.kp, pair = blockIdx.x;
	float *u = (float *)memory, *v = u + k, *red = v + k;
	const float *rows[2] = {a.rows + (int64)a.source[pair] * kp, a.rows + (int64)a.target[pair] * kp};
	for (int i = threadIdx.x; i < k; i += blockDim.x) u[i] = rows[0][i] > 0 ? 1.f : 0.f;
	float least[2] = {INFINITE, INFINITE};
	__syncthreads();
	for (int half = 0; half < 2 * (int)a.max_iter; half++) {
		const bool to_target = half % 2 == 0;
		const float *x = to_target ? u : v, *w = to_target ? a.to_target : a.to_source;
		float *y = to_target ? v : u;
		for (int j = threadIdx.x; j < k; j += blockDim.x) {
			float d = 0, m = rows[to_target][j];
			for (int s = 0; s < k; s++) d = MAC(w[s * kp + j], x[s], d);
			if (m > 0) least[to_target] = fminf(least[to_target], d);
			y[j] = m > 0 ? m / fmaxf(d, TINY) : 0;
		}
		__syncthreads();
	}
	int lost = __syncthreads_or(!trusted(least[0], least[1]));
	outcome(a, u, v, 0, 1, 1, pair, red);
	if (threadIdx.x == 0) a.outcomes[pair].lost = lost;
}

// ---- Version 2: the Gibbs kernel in shared memory, for 16 pairs a block; a thread
// computes one number at a time.

__global__ void resident(const DistanceArgs *args) {
	SHARED(memory);
	const DistanceArgs a = *args;
	const int k = (int)a.k, kp = (int)a.kp, columns = (int)a.columns, pair = blockIdx.x * columns;
	unsigned char *at = memory;
	float *w = take<float>(at, k * kp), *u = take<float>(at, k * columns), *v = take<float>(at, k * columns);
	float *red = take<float>(at, 2 * blockDim.x);
	for (int i = threadIdx.x; i < k * kp; i += blockDim.x) w[i] = a.to_target[i];
	for (int i = threadIdx.x; i < k * columns; i += blockDim.x) {
		int p = min(pair + i % columns, (int)a.pairs - 1);
		u[i] = a.rows[(int64)a.source[p] * kp + i / columns] > 0 ? 1.f : 0.f;
	}
	float least[2] = {INFINITE, INFINITE};
	__syncthreads();
	for (int half = 0; half < 2 * (int)a.max_iter; half++) {
		const bool to_target = half % 2 == 0;
		const float *x = to_target ? u : v;
		float *y = to_target ? v : u;
		for (int i = threadIdx.x; i < k * columns; i += blockDim.x) {
			int c = i % columns, j = i / columns, p = min(pair + c, (int)a.pairs - 1);
			float d = 0, m = a.rows[(int64)(to_target ? a.target : a.source)[p] * kp + j];
			for (int s = 0; s < k; s++) d = MAC(w[s * kp + j], x[s * columns + c], d);
			if (m > 0) least[to_target] = fminf(least[to_target], d);
			y[i] = m > 0 ? m / fmaxf(d, TINY) : 0;
		}
		__syncthreads();
	}
	int lost = __syncthreads_or(!trusted(least[0], least[1])); // of the block
	outcome(a, u, v, 0, columns, columns, pair, red);
	for (int c = threadIdx.x; c < columns && pair + c < (int)a.pairs; c += blockDim.x) a.outcomes[pair + c].lost = lost;
}

// ---- Version 3: R bins × C columns a thread in registers. Marginals are read from device
// memory in each half iteration, or kept. A cluster of blocks shares a Gibbs kernel
// that no block has room for: each owns a slice of the bins, computes it for all
// columns, and writes it into the shared memories of all.

enum Marginals { FROM_DEVICE, FROM_SHARED, FROM_REGISTERS };

template <int R, int C, bool FAST, int MARGINALS, int CLUSTER>
__global__ void __launch_bounds__(256, 1) tiled(const DistanceArgs *args) {
	SHARED(memory);
	constexpr int PITCH = (R + 3) / 4 * 4; // floats from one thread's bins to the next's
	const DistanceArgs a = *args;
	const int k = (int)a.k, kp = (int)a.kp, columns = (int)a.columns;
	const int groups = ((k + CLUSTER - 1) / CLUSTER + R - 1) / R, width = groups * PITCH;
	const int lanes = columns / C, lane = threadIdx.x % lanes, group = threadIdx.x / lanes;
	const int rank = CLUSTER > 1 ? (int)cluster_rank() : 0, first = rank * groups * R, row = first + group * R;
	const int pair = blockIdx.x / CLUSTER * columns, all = (int)blockDim.x;
	const bool live = group < groups; // the others only fill a warp

	unsigned char *at = memory;
	float *u = take<float>(at, k * columns), *v = take<float>(at, k * columns), *red = take<float>(at, 2 * all);
	float *kept = take<float>(at, MARGINALS == FROM_SHARED ? 2 * R * C * all : 0);
	float *w = take<float>(at, k * width);
	for (int i = threadIdx.x; i < k * width; i += all) {
		int s = i / width, r = i % width % PITCH, bin = first + i % width / PITCH * R + r;
		w[i] = r < R && bin < k ? a.to_target[s * kp + bin] : 0;
	}
	for (int i = threadIdx.x; i < k * columns; i += all) {
		int p = pair + i % columns;
		u[i] = p < (int)a.pairs && a.rows[(int64)a.source[p] * kp + i / columns] > 0 ? 1.f : 0.f;
	}
	auto column = [&](int q) { return q < 4 ? 4 * lane + q : columns / 2 + 4 * lane + q - 4; };
	int from[2][C]; // where the marginals of target and source begin, −1: none
#pragma unroll
	for (int q = 0; q < C; q++) {
		int p = pair + column(q);
		from[0][q] = p < (int)a.pairs ? a.target[p] * kp + row : -1;
		from[1][q] = p < (int)a.pairs ? a.source[p] * kp + row : -1;
	}
	auto marginal = [&](int side, int i, int q) { return from[side][q] >= 0 && row + i < k ? __ldg(a.rows + from[side][q] + i) : 0.f; };
	float mine[2][MARGINALS == FROM_REGISTERS ? R : 1][C];
	if (MARGINALS != FROM_DEVICE) {
#pragma unroll
		for (int side = 0; side < 2; side++)
#pragma unroll
			for (int i = 0; i < R; i++)
#pragma unroll
				for (int q = 0; q < C; q++) {
					if (MARGINALS == FROM_REGISTERS) mine[side][MARGINALS == FROM_REGISTERS ? i : 0][q] = marginal(side, i, q);
					else kept[((side * R + i) * C + q) * all + threadIdx.x] = marginal(side, i, q);
				}
	}
	float least[2][C];
#pragma unroll
	for (int q = 0; q < C; q++) least[0][q] = least[1][q] = INFINITE;
	if (CLUSTER > 1) cluster_sync(); // all blocks are there to be written to
	__syncthreads();

	auto half = [&](int side, const float *x, float *y) {
		float acc[R][C];
#pragma unroll
		for (int i = 0; i < R; i++)
#pragma unroll
			for (int q = 0; q < C; q++) acc[i][q] = 0;
		const float *mine_w = w + (live ? group : 0) * PITCH;
#pragma unroll 2
		for (int s = 0; s < k; s++) {
			float wr[PITCH], xc[C];
#pragma unroll
			for (int i = 0; i < PITCH; i += 4) {
				float4 f = *(const float4 *)(mine_w + s * width + i);
				wr[i] = f.x, wr[i + 1] = f.y, wr[i + 2] = f.z, wr[i + 3] = f.w;
			}
#pragma unroll
			for (int q = 0; q < C; q += 4) {
				float4 f = *(const float4 *)(x + s * columns + column(q));
				xc[q] = f.x, xc[q + 1] = f.y, xc[q + 2] = f.z, xc[q + 3] = f.w;
			}
#pragma unroll
			for (int i = 0; i < R; i++)
#pragma unroll
				for (int q = 0; q < C; q++) acc[i][q] = MAC(wr[i], xc[q], acc[i][q]);
		}
#pragma unroll
		for (int q = 0; q < C; q++)
#pragma unroll
			for (int i = 0; i < R; i++) {
				float m, d = acc[i][q];
				if (MARGINALS == FROM_REGISTERS) m = mine[side][MARGINALS == FROM_REGISTERS ? i : 0][q];
				else if (MARGINALS == FROM_SHARED) m = kept[((side * R + i) * C + q) * all + threadIdx.x];
				else m = marginal(side, i, q);
				if (m > 0) least[side][q] = fminf(least[side][q], d);
				acc[i][q] = m > 0 ? divide<FAST>(m, fmaxf(d, TINY)) : 0;
			}
		if (live) {
#pragma unroll
			for (int i = 0; i < R; i++) {
				if (row + i >= k) continue;
#pragma unroll
				for (int q = 0; q < C; q += 4) {
					float4 f = make_float4(acc[i][q], acc[i][q + 1], acc[i][q + 2], acc[i][q + 3]);
					float *to = y + (row + i) * columns + column(q);
					if (CLUSTER == 1) {
						*(float4 *)to = f;
					} else {
#pragma unroll
						for (int r = 0; r < CLUSTER; r++) store_at(r, to, f);
					}
				}
			}
		}
		if (CLUSTER > 1) cluster_sync();
		else __syncthreads();
	};
	for (int iteration = 0; iteration < (int)a.max_iter; iteration++) {
		half(0, u, v);
		half(1, v, u);
	}

	// Each block of a cluster finishes some of the columns; the least divisors take the
	// place of the Gibbs kernel.
	const int share = (columns + CLUSTER - 1) / CLUSTER;
	const int lo = min(rank * share, columns), hi = min(lo + share, columns);
	float *divisors = w;
	if (live) {
#pragma unroll
		for (int side = 0; side < 2; side++)
#pragma unroll
			for (int q = 0; q < C; q += 4) {
				float4 f = make_float4(least[side][q], least[side][q + 1], least[side][q + 2], least[side][q + 3]);
				float *to = divisors + (side * CLUSTER * groups + rank * groups + group) * columns + column(q);
				if (CLUSTER == 1) {
					*(float4 *)to = f;
				} else {
#pragma unroll
					for (int r = 0; r < CLUSTER; r++) store_at(r, to, f);
				}
			}
	}
	if (CLUSTER > 1) cluster_sync();
	else __syncthreads();
	if (lo == hi) return;
	outcome(a, u, v, lo, hi, columns, pair + lo, red);
	for (int c = lo + threadIdx.x; c < hi && pair + c < (int)a.pairs; c += all) {
		float least_v = INFINITE, least_u = INFINITE;
		for (int g = 0; g < CLUSTER * groups; g++) {
			least_v = fminf(least_v, divisors[g * columns + c]);
			least_u = fminf(least_u, divisors[(CLUSTER * groups + g) * columns + c]);
		}
		a.outcomes[pair + c].lost = !trusted(least_u, least_v);
	}
}

// ---- Version 4: tensor cores. A warp owns 16 bins, or several times 16, and all
// columns. The Gibbs kernel comes from the caches in the order of fragments, split
// already; the scalings stay float32 in shared memory and are split as they are read.

template <int MODE, int TILES> // 8·TILES columns
__global__ void __launch_bounds__(512, 1) tensor(const DistanceArgs *args) {
	SHARED(memory);
	constexpr int DEPTH = depth(MODE), COLUMNS = 8 * TILES;
	constexpr int STRIDE = COLUMNS + (MODE == BF16X3 ? 4 : 8); // no two lanes in one bank
	const DistanceArgs a = *args;
	const int k = (int)a.k, kp = (int)a.kp, pair = blockIdx.x * COLUMNS;
	const int steps = (k + DEPTH - 1) / DEPTH, height = max(steps * DEPTH, (k + 15) / 16 * 16);
	const int warp = threadIdx.x / WARP, warps = blockDim.x / WARP, lane = threadIdx.x % WARP, group = lane / 4, part = lane % 4;
	const unsigned *fragments = (const unsigned *)a.to_source; // see split
	unsigned char *at = memory;
	float *x[2] = {take<float>(at, height * STRIDE), take<float>(at, height * STRIDE)}; // v, u
	float *m[2] = {take<float>(at, height * STRIDE), take<float>(at, height * STRIDE)}; // their marginals
	float *red = take<float>(at, 2 * blockDim.x);
	for (int i = threadIdx.x; i < height * STRIDE; i += blockDim.x) {
		int bin = i / STRIDE, c = i % STRIDE, p = pair + c;
		bool there = bin < k && c < COLUMNS && p < (int)a.pairs;
		m[0][i] = there ? a.rows[(int64)a.target[p] * kp + bin] : 0;
		m[1][i] = there ? a.rows[(int64)a.source[p] * kp + bin] : 0;
		x[0][i] = 0, x[1][i] = m[1][i] > 0 ? 1.f : 0.f;
	}
	float least[2] = {INFINITE, INFINITE};
	__syncthreads();
	auto half = [&](int side) {
		const float *from = x[1 - side];
		for (int tile = warp; tile * 16 < k; tile += warps) {
			float d[TILES][4];
#pragma unroll
			for (int n = 0; n < TILES; n++) d[n][0] = d[n][1] = d[n][2] = d[n][3] = 0;
			const uint4 *w = (const uint4 *)fragments + (int64)tile * steps * (MODE == TF32 ? 1 : 2) * WARP + lane;
#pragma unroll 2
			for (int step = 0; step < steps; step++) {
				uint4 f = __ldg(w + (MODE == TF32 ? step : 2 * step) * WARP);
				const unsigned hi[4] = {f.x, f.y, f.z, f.w};
				if (MODE != TF32) f = __ldg(w + (2 * step + 1) * WARP);
				const unsigned lo[4] = {f.x, f.y, f.z, f.w};
#pragma unroll
				for (int n = 0; n < TILES; n++) {
					const float *b = from + 8 * n + group;
					unsigned top[2], rest[2];
					if (MODE == BF16X3) {
						b += (step * DEPTH + 2 * part) * STRIDE;
#pragma unroll
						for (int h = 0; h < 2; h++) {
							float p = b[8 * h * STRIDE], q = b[(8 * h + 1) * STRIDE];
							top[h] = pack_bf16(p, q);
							rest[h] = pack_bf16(p - __uint_as_float(top[h] << 16), q - __uint_as_float(top[h] & 0xffff0000u));
						}
						mma_bf16(d[n], lo, top);
						mma_bf16(d[n], hi, rest);
						mma_bf16(d[n], hi, top);
					} else {
						b += (step * DEPTH + part) * STRIDE;
#pragma unroll
						for (int h = 0; h < 2; h++) {
							top[h] = to_tf32(b[4 * h * STRIDE]);
							if (MODE == TF32X3) rest[h] = to_tf32(b[4 * h * STRIDE] - __uint_as_float(top[h]));
						}
						if (MODE == TF32X3) {
							mma_tf32(d[n], lo, top);
							mma_tf32(d[n], hi, rest);
						}
						mma_tf32(d[n], hi, top);
					}
				}
			}
#pragma unroll
			for (int n = 0; n < TILES; n++)
#pragma unroll
				for (int e = 0; e < 4; e++) {
					int i = (16 * tile + group + e / 2 * 8) * STRIDE + 8 * n + 2 * part + e % 2;
					float mass = m[side][i];
					if (mass > 0) least[side] = fminf(least[side], d[n][e]);
					x[side][i] = mass > 0 ? divide<true>(mass, fmaxf(d[n][e], TINY)) : 0;
				}
		}
		__syncthreads();
	};
	for (int iteration = 0; iteration < (int)a.max_iter; iteration++) {
		half(0);
		half(1);
	}
	int lost = __syncthreads_or(!trusted(least[1], least[0])); // of the block
	outcome(a, x[1], x[0], 0, COLUMNS, STRIDE, pair, red);
	for (int c = threadIdx.x; c < COLUMNS && pair + c < (int)a.pairs; c += blockDim.x) a.outcomes[pair + c].lost = lost;
}

// ---- Version 5: tensor cores of Hopper, scalings in registers. A warpgroup owns 64 pairs; its
// threads hold the scalings of these from one half iteration to the next, as the sums of one
// product and, split, an operand of the next. The Gibbs kernel is in shared memory, split; the
// histograms are copied there while a product is under way, since the compiler would put off mere
// loads until after it. Nothing is exchanged between warps, so there is no barrier in the iteration.

// held is the number of warpgroups of a block.
constexpr int HELD = 2;

// parts is how many numbers a number is split into.
static constexpr __host__ __device__ int parts(int mode) { return mode == TF32 ? 1 : 2; }

// matrix_bytes is the size of an N×N matrix in shared memory.
static constexpr __host__ __device__ int matrix_bytes(int mode, int n) { return n * n * parts(mode) * (mode == BF16X3 ? 2 : 4); }

template <int MODE, int N> // N ≥ K bins
__global__ void __launch_bounds__(128 * HELD, 1) held(const DistanceArgs *args) {
#if !defined(__CUDACC__) || defined(__CUDA_ARCH_FEAT_SM90_ALL)
	SHARED(memory);
	constexpr int D = depth(MODE), STEPS = N / D, PARTS = parts(MODE), SIZE = matrix_bytes(MODE, N) / PARTS, STEP = N * 32 / 16;
	const DistanceArgs a = *args;
	constexpr int all = 128 * HELD; // threads; a number, or the addresses below would fill the registers
	const int k = (int)a.k, kp = (int)a.kp, lane = threadIdx.x % WARP, part = lane % 4;
	unsigned char *matrix = memory;
	// Numbers i and i + 1 of v and of u, kept for the end, are at [i/2·threads]. Until u is kept, its place
	// is that of the marginals that the next division needs.
	float2 *kept_v = (float2 *)(matrix + PARTS * SIZE) + threadIdx.x, *kept_u = kept_v + N / 4 * all, *ahead = kept_u;
	for (int i = 0; i < N / 4; i++) ahead[i * all] = make_float2(0, 0);

	auto load = [&](const float *from) {
		__syncthreads();
		for (int i = threadIdx.x; i < N * N; i += all) {
			const int row = i / N, column = i % N, bin = term<MODE>(row), at = place<MODE>(N, row, column);
			const float x = bin < k && column < k ? from[bin * kp + column] : 0;
			if (MODE == BF16X3) {
				const unsigned hi = pack_bf16(x, 0) & 0xffff, lo = pack_bf16(x - __uint_as_float(hi << 16), 0) & 0xffff;
				*(unsigned short *)(matrix + at) = (unsigned short)hi, *(unsigned short *)(matrix + SIZE + at) = (unsigned short)lo;
			} else {
				const unsigned hi = to_tf32(x);
				*(unsigned *)(matrix + at) = hi;
				if (PARTS == 2) *(unsigned *)(matrix + SIZE + at) = to_tf32(x - __uint_as_float(hi));
			}
		}
		publish();
		__syncthreads();
	};
	load(a.to_target);

	// The thread's two rows: pairs, and where their histograms begin.
	int pair[2];
	int from[2][2]; // target's, source's; of each row
#pragma unroll
	for (int r = 0; r < 2; r++) {
		pair[r] = blockIdx.x * 64 * HELD + threadIdx.x / WARP * 16 + lane / 4 + 8 * r;
		const int p = min(pair[r], (int)a.pairs - 1); // too many compute what is there already
		from[0][r] = a.target[p] * kp + 2 * part, from[1][r] = a.source[p] * kp + 2 * part;
	}
	unsigned hi[STEPS][4], lo[PARTS == 2 ? STEPS : 1][4]; // the operands
	float d[N / 2], m[N / 2];
	// fetch starts to copy a side's marginals, which come while a product is under way.
	auto fetch = [&](int side) {
#pragma unroll
		for (int i = 0; i < N / 4; i++) {
			if (i / 2 * 8 < kp) copy8(ahead + i * all, a.rows + from[side][i % 2] + i / 2 * 8);
		}
		copy_commit();
	};
	auto marginals = [&](int side, bool fetched) {
		if (fetched) copy_wait<0>();
#pragma unroll
		for (int i = 0; i < N / 4; i++) {
			float2 x = make_float2(0, 0);
			if (fetched) x = ahead[i * all];
			else if (i / 2 * 8 < kp) x = __ldg((const float2 *)(a.rows + from[side][i % 2] + i / 2 * 8));
			m[2 * i] = x.x, m[2 * i + 1] = x.y;
		}
	};
	// operands takes the scalings in d apart.
	auto operands = [&]() {
#pragma unroll
		for (int s = 0; s < STEPS; s++)
#pragma unroll
			for (int e = 0; e < 4; e++) {
				if (MODE == BF16X3) {
					const float x = d[8 * s + 2 * e], y = d[8 * s + 2 * e + 1];
					const unsigned both = pack_bf16(x, y);
					hi[s][e] = both;
					lo[PARTS == 2 ? s : 0][e] = pack_bf16(x - __uint_as_float(both << 16), y - __uint_as_float(both & 0xffff0000u));
				} else {
					const float x = d[4 * s + (e % 2 * 2 + e / 2)];
					hi[s][e] = to_tf32(x);
					if (PARTS == 2) lo[PARTS == 2 ? s : 0][e] = __float_as_uint(x - __uint_as_float(hi[s][e])); // exact
				}
			}
	};
	auto times = [&]() {
		const Operand top = operand<N>(matrix), rest = operand<N>(matrix + SIZE);
#pragma unroll
		for (int i = 0; i < N / 2; i++) d[i] = 0;
#pragma unroll
		for (int s = 0; s < STEPS; s++) {
			pin(hi[s]);
			if (PARTS == 2) pin(lo[PARTS == 2 ? s : 0]);
		}
		products_begin();
#pragma unroll
		for (int s = 0; s < STEPS; s++) {
			if (PARTS == 2) {
				multiply<MODE, N>(d, lo[PARTS == 2 ? s : 0], top + s * STEP);
				multiply<MODE, N>(d, hi[s], rest + s * STEP);
			}
			multiply<MODE, N>(d, hi[s], top + s * STEP);
		}
		products_commit();
		products_wait(d);
	};

	float least[2][2] = {{INFINITE, INFINITE}, {INFINITE, INFINITE}}; // of each side and row
	marginals(1, false);
#pragma unroll
	for (int i = 0; i < N / 2; i++) d[i] = m[i] > 0 ? 1.f : 0.f;
	operands();
#pragma unroll 1
	for (int iteration = 0; iteration < (int)a.max_iter; iteration++) {
		const bool last = iteration + 1 == (int)a.max_iter;
#pragma unroll
		for (int side = 0; side < 2; side++) {
			fetch(side);
			times();
			marginals(side, true);
#pragma unroll
			for (int i = 0; i < N / 2; i++) {
				float &l = least[side][i % 4 / 2];
				if (m[i] > 0) l = fminf(l, d[i]);
				d[i] = divide<true>(m[i], fmaxf(d[i], TINY)); // 0 of 0
			}
			if (last) {
#pragma unroll
				for (int i = 0; i < N / 4; i++) (side ? kept_u : kept_v)[i * all] = make_float2(d[2 * i], d[2 * i + 1]);
			}
			operands();
		}
	}

	// The error of the columns' sums, then the cost.
	float error[2] = {0, 0}, cost[2] = {0, 0};
	times();
	marginals(0, false);
#pragma unroll
	for (int i = 0; i < N / 4; i++) {
		const float2 v = kept_v[i * all];
		error[i % 2] += fabsf(v.x * d[2 * i] - m[2 * i]) + fabsf(v.y * d[2 * i + 1] - m[2 * i + 1]);
		d[2 * i] = v.x, d[2 * i + 1] = v.y;
	}
	operands();
	load(a.weighted);
	times();
#pragma unroll
	for (int i = 0; i < N / 4; i++) {
		const float2 u = kept_u[i * all];
		cost[i % 2] = MAC(u.x, d[2 * i], cost[i % 2]);
		cost[i % 2] = MAC(u.y, d[2 * i + 1], cost[i % 2]);
	}
#pragma unroll
	for (int r = 0; r < 2; r++) {
		const float e = four_sum(error[r]), c = four_sum(cost[r]), lv = four_min(least[0][r]), lu = four_min(least[1][r]);
		if (part == 0 && pair[r] < (int)a.pairs) {
			Outcome *out = a.outcomes + pair[r];
			out->cost = c * a.unit, out->error = e, out->iterations = (int)a.max_iter, out->lost = !trusted(lu, lv);
		}
	}
#endif
}

// ---- Version 6: the same for larger kernels. The Gibbs kernel, split and arranged by the host, passes
// through shared memory 8 bins at a time; what is left of that holds the scalings, where only those who made
// them read them. A warpgroup has 64 pairs, or, where the sums of these are too many for its registers
// (SPLIT = 2), half of the bins of 64 pairs.

constexpr int SLOTS = 3; // bins that products read, that they will read, and that are copied

template <int MODE, int N, int SPLIT> // N ≥ K bins
__global__ void __launch_bounds__(256, 1) passing(const DistanceArgs *args) {
#if !defined(__CUDACC__) || defined(__CUDA_ARCH_FEAT_SM90_ALL)
	SHARED(memory);
	constexpr int STEPS = N / 8, PARTS = parts(MODE), BYTES = N * 32 * PARTS, WIDTH = N / SPLIT, HALF = WIDTH / 2, OWN = WIDTH / 8;
	static_assert(STEPS % 2 == 0 && HALF % 8 == 0, "");
	const DistanceArgs a = *args;
	const int kp = (int)a.kp, lane = threadIdx.x % WARP, part = lane % 4;
	const int warpgroup = threadIdx.x / 128, self = threadIdx.x % 128;
	const int column = SPLIT == 1 ? 0 : warpgroup * WIDTH; // the first
	const unsigned char *gibbs = (const unsigned char *)a.to_target, *weighted = (const unsigned char *)a.weighted;
	unsigned char *slots = memory;
	// The scalings of bins 8s … 8s+7 are at [s·128], as operands.
	float4 *scalings = (float4 *)(slots + SLOTS * BYTES) + (SPLIT == 1 ? warpgroup * STEPS * 128 : 0) + self;
	// Numbers 4j … 4j+3 of v, then u, of a thread, for the end.
	float4 *kept = (float4 *)a.scalings + (int64)blockIdx.x * 2 * OWN * 256 + threadIdx.x;

	auto fetch = [&](const unsigned char *matrix, int step, int slot) {
		for (int i = 16 * threadIdx.x; i < BYTES; i += 16 * 256) copy16(slots + slot * BYTES + i, matrix + (int64)step * BYTES + i);
		copy_commit();
	};
	int pair[2];
	const float *source[2], *target[2]; // the histograms of each row
#pragma unroll
	for (int r = 0; r < 2; r++) {
		pair[r] = (blockIdx.x * (SPLIT == 1 ? 2 : 1) + (SPLIT == 1 ? warpgroup : 0)) * 64 + self / WARP * 16 + lane / 4 + 8 * r;
		const int p = min(pair[r], (int)a.pairs - 1);
		target[r] = a.rows + (int64)a.target[p] * kp + column + 2 * part, source[r] = a.rows + (int64)a.source[p] * kp + column + 2 * part;
	}
	// marginal is that of bins 8j + 2·part and the next, of a row; bins beyond K have none.
	auto marginal = [&](const float *row, int j) { return column + 8 * j < kp ? load2(row + 8 * j) : make_float2(0, 0); };

	float d[2][HALF / 2];
	int slot = 0;
	// times multiplies the scalings with a matrix, whose first bins are in the slot or on their way, and
	// starts to copy those of the next.
	auto times = [&](const unsigned char *matrix, const unsigned char *next) {
		unsigned hi[2][4], lo[2][4];
#pragma unroll
		for (int i = 0; i < HALF / 2; i++) d[0][i] = d[1][i] = 0;
#pragma unroll 1
		for (int first = 0; first < STEPS; first += 2) {
#pragma unroll
			for (int e = 0; e < 2; e++) {
				const int step = first + e;
				copy_wait<0>();
				products_older(); // those of the step before the last have read their slot and operands
				publish();
				__syncthreads();
				const int after = slot + 1 < SLOTS ? slot + 1 : 0;
				if (step + 1 < STEPS) fetch(matrix, step + 1, after);
				else if (next) fetch(next, 0, after);
				const float4 x = scalings[step * 128];
				const float y[4] = {x.x, x.y, x.z, x.w};
#pragma unroll
				for (int i = 0; i < 4; i++) {
					hi[e][i] = to_tf32(y[i]);
					lo[e][i] = __float_as_uint(y[i] - __uint_as_float(hi[e][i]));
				}
				pin(hi[e]), pin(lo[e]);
				const Operand top = operand<N>(slots + slot * BYTES) + column, rest = operand<N>(slots + slot * BYTES + N * 32) + column;
				products_begin();
#pragma unroll
				for (int h = 0; h < 2; h++) {
					if (PARTS == 2) {
						multiply<MODE, HALF>(d[h], lo[e], top + h * HALF);
						multiply<MODE, HALF>(d[h], hi[e], rest + h * HALF);
					}
					multiply<MODE, HALF>(d[h], hi[e], top + h * HALF);
				}
				products_commit();
				slot = after;
			}
		}
		products_wait(d[0]);
		products_wait(d[1]);
		if (SPLIT == 2) __syncthreads(); // the other warpgroup has read the scalings too
	};
	auto store = [&](int j, const float (&x)[4]) { scalings[(column / 8 + j) * 128] = make_float4(x[0], x[2], x[1], x[3]); };

	float least_v[2] = {INFINITE, INFINITE}, least_u[2] = {INFINITE, INFINITE}, error[2] = {0, 0}, cost[2] = {0, 0}; // of each row
	fetch(gibbs, 0, slot);
	for (int j = 0; j < OWN; j++) {
		const float2 m = marginal(source[0], j), n = marginal(source[1], j);
		const float x[4] = {m.x > 0 ? 1.f : 0.f, m.y > 0 ? 1.f : 0.f, n.x > 0 ? 1.f : 0.f, n.y > 0 ? 1.f : 0.f};
		store(j, x);
	}
	// After the half iterations a product for the error of the columns' sums, and one for the cost.
	const int halves = 2 * (int)a.max_iter;
#pragma unroll 1
	for (int half = 0; half < halves + 2; half++) {
		times(half > halves ? weighted : gibbs, half < halves ? gibbs : half == halves ? weighted : 0);
		if (half > halves) break;
		const bool to_source = half % 2 == 1, keep = half + 2 >= halves;
		const float *row[2] = {to_source ? source[0] : target[0], to_source ? source[1] : target[1]};
		hide(row[0]), hide(row[1]);
		float least[2] = {INFINITE, INFINITE};
		constexpr int AHEAD = 4; // marginals are read so many bins ahead
		float2 m[AHEAD][2];
#pragma unroll
		for (int j = 0; j < AHEAD && j < OWN; j++) m[j][0] = marginal(row[0], j), m[j][1] = marginal(row[1], j);
#pragma unroll
		for (int j = 0; j < OWN; j++) {
			const float2 *now = m[j % AHEAD];
			const float mass[4] = {now[0].x, now[0].y, now[1].x, now[1].y};
			if (j + AHEAD < OWN) m[j % AHEAD][0] = marginal(row[0], j + AHEAD), m[j % AHEAD][1] = marginal(row[1], j + AHEAD);
			const float *sum = d[8 * j / HALF] + 4 * j % (HALF / 2);
			float x[4];
			if (half < halves) {
#pragma unroll
				for (int i = 0; i < 4; i++) {
					if (mass[i] > 0) least[i / 2] = fminf(least[i / 2], sum[i]);
					x[i] = divide<true>(mass[i], fmaxf(sum[i], TINY)); // 0 of 0
				}
				if (keep) kept[(to_source ? OWN + j : j) * 256] = make_float4(x[0], x[1], x[2], x[3]);
			} else {
				const float4 v = kept[j * 256];
				x[0] = v.x, x[1] = v.y, x[2] = v.z, x[3] = v.w;
#pragma unroll
				for (int i = 0; i < 4; i++) error[i / 2] += fabsf(x[i] * sum[i] - mass[i]);
			}
			store(j, x);
		}
#pragma unroll
		for (int r = 0; r < 2; r++) {
			if (to_source) least_u[r] = fminf(least_u[r], least[r]);
			else least_v[r] = fminf(least_v[r], least[r]);
		}
	}
#pragma unroll
	for (int j = 0; j < OWN; j++) {
		const float4 u = kept[(OWN + j) * 256];
		const float x[4] = {u.x, u.y, u.z, u.w};
#pragma unroll
		for (int i = 0; i < 4; i++) cost[i / 2] = MAC(x[i], d[8 * j / HALF][4 * j % (HALF / 2) + i], cost[i / 2]);
	}
	__syncthreads();
	float4 *found = (float4 *)slots; // of the second warpgroup, where it has the other bins
#pragma unroll
	for (int r = 0; r < 2; r++) {
		float4 f = make_float4(four_sum(error[r]), four_sum(cost[r]), four_min(least_v[r]), four_min(least_u[r]));
		const int row = self / WARP * 16 + lane / 4 + 8 * r;
		if (SPLIT == 2) {
			if (warpgroup == 1 && part == 0) found[row] = f;
			__syncthreads();
			if (warpgroup == 0) {
				const float4 g = found[row];
				f = make_float4(f.x + g.x, f.y + g.y, fminf(f.z, g.z), fminf(f.w, g.w));
			}
		}
		if (part == 0 && pair[r] < (int)a.pairs && (SPLIT == 1 || warpgroup == 0)) {
			Outcome *out = a.outcomes + pair[r];
			out->cost = f.y * a.unit, out->error = f.x, out->iterations = (int)a.max_iter, out->lost = !trusted(f.w, f.z);
		}
	}
#endif
}

// ---- The host's side.

// layout of the engine's kernel; mirrors distanceShared of layout.go.
static int production_shared(int k, int columns, bool resident) {
	auto carved = [](int n) { return round_up(4 * n, 16); };
	int kp = round_up(k, 8), part = carved(kp / 8 * columns);
	return carved(16 * kp) + 2 * carved(k * columns) + 3 * part + 6 * carved(columns) + carved(2 * columns) + carved(4) + (resident ? carved(k * kp) : 0);
}

struct Ladder {
	Problem problem;
	int iterations;
	std::vector<int> source, target, sample;
	std::vector<double> want;
	DistanceArgs args;
	std::vector<float> fragments[3];

	Ladder(int k, int pairs, int iterations) : problem(k, std::min(pairs, 4096), 0.1), iterations(iterations), source(pairs), target(pairs) {
		Random random = {7};
		for (int &s : source) s = random.below(problem.n);
		for (int &t : target) t = random.below(problem.n);
		for (int i = 0; i < 16; i++) sample.push_back(i == 0 ? 0 : i == 1 ? pairs - 1 : random.below(pairs));
		for (int i : sample) want.push_back(reference(problem, source[i], target[i], iterations));
		args = DistanceArgs();
		args.k = k, args.kp = problem.kp, args.pairs = pairs, args.max_iter = iterations, args.unit = problem.unit, args.share = 1;
		args.rows = device(problem.rows), args.source = device(source), args.target = device(target);
		args.to_target = args.to_source = device(problem.gibbs), args.weighted = device(problem.weighted);
		args.outcomes = room<Outcome>(pairs);
	}

	// split puts the Gibbs kernel, a multiple of 16 bins by one of the depth, in the order
	// in which lanes read it: hi, then lo of each fragment.
	const float *split(int mode) {
		const int k = problem.k, d = depth(mode), steps = (k + d - 1) / d;
		std::vector<unsigned> out;
		auto at = [&](int bin, int s) { return bin < k && s < k ? problem.gibbs[s * problem.kp + bin] : 0.f; };
		auto tf32 = [](float x) {
			unsigned y;
			memcpy(&y, &x, 4);
			return (y + 0x1000) & ~0x1fffu;
		};
		auto bf16 = [](float x) {
			unsigned y;
			memcpy(&y, &x, 4);
			return (y + 0x7fff + (y >> 16 & 1)) & 0xffff0000u;
		};
		auto less = [](float x, unsigned hi) {
			float y;
			memcpy(&y, &hi, 4);
			return x - y;
		};
		for (int tile = 0; 16 * tile < k; tile++)
			for (int step = 0; step < steps; step++)
				for (int lo = 0; lo < (mode == TF32 ? 1 : 2); lo++)
					for (int lane = 0; lane < 32; lane++)
						for (int r = 0; r < 4; r++) {
							int bin = 16 * tile + lane / 4 + r % 2 * 8;
							if (mode != BF16X3) {
								float x = at(bin, step * d + lane % 4 + r / 2 * 4);
								out.push_back(lo ? tf32(less(x, tf32(x))) : tf32(x));
								continue;
							}
							unsigned half[2];
							for (int e = 0; e < 2; e++) {
								float x = at(bin, step * d + lane % 4 * 2 + r / 2 * 8 + e);
								half[e] = lo ? bf16(less(x, bf16(x))) : bf16(x);
							}
							out.push_back(half[0] >> 16 | half[1]);
						}
		return (const float *)device(out);
	}

	void run(const char *version, Kernel_ kernel, int columns, int threads, int shared, int cluster = 1, double tolerance = 0, const float *split = 0) {
		DistanceArgs a = args;
		a.columns = a.per_block = columns;
		if (!strncmp(version, "production", 10)) {
			a.resident = production_shared(problem.k, columns, true) == shared;
			if (columns * problem.kp / 64 > 256) return;
		}
		if (split) a.to_source = split;
		DistanceArgs *on_device = room<DistanceArgs>(1);
		upload(on_device, &a, 1);
		int k = problem.k, pairs = (int)a.pairs;
		Outcome_ o = {"distance", version, "", k, tolerance ? tolerance : (3 * k + 64) * 0x1p-24, 0, (double)pairs, 4. * k * k * iterations};
		Launch l = {kernel, (pairs + columns - 1) / columns * cluster, threads, shared, cluster};
		::run<Outcome>(o, l, on_device, a.outcomes, pairs, [&](const std::vector<Outcome> &out) {
			double worst = 0;
			for (size_t i = 0; i < sample.size(); i++) worst = std::max(worst, fabs(out[sample[i]].cost - want[i]) / want[i]);
			for (const Outcome &x : out)
				if (!(x.cost > 0 && x.error >= 0) || x.iterations != iterations || x.lost) return (double)INFINITY;
			return worst;
		});
	}

	template <int R, int C, bool FAST, int MARGINALS, int CLUSTER> void tile(const char *version, int columns) {
		int k = problem.k, groups = ((k + CLUSTER - 1) / CLUSTER + R - 1) / R, threads = round_up(groups * columns / C, 32);
		auto carved = [](int n) { return round_up(4 * n, 16); };
		// The least divisors take the place of the Gibbs kernel.
		int w = std::max(k * groups * ((R + 3) / 4 * 4), 2 * CLUSTER * groups * columns);
		int shared = 2 * carved(k * columns) + carved(2 * threads) + (MARGINALS == FROM_SHARED ? carved(2 * R * C * threads) : 0) + carved(w);
		if (threads > 256) return;
		run(version, (Kernel_)tiled<R, C, FAST, MARGINALS, CLUSTER>, columns, threads, shared, CLUSTER);
	}

	template <int MODE, int TILES> void tensors(const char *version, double tolerance) {
		int k = problem.k, d = depth(MODE), height = std::max(round_up(k, d), round_up(k, 16)), tiles = (k + 15) / 16;
		int warps = tiles <= 8 ? tiles : tiles <= 16 ? (tiles + 1) / 2 : (tiles + 3) / 4 * 2;
		warps = std::min(warps, 16);
		int shared = 4 * round_up(4 * height * (8 * TILES + (MODE == BF16X3 ? 4 : 8)), 16) + 8 * 32 * warps;
		const float *f = split(MODE);
		run(version, (Kernel_)tensor<MODE, TILES>, 8 * TILES, 32 * warps, shared, 1, tolerance, f);
	}

	// arranged is a symmetric matrix as version 6 copies it: of every 8 bins the high parts, then the low.
	template <int MODE> const float *arranged(const std::vector<float> &matrix, int n) {
		std::vector<float> out((size_t)n * n * parts(MODE));
		for (int row = 0; row < n; row++)
			for (int column = 0; column < n; column++) {
				const int bin = term<MODE>(row), k = problem.k;
				const float x = bin < k && column < k ? matrix[bin * problem.kp + column] : 0;
				float rest = x;
				for (int part = 0; part < parts(MODE); part++) {
					unsigned y;
					memcpy(&y, &rest, 4);
					y = (y + 0x1000) & ~0x1fffu;
					float *to = &out[((size_t)row / 8 * parts(MODE) + part) * n * 8 + place<MODE>(n, row % 8, column) / 4];
					memcpy(to, &y, 4);
					rest -= *to;
				}
			}
		return device(out);
	}

	template <int MODE, int N, int SPLIT> void passes(const char *version, double tolerance) {
		if (problem.k > N || problem.k <= N / 2) return;
		DistanceArgs before = args;
		const int columns = SPLIT == 1 ? 128 : 64, blocks = ((int)args.pairs + columns - 1) / columns;
		args.to_target = arranged<MODE>(problem.gibbs, N), args.weighted = arranged<MODE>(problem.weighted, N);
		args.scalings = room<float>((size_t)blocks * 2 * (N / SPLIT / 2) * 256);
		run(version, (Kernel_)passing<MODE, N, SPLIT>, columns, 256, SLOTS * N * 32 * parts(MODE) + (SPLIT == 1 ? 2 : 1) * N / 8 * 128 * 16, 1, tolerance);
		args = before;
	}

	template <int MODE> void holds(const char *version, double tolerance) {
		constexpr int LARGE = MODE == BF16X3 ? 112 : 104;
		auto with = [&](Kernel_ kernel, int n) {
			int shared = matrix_bytes(MODE, n) + 2 * 4 * n / 2 * 128 * HELD;
			run(version, kernel, 64 * HELD, 128 * HELD, shared, 1, tolerance);
		};
		if (problem.k <= 32) with((Kernel_)held<MODE, 32>, 32);
		else if (problem.k <= 64) with((Kernel_)held<MODE, 64>, 64);
		else if (problem.k <= LARGE) with((Kernel_)held<MODE, LARGE>, LARGE);
	}
};

int main(int arguments, char **) {
	small |= arguments > 1;
	struct Size {
		int k, pairs, iterations;
	};
	const std::vector<Size> sizes = !small ? std::vector<Size>{{100, 1 << 17, 100}, {300, 1 << 15, 100}, {500, 1 << 14, 100}}
	                                          : std::vector<Size>{{29, 37, 4}, {61, 70, 3}, {100, 130, 2}};
	std::vector<std::unique_ptr<Ladder>> ladders;
	for (Size size : sizes) {
		ladders.push_back(std::make_unique<Ladder>(size.k, size.pairs, size.iterations));
		Ladder &l = *ladders.back();
		const int k = size.k, kp = l.problem.kp;
		l.run("naive", (Kernel_)naive, 1, std::min(256, round_up(k, 32)), 8 * k + 8 * 256);
		l.run("resident", (Kernel_)resident, 16, 256, 4 * k * (kp + 32) + 8 * 256 + 48);
		for (int columns : {16, 32, 64, 128}) {
			std::string name = "production, " + std::to_string(columns) + " columns";
			l.run((name + ", resident").c_str(), (Kernel_)production::distance, columns, kp / 8 * columns / 8, production_shared(k, columns, true));
			l.run((name + ", streamed").c_str(), (Kernel_)production::distance, columns, kp / 8 * columns / 8, production_shared(k, columns, false));
		}
		l.tile<8, 8, false, FROM_DEVICE, 1>("8x8", 64);
		l.tile<8, 8, true, FROM_DEVICE, 1>("8x8, reciprocal", 64);
		l.tile<8, 8, true, FROM_SHARED, 1>("8x8, reciprocal, marginals in shared memory", 64);
		l.tile<8, 8, true, FROM_REGISTERS, 1>("8x8, reciprocal, marginals in registers", 64);
		l.tile<8, 4, true, FROM_REGISTERS, 1>("8x4, reciprocal, marginals in registers", 64);
		l.tile<13, 8, true, FROM_DEVICE, 1>("13x8, reciprocal, 64 columns", 64);
		l.tile<13, 8, true, FROM_DEVICE, 1>("13x8, reciprocal, 128 columns", 128);
		l.tensors<TF32, 8>("TF32, 64 columns", 4e-3);
		l.tensors<TF32, 4>("TF32, 32 columns", 4e-3);
		l.tensors<TF32, 2>("TF32, 16 columns", 4e-3);
		l.tensors<TF32X3, 8>("TF32 x3, 64 columns", 1e-4);
		l.tensors<TF32X3, 4>("TF32 x3, 32 columns", 1e-4);
		l.tensors<TF32X3, 2>("TF32 x3, 16 columns", 1e-4);
		l.tensors<BF16X3, 8>("bf16 x3, 64 columns", 1e-3);
		l.tensors<BF16X3, 4>("bf16 x3, 32 columns", 1e-3);
		l.tensors<BF16X3, 2>("bf16 x3, 16 columns", 1e-3);
	}
	// A kernel that faults or hangs ends the program: last the versions that would.
	for (auto &each : ladders) {
		Ladder &l = *each;
		l.tile<4, 4, true, FROM_REGISTERS, 2>("4x4, cluster of 2, 16 columns", 16);
		l.tile<4, 4, true, FROM_REGISTERS, 4>("4x4, cluster of 4, 32 columns", 32);
		l.tile<4, 8, true, FROM_REGISTERS, 4>("4x8, cluster of 4, 48 columns", 48);
		l.tile<4, 4, true, FROM_REGISTERS, 8>("4x4, cluster of 8, 24 columns", 24);
		l.tile<4, 4, true, FROM_REGISTERS, 8>("4x4, cluster of 8, 64 columns", 64);
	}
	for (auto &each : ladders) {
		Ladder &l = *each;
		l.holds<TF32>("TF32, scalings in registers", 4e-3);
		l.holds<TF32X3>("TF32 x3, scalings in registers", 1e-4);
		l.holds<BF16X3>("bf16 x3, scalings in registers", 1e-3);
	}
	for (auto &each : ladders) {
		Ladder &l = *each;
		if (!ON_DEVICE || small) l.passes<TF32X3, 64, 1>("TF32 x3, passing", 1e-4), l.passes<TF32X3, 128, 2>("TF32 x3, passing", 1e-4);
		l.passes<TF32, 304, 1>("TF32, passing", 4e-3);
		l.passes<TF32X3, 304, 1>("TF32 x3, passing", 1e-4);
		l.passes<TF32, 512, 2>("TF32, passing", 4e-3);
		l.passes<TF32X3, 512, 2>("TF32 x3, passing", 1e-4);
	}
	return wrong ? 1 : 0;
}
