// Batches of transport problems that share one cost, by Sinkhorn scaling in float32.
//
// A block keeps its problems' scalings in shared memory through all iterations, and
// the Gibbs kernel too where it fits. A half iteration is one matrix product, whose sums
// stay in registers until they divide the marginals. A problem that finishes makes
// room for the block's next. Nothing computed for a problem depends on its column
// or its neighbours, and no reduction depends on the order of threads.
//
// Reference: package contextmover/cmdlib/ot/reference.
#include "common.cuh"

struct DistanceArgs { // 8-byte words; mirrored in engine.go
	int64 k, kp, columns, pairs, per_block, max_iter;
	double tol, unit, mass, share;
	int64 resident;                  // the Gibbs kernel fits into shared memory
	int64 two_matrices;              // to_source differs from to_target
	const float *rows;               // histograms, N×kp
	const int *source, *target;      // rows of each pair
	const float *to_target;          // k×kp: row i, column j is exp(−M_ij/λ)
	const float *to_source;          // k×kp: its transpose
	const float *weighted;           // k×kp: row j, column i is exp(−M_ij/λ)·M_ij/unit
	const float *from_cost, *to_cost;     // border: N×kp costs from and to points
	const float *from_weight, *to_weight; // and their exp(−c/λ)
	const float *between, *between_weight;
	struct Outcome *outcomes; // one a pair
	float *scalings;          // null, or 2×(kp+8) a pair: u, then v, the points' at kp
};

struct Outcome {
	double cost, error;
	int iterations, lost; // lost: float32 scaling was not accurate
};

