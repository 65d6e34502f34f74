// Ragged batches of barycenters over one cost, by iterative Bregman projections in
// float32; see BarycenterProblem of package ot for the iteration.
//
// A block solves a tile of whole groups, whose members are the columns. With
// T = A/(KU) and S = KᵀT, an iteration is two matrix products in shared memory and a
// pass over (group, bin), where one thread makes the weighted geometric mean of a bin
// over the group's members. What b has besides Π S^w, d of the debiased method or Π U^w after an
// unweighted start, is carried along as a logarithm.
//
// Reference: package contextmover/cmdlib/ot/reference.
#include "common.cuh"

struct BarycenterArgs { // 8-byte words; mirrored in engine.go
	int64 k, kp, columns, max_iter, debiased, unweighted_start;
	double tol;
	int64 resident, two_matrices;
	const float *rows;      // histograms, N×kp
	const int *tile;        // first group and end of each tile, 2×tiles
	const int *offset;      // first member of each group, groups+1
	const int *member;      // row of each member
	const float *weight;
	const float *to_target; // k×kp: row i, column j is exp(−M_ij/λ)
	const float *to_source; // its transpose
	// groups×kp each: log2 of what b has besides Π S^w; log2 b of the last two
	// iterations; deviations of the members; b
	float *carry, *log, *previous, *deviation, *histogram;
	struct BarycenterOutcome *outcomes; // one a group
};

struct BarycenterOutcome {
	double spread;
	int iterations, state;
};
enum { RUNNING, ENDED, CONVERGED, LOST };

