// The ladder of kernels/logdomain.cu: distances in the logarithmic domain, at λ so small
// that scaling in float32 cannot solve them. barycenter_log, which is made of the same
// sums, is checked by the ladder of barycenter.cu. See ladder.h.
#include "ladder.h"

namespace production {
#include "../kernels/logdomain.cu"
}
using production::LogDistanceArgs;
using production::Outcome;

// ---- The reference, in double precision.

static double reference(const Problem &p, int source, int target, int iterations) {
	const int k = p.k;
	const float *a = &p.rows[(size_t)source * p.kp], *b = &p.rows[(size_t)target * p.kp];
	std::vector<double> f(k), g(k);
	for (int i = 0; i < k; i++) f[i] = a[i] > 0 ? 0 : -INFINITY;
	auto soft = [&](auto term) {
		double largest = -INFINITY, sum = 0;
		for (int i = 0; i < k; i++) largest = std::max(largest, term(i));
		for (int i = 0; i < k; i++) sum += exp(term(i) - largest);
		return largest + log(sum);
	};
	for (int iteration = 0; iteration < iterations; iteration++) {
		for (int j = 0; j < k; j++) g[j] = log((double)b[j]) - soft([&](int i) { return f[i] - p.cost[i * p.kp + j] / p.reg; });
		for (int i = 0; i < k; i++) f[i] = log((double)a[i]) - soft([&](int j) { return g[j] - p.cost[i * p.kp + j] / p.reg; });
	}
	double cost = 0;
	for (int i = 0; i < k; i++)
		for (int j = 0; j < k; j++) cost += exp(f[i] + g[j] - p.cost[i * p.kp + j] / p.reg) * p.cost[i * p.kp + j];
	return cost;
}

// ---- What the versions have in common: a block a pair, and the cost at the end.

static __device__ __forceinline__ void outcome(const LogDistanceArgs &a, int pair, const double *f, const double *g, double *part) {
	const int k = (int)a.k, kp = (int)a.kp;
	for (int j = threadIdx.x; j < k; j += blockDim.x) {
		double sum = 0;
		for (int i = 0; i < k; i++) {
			double c = a.cost[i * kp + j];
			sum += exp2(f[i] + g[j] - c * a.unit) * c;
		}
		part[j] = sum;
	}
	__syncthreads();
	if (threadIdx.x == 0) {
		Outcome *out = a.outcomes + pair;
		double sum = 0;
		for (int j = 0; j < k; j++) sum += part[j];
		out->cost = sum, out->error = 0, out->iterations = (int)a.max_iter, out->lost = 0;
	}
}

static __device__ __forceinline__ void begin(const LogDistanceArgs &a, int pair, double *f, double *la, double *lb) {
	for (int i = threadIdx.x; i < (int)a.k; i += blockDim.x) {
		la[i] = log2((double)a.rows[(int64)a.source[pair] * a.kp + i]);
		lb[i] = log2((double)a.rows[(int64)a.target[pair] * a.kp + i]);
		f[i] = la[i] > -(double)INFINITE ? 0 : la[i];
	}
	__syncthreads();
}

// ---- Version 1: a thread a bin, all in float64.

__global__ void naive(const LogDistanceArgs *args) {
	SHARED(memory);
	const LogDistanceArgs a = *args;
	const int k = (int)a.k, kp = (int)a.kp, pair = a.pairs[blockIdx.x];
	unsigned char *at = memory;
	double *f = take<double>(at, k), *g = take<double>(at, k), *la = take<double>(at, k), *lb = take<double>(at, k), *part = take<double>(at, k);
	begin(a, pair, f, la, lb);
	for (int half = 0; half < 2 * (int)a.max_iter; half++) {
		const bool to_target = half % 2 == 0;
		const double *x = to_target ? f : g, *l = to_target ? lb : la;
		double *y = to_target ? g : f;
		const float *c = to_target ? a.cost : a.transposed;
		for (int j = threadIdx.x; j < k; j += blockDim.x) {
			double largest = -(double)INFINITE, sum = 0;
			for (int i = 0; i < k; i++) largest = fmax(largest, x[i] - c[i * kp + j] * a.unit);
			for (int i = 0; i < k; i++) sum += exp2(x[i] - c[i * kp + j] * a.unit - largest);
			y[j] = l[j] - (largest + log2(sum));
		}
		__syncthreads();
	}
	outcome(a, pair, f, g, part);
}