template <bool BORDER> static __device__ __forceinline__ void solve(const DistanceArgs *args) {
	SHARED(memory);
	const DistanceArgs a = *args;
	const Tile t((int)a.k, (int)a.kp, (int)a.columns, (int)a.columns);
	const int columns = t.columns, part = t.groups * columns, self = t.group * columns;
	const float mass = (float)a.mass;

	unsigned char *at = memory;
	float *stage = take<float>(at, 2 * STAGE * t.kp);
	float *u = take<float>(at, t.k * t.stride), *v = take<float>(at, t.k * t.stride);
	float *least_u = take<float>(at, part), *least_v = take<float>(at, part), *red = take<float>(at, part);
	int *pair = take<int>(at, columns), *iterations = take<int>(at, columns), *state = take<int>(at, columns);
	int *source = take<int>(at, columns), *target = take<int>(at, columns);
	float *share = take<float>(at, columns);
	double *error = take<double>(at, columns);
	int *control = take<int>(at, 4);
	// border: scalings of the points, their least divisors, and sums over bins in parts
	float *u0 = 0, *v0 = 0, *between = 0, *least_u0 = 0, *least_v0 = 0, *sum_u = 0, *sum_v = 0, *red0 = 0;
	if (BORDER) {
		u0 = take<float>(at, columns), v0 = take<float>(at, columns), between = take<float>(at, columns);
		least_u0 = take<float>(at, columns), least_v0 = take<float>(at, columns);
		sum_u = take<float>(at, part), sum_v = take<float>(at, part), red0 = take<float>(at, part);
	}
	Kernel to_target = {a.to_target, stage, a.resident != 0}, to_source = {a.to_source, stage, a.resident != 0};
	if (a.resident) residents(t, at, to_target, to_source, a.two_matrices != 0);
	const Kernel weighted = {a.weighted, stage, false};

	int next = (int)(blockIdx.x * a.per_block); // used by thread 0 only
	const int end = (int)min((int64)(blockIdx.x + 1) * a.per_block, a.pairs);
	for (int c = threadIdx.x; c < columns; c += blockDim.x) {
		pair[c] = -1, source[c] = target[c] = 0, share[c] = 0, state[c] = 1;
		if (BORDER) u0[c] = v0[c] = between[c] = 0;
	}
	__syncthreads();

	float acc[TILE][TILE];
	// read reads the marginals of a column and, with a border, its weights: always one column ahead, so
	// that its latency is not waited for.
	auto read = [&](bool of_target, int q, float (&x)[TILE], float (&w)[TILE]) {
		const int64 b = (int64)target[t.column(q)] * t.kp + t.row, c = (int64)source[t.column(q)] * t.kp + t.row;
		load8(x, a.rows + (of_target ? b : c));
		if (BORDER) load8(w, of_target ? a.from_weight + c : a.to_weight + b);
	};
	for (;;) {
		// Fill the columns whose state says that they are free.
		if (threadIdx.x == 0) {
			for (int c = 0; c < columns; c++) {
				if (!state[c]) continue;
				if (next < end) {
					pair[c] = next, source[c] = a.source[next], target[c] = a.target[next];
					iterations[c] = 0, share[c] = (float)a.share;
					if (BORDER) {
						u0[c] = mass > 0 ? 1.f : 0.f, v0[c] = 0, between[c] = a.between_weight[next];
						least_u0[c] = least_v0[c] = INFINITE;
					}
					next++;
				} else {
					pair[c] = -1, share[c] = 0;
					if (BORDER) u0[c] = v0[c] = between[c] = 0;
				}
			}
			// The iterations until a column must be looked at; none: the block is done.
			int steps = 0;
			for (int c = 0; c < columns; c++) {
				if (pair[c] < 0) continue;
				int i = iterations[c], due = (int)a.max_iter;
				if (a.tol > 0 || i < 10) due = min(due, (i / 10 + 1) * 10);
				if (steps == 0 || due - i < steps) steps = due - i;
			}
			control[0] = steps;
		}
		__syncthreads();
		const int steps = control[0];
		if (steps == 0) return;
#pragma unroll 1
		for (int q = 0; q < TILE; q++) {
			int c = t.column(q);
			if (!state[c]) continue;
			float x[TILE], sum = 0, to[TILE];
			load8(x, a.rows + (int64)source[c] * t.kp + t.row);
			if (BORDER) load8(to, a.to_weight + (int64)target[c] * t.kp + t.row);
#pragma unroll
			for (int i = 0; i < TILE; i++) {
				// Bins without mass keep scaling 0, so that they are not there at all.
				float one = share[c] * x[i] > 0 ? 1.f : 0.f;
				if (BORDER) sum += to[i] * one;
				if (t.row + i < t.k) u[(t.row + i) * t.stride + c] = one, v[(t.row + i) * t.stride + c] = 0;
			}
			least_u[self + c] = least_v[self + c] = INFINITE;
			if (BORDER) sum_u[self + c] = sum;
		}
		__syncthreads();

		for (int step = 0; step < steps; step++) {
			// v = b/(Kᵀu)
			if (BORDER) {
				for (int c = threadIdx.x; c < columns; c += blockDim.x) {
					float d = between[c] * u0[c];
					for (int g = 0; g < t.groups; g++) d += sum_u[g * columns + c];
					if (mass > 0 && pair[c] >= 0) {
						least_v0[c] = fminf(least_v0[c], d);
						v0[c] = mass / fmaxf(d, TINY);
					}
				}
			}
			float x[2][TILE], from[2][TILE];
			read(true, 0, x[0], from[0]);
			product(t, acc, to_target, u, stage);
#pragma unroll
			for (int q = 0; q < TILE; q++) {
				int c = t.column(q);
				float least = least_v[self + c], sum = 0;
				if (q + 1 < TILE) read(true, q + 1, x[(q + 1) % 2], from[(q + 1) % 2]);
#pragma unroll
				for (int i = 0; i < TILE; i++) {
					float m = share[c] * x[q % 2][i], d = acc[i][q];
					if (BORDER) d = MAC(u0[c], from[q % 2][i], d);
					if (m > 0) least = fminf(least, d);
					acc[i][q] = m > 0 ? m / fmaxf(d, TINY) : 0;
					if (BORDER) sum = MAC(from[q % 2][i], acc[i][q], sum);
				}
				least_v[self + c] = least;
				if (BORDER) sum_v[self + c] = sum;
			}
			store(t, v, acc);
			__syncthreads();

			// u = a/(Kv)
			if (BORDER) {
				for (int c = threadIdx.x; c < columns; c += blockDim.x) {
					float d = between[c] * v0[c];
					for (int g = 0; g < t.groups; g++) d += sum_v[g * columns + c];
					if (mass > 0 && pair[c] >= 0) {
						least_u0[c] = fminf(least_u0[c], d);
						u0[c] = mass / fmaxf(d, TINY);
					}
				}
			}
			float y[2][TILE], to[2][TILE];
			read(false, 0, y[0], to[0]);
			product(t, acc, to_source, v, stage);
#pragma unroll
			for (int q = 0; q < TILE; q++) {
				int c = t.column(q);
				float least = least_u[self + c], sum = 0;
				if (q + 1 < TILE) read(false, q + 1, y[(q + 1) % 2], to[(q + 1) % 2]);
#pragma unroll
				for (int i = 0; i < TILE; i++) {
					float m = share[c] * y[q % 2][i], d = acc[i][q];
					if (BORDER) d = MAC(v0[c], to[q % 2][i], d);
					if (m > 0) least = fminf(least, d);
					acc[i][q] = m > 0 ? m / fmaxf(d, TINY) : 0;
					if (BORDER) sum = MAC(to[q % 2][i], acc[i][q], sum);
				}
				least_u[self + c] = least;
				if (BORDER) sum_u[self + c] = sum;
			}
			store(t, u, acc);
			__syncthreads();
		}

		// The error of the columns' sums.
		product(t, acc, to_target, u, stage);
#pragma unroll
		for (int q = 0; q < TILE; q++) {
			int c = t.column(q);
			float x[TILE], from[TILE], sum = 0;
			load8(x, a.rows + (int64)target[c] * t.kp + t.row);
			if (BORDER) load8(from, a.from_weight + (int64)source[c] * t.kp + t.row);
#pragma unroll
			for (int i = 0; i < TILE; i++) {
				if (t.row + i >= t.k) continue;
				float d = acc[i][q];
				if (BORDER) d = MAC(u0[c], from[i], d);
				sum += fabsf(v[(t.row + i) * t.stride + c] * d - share[c] * x[i]);
			}
			red[self + c] = sum;
		}
		__syncthreads();
		bool any = false;
		for (int c = threadIdx.x; c < columns; c += blockDim.x) {
			state[c] = 0;
			if (pair[c] < 0) continue;
			int i = iterations[c] += steps;
			if (i != (int)a.max_iter && i != 10 && !(a.tol > 0 && i % 10 == 0)) continue;
			double sum = 0;
			float lu = INFINITE, lv = INFINITE;
			for (int g = 0; g < t.groups; g++) {
				sum += red[g * columns + c];
				lu = fminf(lu, least_u[g * columns + c]), lv = fminf(lv, least_v[g * columns + c]);
			}
			if (BORDER) {
				float d = between[c] * u0[c];
				for (int g = 0; g < t.groups; g++) d += sum_u[g * columns + c];
				sum += fabs((double)v0[c] * d - mass);
				lu = fminf(lu, least_u0[c]), lv = fminf(lv, least_v0[c]);
			}
			bool sound = trusted(lu, lv);
			if (!sound || i == (int)a.max_iter || (a.tol > 0 && sum <= a.tol)) {
				state[c] = sound ? 1 : 2;
				error[c] = sum;
				any = true;
			}
		}
		if (!__syncthreads_or(any)) continue;

		// The cost ⟨T, M⟩ of those that finished.
		product(t, acc, weighted, v, stage);
#pragma unroll
		for (int q = 0; q < TILE; q++) {
			int c = t.column(q);
			float sum = 0, sum0 = 0, fw[TILE], fc[TILE], tw[TILE], tc[TILE];
			int64 from = (int64)source[c] * t.kp + t.row, to = (int64)target[c] * t.kp + t.row;
			if (BORDER) load8(fw, a.from_weight + from), load8(fc, a.from_cost + from), load8(tw, a.to_weight + to), load8(tc, a.to_cost + to);
#pragma unroll
			for (int i = 0; i < TILE; i++) {
				if (t.row + i >= t.k) continue;
				float x = u[(t.row + i) * t.stride + c], y = v[(t.row + i) * t.stride + c];
				sum = MAC(x, acc[i][q], sum);
				if (BORDER) sum0 += u0[c] * fw[i] * fc[i] * y + v0[c] * tw[i] * tc[i] * x;
			}
			red[self + c] = sum;
			if (BORDER) red0[self + c] = sum0;
			if (a.scalings && state[c] && pair[c] >= 0) {
				float *out = a.scalings + (int64)pair[c] * 2 * (t.kp + TILE);
				for (int i = 0; i < TILE; i++) {
					bool in = t.row + i < t.k;
					out[t.row + i] = in ? u[(t.row + i) * t.stride + c] : 0;
					out[t.kp + TILE + t.row + i] = in ? v[(t.row + i) * t.stride + c] : 0;
				}
				if (t.group == 0) {
					out[t.kp] = BORDER ? u0[c] : 0;
					out[2 * t.kp + TILE] = BORDER ? v0[c] : 0;
				}
			}
		}
		__syncthreads();
		for (int c = threadIdx.x; c < columns; c += blockDim.x) {
			if (!state[c] || pair[c] < 0) continue;
			double cost = 0, cost0 = 0;
			for (int g = 0; g < t.groups; g++) {
				cost += red[g * columns + c];
				if (BORDER) cost0 += red0[g * columns + c];
			}
			cost *= a.unit;
			if (BORDER) cost += cost0 + (double)u0[c] * v0[c] * between[c] * a.between[pair[c]];
			Outcome *out = a.outcomes + pair[c];
			out->cost = cost, out->error = error[c];
			out->iterations = iterations[c], out->lost = state[c] == 2;
		}
		__syncthreads();
	}
}

extern "C" {
__global__ void __launch_bounds__(MAX_THREADS, 1) distance(const DistanceArgs *args) { solve<false>(args); }
__global__ void __launch_bounds__(MAX_THREADS, 1) distance_border(const DistanceArgs *args) { solve<true>(args); }

struct GibbsArgs { // 8-byte words; mirrored in engine.go
	int64 n;
	double reg;
	const float *cost;
	float *weight; // exp(−cost/λ), zero where it would not be a normal float32
};

__global__ void gibbs(const GibbsArgs *args) {
	const GibbsArgs a = *args;
	for (int64 i = blockIdx.x * (int64)blockDim.x + threadIdx.x; i < a.n; i += (int64)gridDim.x * blockDim.x) {
		float w = (float)exp(-(double)a.cost[i] / a.reg);
		a.weight[i] = w >= TINY ? w : 0;
	}
}
}
