// The problems for which float32 scaling is not accurate, in the logarithmic domain:
// potentials in float64, terms of sums in float32 relative to the largest. It works
// for every valid λ and any number of bins and members. All logarithms are binary.
//
// Reference: package contextmover/cmdlib/ot/reference.
#include "common.cuh"

// soft returns log2 Σ_i 2^term(i) for i = 0 … n−1, to all lanes of a warp.
// Terms may be −∞, but not all of them.
template <class Term> static __device__ __forceinline__ double soft(int n, Term term) {
	int lane = threadIdx.x % WARP;
	double largest = -(double)INFINITE;
	for (int i = lane; i < n; i += WARP) largest = fmax(largest, term(i));
	largest = warp_max(largest);
	double sum = 0;
	for (int i = lane; i < n; i += WARP) sum += exp2f((float)(term(i) - largest));
	return largest + log2(warp_sum(sum));
}

struct LogDistanceArgs { // 8-byte words; mirrored in engine.go
	int64 k, kp, max_iter, border;
	double tol, unit, mass, share; // unit: 1/(λ ln 2)
	const float *rows;
	const int *source, *target;
	const int *pairs;                 // which pairs to solve, one a block
	const float *cost, *transposed;   // k×kp
	const float *from_cost, *to_cost; // border: N×kp
	const float *between;
	struct Outcome *outcomes;
	double *potentials; // null, or 2×n a block
};

struct Outcome {
	double cost, error;
	int iterations, lost;
};

extern "C" __global__ void distance_log(const LogDistanceArgs *args) {
	SHARED(memory);
	const LogDistanceArgs a = *args;
	const int k = (int)a.k, point = a.border ? 1 : 0, n = k + point; // the border's points come first
	const int warp = threadIdx.x / WARP, lane = threadIdx.x % WARP, warps = blockDim.x / WARP;
	unsigned char *at = memory;
	double *f = take<double>(at, n), *g = take<double>(at, n), *la = take<double>(at, n), *lb = take<double>(at, n);
	double *part = take<double>(at, n), *error = take<double>(at, 1);
	const int pair = a.pairs[blockIdx.x];
	const int64 source = (int64)a.source[pair] * a.kp, target = (int64)a.target[pair] * a.kp;
	const double unit = a.unit;

	for (int i = threadIdx.x; i < n; i += blockDim.x) {
		la[i] = i < point ? log2(a.mass) : log2(a.share * a.rows[source + i - point]);
		lb[i] = i < point ? log2(a.mass) : log2(a.share * a.rows[target + i - point]);
		f[i] = la[i] > -(double)INFINITE ? 0 : la[i];
	}
	__syncthreads();
	// The cost from i to j; transposed makes neighbouring i neighbours in memory.
	auto cost = [&](int i, int j, bool transposed) -> double {
		if (point) {
			if (i == 0) return j == 0 ? a.between[pair] : a.from_cost[source + j - 1];
			if (j == 0) return a.to_cost[target + i - 1];
		}
		i -= point, j -= point;
		return transposed ? a.transposed[(int64)j * a.kp + i] : a.cost[(int64)i * a.kp + j];
	};

	int iteration = 0;
	for (;;) {
		for (int j = warp; j < n; j += warps) {
			double s = soft(n, [&](int i) { return f[i] - cost(i, j, true) * unit; });
			if (lane == 0) g[j] = lb[j] - s;
		}
		__syncthreads();
		for (int i = warp; i < n; i += warps) {
			double s = soft(n, [&](int j) { return g[j] - cost(i, j, false) * unit; });
			if (lane == 0) f[i] = la[i] - s;
		}
		__syncthreads();
		iteration++;
		bool last = iteration == (int)a.max_iter;
		if (!last && !(a.tol > 0 && iteration % 10 == 0)) continue;
		for (int j = warp; j < n; j += warps) {
			double s = soft(n, [&](int i) { return f[i] - cost(i, j, true) * unit; });
			if (lane == 0) part[j] = fabs(exp2(g[j] + s) - exp2(lb[j]));
		}
		__syncthreads();
		if (warp == 0) {
			double sum = 0;
			for (int j = lane; j < n; j += WARP) sum += part[j];
			sum = warp_sum(sum);
			if (lane == 0) error[0] = sum;
		}
		__syncthreads();
		if (last || error[0] <= a.tol) break;
		__syncthreads();
	}
	for (int i = warp; i < n; i += warps) {
		double sum = 0;
		for (int j = lane; j < n; j += WARP) {
			double c = cost(i, j, false);
			sum += exp2(f[i] + g[j] - c * unit) * c;
		}
		sum = warp_sum(sum);
		if (lane == 0) part[i] = sum;
	}
	__syncthreads();
	if (warp == 0) {
		double sum = 0;
		for (int i = lane; i < n; i += WARP) sum += part[i];
		sum = warp_sum(sum);
		if (lane == 0) {
			Outcome *out = a.outcomes + pair;
			out->cost = sum, out->error = error[0], out->iterations = iteration, out->lost = 0;
		}
	}
	if (a.potentials) {
		for (int i = threadIdx.x; i < n; i += blockDim.x) {
			a.potentials[(int64)blockIdx.x * 2 * n + i] = f[i];
			a.potentials[(int64)blockIdx.x * 2 * n + n + i] = g[i];
		}
	}
}