// ---- Version 2: a warp a sum, its terms read once: each lane keeps the largest so far and
// rescales its sum when it finds a larger one.

__global__ void once(const LogDistanceArgs *args) {
	SHARED(memory);
	const LogDistanceArgs a = *args;
	const int k = (int)a.k, kp = (int)a.kp, pair = a.pairs[blockIdx.x];
	const int warp = threadIdx.x / WARP, lane = threadIdx.x % WARP, warps = blockDim.x / WARP;
	unsigned char *at = memory;
	double *f = take<double>(at, k), *g = take<double>(at, k), *la = take<double>(at, k), *lb = take<double>(at, k), *part = take<double>(at, k);
	begin(a, pair, f, la, lb);
	for (int half = 0; half < 2 * (int)a.max_iter; half++) {
		const bool to_target = half % 2 == 0;
		const double *x = to_target ? f : g, *l = to_target ? lb : la;
		double *y = to_target ? g : f;
		const float *c = to_target ? a.transposed : a.cost;
		for (int j = warp; j < k; j += warps) {
			double largest = -(double)INFINITE, sum = 0;
			for (int i = lane; i < k; i += WARP) {
				double t = x[i] - c[j * kp + i] * a.unit;
				if (t > largest) {
					sum = sum * exp2f((float)(largest - t)) + 1;
					largest = t;
				} else if (t > -(double)INFINITE) {
					sum += exp2f((float)(t - largest));
				}
			}
			double top = warp_max(largest);
			sum = warp_sum(largest > -(double)INFINITE ? sum * exp2f((float)(largest - top)) : 0.);
			if (lane == 0) y[j] = l[j] - (top + log2(sum));
		}
		__syncthreads();
	}
	outcome(a, pair, f, g, part);
}

int main(int arguments, char **) {
	small |= arguments > 1;
	struct Size {
		int k, pairs, iterations;
	};
	const std::vector<Size> sizes = !small ? std::vector<Size>{{100, 1 << 13, 100}, {300, 1 << 11, 100}, {500, 1 << 10, 100}}
	                                          : std::vector<Size>{{29, 5, 4}, {45, 3, 3}};
	for (Size z : sizes) {
		Problem p(z.k, std::min(z.pairs, 1024), 1e-3);
		Random random = {7};
		std::vector<int> source(z.pairs), target(z.pairs), all(z.pairs);
		for (int i = 0; i < z.pairs; i++) source[i] = random.below(p.n), target[i] = random.below(p.n), all[i] = i;
		std::vector<float> transposed(z.k * p.kp);
		for (int i = 0; i < z.k; i++)
			for (int j = 0; j < z.k; j++) transposed[j * p.kp + i] = p.cost[i * p.kp + j];
		LogDistanceArgs a = {};
		a.k = z.k, a.kp = p.kp, a.max_iter = z.iterations, a.unit = 1 / (p.reg * log(2.)), a.share = 1;
		a.rows = device(p.rows), a.source = device(source), a.target = device(target), a.pairs = device(all);
		a.cost = device(p.cost), a.transposed = device(transposed), a.outcomes = room<Outcome>(z.pairs);
		LogDistanceArgs *on_device = room<LogDistanceArgs>(1);
		upload(on_device, &a, 1);
		std::vector<double> want;
		for (int i = 0; i < 3; i++) want.push_back(reference(p, source[i], target[i], z.iterations));
		auto check = [&](const char *version, Kernel_ kernel, int threads) {
			Outcome_ o = {"logdomain", version, "", z.k, (3 * z.k + 64) * 0x1p-24, 0, (double)z.pairs, 2. * z.k * z.k * z.iterations};
			run<Outcome>(o, {kernel, z.pairs, threads, 40 * z.k + 128, 1}, on_device, a.outcomes, z.pairs, [&](const std::vector<Outcome> &out) {
				double worst = 0;
				for (size_t i = 0; i < want.size(); i++) worst = std::max(worst, fabs(out[i].cost - want[i]) / want[i]);
				for (const Outcome &x : out)
					if (!(x.cost > 0)) return (double)INFINITY;
				return worst;
			});
		};
		check("naive", (Kernel_)naive, 128);
		for (int threads : {128, 256, 512}) {
			check(("once, " + std::to_string(threads) + " threads").c_str(), (Kernel_)once, threads);
			check(("production, " + std::to_string(threads) + " threads").c_str(), (Kernel_)production::distance_log, threads);
		}
	}
	return wrong ? 1 : 0;
}