extern "C" __global__ void __launch_bounds__(MAX_THREADS, 1) barycenter(const BarycenterArgs *args) {
	SHARED(memory);
	const BarycenterArgs a = *args;
	const Tile t((int)a.k, (int)a.kp, (int)a.columns, (int)a.columns + 4);
	const int columns = t.columns, part = t.groups * columns, self = t.group * columns;
	const int warp = threadIdx.x / WARP, lane = threadIdx.x % WARP, warps = blockDim.x / WARP;

	unsigned char *at = memory;
	float *stage = take<float>(at, 2 * STAGE * t.kp);
	float *x = take<float>(at, t.k * t.stride), *y = take<float>(at, t.k * t.stride); // U; T, S or d
	float *least_t = take<float>(at, part), *least_s = take<float>(at, part), *least_d = take<float>(at, part);
	int *row = take<int>(at, columns), *start = take<int>(at, columns + 1), *state = take<int>(at, columns), *equal = take<int>(at, columns);
	float *weight = take<float>(at, columns);
	Kernel to_target = {a.to_target, stage, a.resident != 0}, to_source = {a.to_source, stage, a.resident != 0};
	if (a.resident) residents(t, at, to_target, to_source, a.two_matrices != 0);

	const int first = a.tile[2 * blockIdx.x], groups = a.tile[2 * blockIdx.x + 1] - first, member = a.offset[first];
	const int used = a.offset[first + groups] - member;
	for (int c = threadIdx.x; c < columns; c += blockDim.x) {
		row[c] = c < used ? a.member[member + c] : -1;
		weight[c] = c < used ? a.weight[member + c] : 0;
		state[c] = RUNNING;
		equal[c] = 1;
		if (c < groups) {
			for (int m = a.offset[first + c]; m < a.offset[first + c + 1]; m++) {
				if (a.weight[m] != a.weight[a.offset[first + c]]) equal[c] = 0;
			}
		}
	}
	for (int g = threadIdx.x; g <= groups; g += blockDim.x) start[g] = a.offset[first + g] - member;
	for (int i = threadIdx.x; i < part; i += blockDim.x) least_t[i] = least_s[i] = least_d[i] = INFINITE;
	for (int i = threadIdx.x; i < t.k * t.stride; i += blockDim.x) x[i] = 1;
	for (int task = threadIdx.x; task < groups * t.k; task += blockDim.x) {
		int64 p = (int64)(first + task % groups) * t.kp + task / groups;
		a.carry[p] = a.log[p] = 0;
	}
	__syncthreads();

	float acc[TILE][TILE];
	// read reads the histogram of a column, if it has one: always one column ahead, so that its latency is
	// not waited for.
	auto read = [&](int q, float (&to)[TILE]) { load8(to, a.rows + (int64)max(row[t.column(q)], 0) * t.kp + t.row); };
	// Iteration 0 is the step before the first; the debiased method has none.
	for (int iteration = a.debiased ? 1 : 0;; iteration++) {
		// T = A/(KU)
		float h[2][TILE];
		read(0, h[0]);
		product(t, acc, to_source, x, stage);
#pragma unroll
		for (int q = 0; q < TILE; q++) {
			int c = t.column(q);
			float least = t.live ? least_t[self + c] : INFINITE; // its owner may be writing it
			const float share = row[c] >= 0 ? 1 : 0;
			if (q + 1 < TILE) read(q + 1, h[(q + 1) % 2]);
#pragma unroll
			for (int i = 0; i < TILE; i++) {
				float m = share * h[q % 2][i], d = acc[i][q];
				if (m > 0) least = fminf(least, d);
				acc[i][q] = m > 0 ? m / fmaxf(d, TINY) : 0;
			}
			if (t.live) least_t[self + c] = least;
		}
		if (t.live) store(t, y, acc);
		__syncthreads();
		// S = KᵀT
		product(t, acc, to_target, y, stage);
		__syncthreads(); // S takes the place of T
		if (t.live) {
#pragma unroll
			for (int q = 0; q < TILE; q++) {
				int c = t.column(q);
				float least = least_s[self + c];
#pragma unroll
				for (int i = 0; i < TILE; i++) {
					if (t.row + i < t.k) least = fminf(least, acc[i][q]);
				}
				least_s[self + c] = least;
			}
			store(t, y, acc);
		}
		__syncthreads();

		// b and U = b/S
		const bool last = iteration == (int)a.max_iter, check = last || iteration % 10 == 1;
		for (int task = threadIdx.x; task < groups * t.k; task += blockDim.x) {
			int g = task % groups, j = task / groups, lo = start[g], hi = start[g + 1];
			if (state[g] != RUNNING) continue;
			int64 p = (int64)(first + g) * t.kp + j;
			const float *s = y + j * t.stride;
			float *u = x + j * t.stride;
			float log = 0, n = (float)(hi - lo);
			if (iteration == 0) {
				float mean = 0;
				for (int c = lo; c < hi; c++) {
					float l = log2f(s[c]);
					mean += l / n;
					log += weight[c] * l;
				}
				if (a.unweighted_start && !equal[g]) {
					a.carry[p] = mean - log;
					log = mean;
				}
			} else {
				log = a.carry[p];
				for (int c = lo; c < hi; c++) log += weight[c] * log2f(s[c]);
				if (check) {
					float mean = 0, square = 0;
					for (int c = lo; c < hi; c++) mean += u[c] * s[c];
					mean /= n;
					for (int c = lo; c < hi; c++) {
						float d = u[c] * s[c] - mean;
						square += d * d;
					}
					a.deviation[p] = sqrtf(square / n);
					a.histogram[p] = exp2f(log);
					a.previous[p] = a.log[p];
				}
				a.log[p] = log;
			}
			float b = exp2f(log);
			for (int c = lo; c < hi; c++) u[c] = b / s[c];
		}
		__syncthreads();

		if (iteration > 0 && check) {
			bool running = false;
			for (int g = warp; g < groups; g += warps) {
				if (state[g] != RUNNING) continue;
				int64 p = (int64)(first + g) * t.kp;
				double spread = 0, total = 0, before = 0, largest = 0;
				for (int j = lane; j < t.k; j += WARP) {
					spread += a.deviation[p + j];
					total += a.histogram[p + j];
					largest = fmax(largest, (double)a.histogram[p + j]);
					before += exp2f(a.previous[p + j]);
				}
				spread = warp_sum(spread), total = warp_sum(total), before = warp_sum(before), largest = warp_max(largest);
				float lt = INFINITE, ls = INFINITE, ld = INFINITE;
				int lo = start[g], n = start[g + 1] - lo;
				for (int i = lane; i < t.groups * n; i += WARP) {
					int c = i / n * columns + lo + i % n;
					lt = fminf(lt, least_t[c]), ls = fminf(ls, least_s[c]);
				}
				for (int i = lane; i < t.groups; i += WARP) ld = fminf(ld, least_d[i * columns + g]);
				lt = warp_min(lt), ls = warp_min(ls), ld = warp_min(ld);
				if (a.debiased) {
					double change = 0;
					for (int j = lane; j < t.k; j += WARP) change += fabs((double)a.histogram[p + j] / total - (double)exp2f(a.previous[p + j]) / before);
					change = warp_sum(change);
					spread += iteration == 1 ? 1 : change;
				}
				int next = RUNNING;
				if (!trusted(lt, ls) || !(largest >= ENOUGH) || (a.debiased && ld < ENOUGH_BLUR)) next = LOST;
				else if (a.tol > 0 && spread <= a.tol) next = CONVERGED;
				else if (last) next = ENDED;
				if (next == RUNNING) {
					running = true;
					continue;
				}
				if (next != LOST) {
					for (int j = lane; j < t.k; j += WARP) a.histogram[p + j] = (float)(a.histogram[p + j] / total);
				}
				__syncwarp();
				if (lane == 0) {
					state[g] = next;
					BarycenterOutcome *out = a.outcomes + first + g;
					out->spread = spread, out->iterations = iteration, out->state = next;
				}
			}
			if (!__syncthreads_or(running)) return;
		}

		if (a.debiased) {
			// d = √(d·b/(Kd))
			for (int i = threadIdx.x; i < columns * t.k; i += blockDim.x) {
				int g = i % columns, j = i / columns;
				y[j * t.stride + g] = g < groups ? exp2f(a.carry[(int64)(first + g) * t.kp + j]) : 0;
			}
			__syncthreads();
			product(t, acc, to_source, y, stage);
#pragma unroll
			for (int q = 0; q < TILE; q++) {
				int g = t.column(q);
				if (g >= groups || !t.live) continue;
				float least = least_d[self + g];
#pragma unroll
				for (int i = 0; i < TILE; i++) {
					if (t.row + i >= t.k) continue;
					int64 p = (int64)(first + g) * t.kp + t.row + i;
					least = fminf(least, acc[i][q]);
					a.carry[p] = 0.5f * (a.carry[p] + a.log[p]) - 0.5f * log2f(acc[i][q]);
				}
				least_d[self + g] = least;
			}
			__syncthreads();
		}
	}
}