struct LogBarycenterArgs { // 8-byte words; mirrored in engine.go
	int64 k, kp, max_iter, debiased, unweighted_start;
	double tol, unit;
	const float *rows;
	const int *offset, *member;
	const float *weight;
	const int *groups;              // which groups to solve, one a block
	const int64 *place;             // where each block's scratch begins
	const float *cost, *transposed; // k×kp
	double *scratch;                // (3·members + 3)×kp a group
	float *histogram;               // groups×kp
	struct BarycenterOutcome *outcomes;
};

struct BarycenterOutcome {
	double spread;
	int iterations, state;
};
enum { RUNNING, ENDED, CONVERGED, LOST };

extern "C" __global__ void barycenter_log(const LogBarycenterArgs *args) {
	SHARED(memory);
	const LogBarycenterArgs a = *args;
	const int k = (int)a.k, kp = (int)a.kp;
	const int warp = threadIdx.x / WARP, lane = threadIdx.x % WARP, warps = blockDim.x / WARP;
	const int group = a.groups[blockIdx.x], first = a.offset[group], n = a.offset[group + 1] - first;
	const double unit = a.unit;
	unsigned char *at = memory;
	double *shared = take<double>(at, 8);
	double *u = a.scratch + a.place[blockIdx.x], *t = u + (int64)n * kp, *s = t + (int64)n * kp;
	double *d = s + (int64)n * kp, *b = d + kp, *part = b + kp;
	float *histogram = a.histogram + (int64)group * kp;

	for (int i = threadIdx.x; i < n * kp; i += blockDim.x) u[i] = 0;
	for (int j = threadIdx.x; j < k; j += blockDim.x) d[j] = b[j] = histogram[j] = 0;
	__syncthreads();
	for (int iteration = a.debiased ? 1 : 0;; iteration++) {
		// T = A/(KU), S = KᵀT
		for (int task = warp; task < n * k; task += warps) {
			int m = task / k, i = task % k;
			double mass = a.rows[(int64)a.member[first + m] * kp + i];
			double x = -(double)INFINITE;
			if (mass > 0) {
				const double *from = u + (int64)m * kp;
				const float *c = a.cost + (int64)i * kp;
				x = log2(mass) - soft(k, [&](int j) { return from[j] - c[j] * unit; });
			}
			if (lane == 0) t[(int64)m * kp + i] = x;
		}
		__syncthreads();
		for (int task = warp; task < n * k; task += warps) {
			int m = task / k, j = task % k;
			const double *from = t + (int64)m * kp;
			const float *c = a.transposed + (int64)j * kp;
			double x = soft(k, [&](int i) { return from[i] - c[i] * unit; });
			if (lane == 0) s[(int64)m * kp + j] = x;
		}
		__syncthreads();

		const bool last = iteration == (int)a.max_iter, check = iteration > 0 && (last || (a.tol > 0 && iteration % 10 == 1));
		for (int j = threadIdx.x; j < k; j += blockDim.x) {
			double x = d[j];
			for (int m = 0; m < n; m++) x += a.weight[first + m] * s[(int64)m * kp + j];
			if (iteration == 0 && a.unweighted_start) {
				double mean = 0;
				for (int m = 0; m < n; m++) mean += s[(int64)m * kp + j] / n;
				d[j] = mean - x;
				x = mean;
			}
			if (check) {
				double mean = 0, square = 0;
				for (int m = 0; m < n; m++) mean += exp2(u[(int64)m * kp + j] + s[(int64)m * kp + j]) / n;
				for (int m = 0; m < n; m++) {
					double y = exp2(u[(int64)m * kp + j] + s[(int64)m * kp + j]) - mean;
					square += y * y / n;
				}
				part[j] = sqrt(square);
			}
			for (int m = 0; m < n; m++) u[(int64)m * kp + j] = x - s[(int64)m * kp + j];
			b[j] = x;
		}
		__syncthreads();
		if (iteration > 0 && (a.debiased || check)) {
			// The normalised barycenter, its change, and the spread, by one warp.
			if (warp == 0) {
				double largest = -(double)INFINITE, sum = 0, spread = 0, change = 0;
				for (int j = lane; j < k; j += WARP) largest = fmax(largest, b[j]);
				largest = warp_max(largest);
				for (int j = lane; j < k; j += WARP) sum += exp2(b[j] - largest);
				sum = warp_sum(sum);
				for (int j = lane; j < k; j += WARP) {
					float x = (float)(exp2(b[j] - largest) / sum);
					change += fabs((double)x - histogram[j]);
					histogram[j] = x;
					if (check) spread += part[j];
				}
				spread = warp_sum(spread), change = warp_sum(change);
				if (a.debiased) spread += iteration == 1 ? 1 : change;
				bool converged = a.tol > 0 && spread <= a.tol;
				if (lane == 0) {
					shared[0] = check && (converged || last);
					if (check && (converged || last)) {
						BarycenterOutcome *out = a.outcomes + group;
						out->spread = spread, out->iterations = iteration, out->state = converged ? CONVERGED : ENDED;
					}
				}
			}
			__syncthreads();
			if (shared[0] != 0) return;
		}
		if (a.debiased) {
			for (int i = warp; i < k; i += warps) {
				const float *c = a.cost + (int64)i * kp;
				double x = soft(k, [&](int j) { return d[j] - c[j] * unit; });
				if (lane == 0) part[i] = (d[i] + b[i] - x) / 2;
			}
			__syncthreads();
			for (int i = threadIdx.x; i < k; i += blockDim.x) d[i] = part[i];
			__syncthreads();
		}
	}
}
