// The ladder of kernels/barycenter.cu: barycenters of groups of equal size with equal
// weights and a fixed number of iterations over one symmetric cost. See ladder.h.
#include "ladder.h"

namespace production {
#include "../kernels/barycenter.cu"
}
namespace logarithms {
#include "../kernels/logdomain.cu"
}
using production::BarycenterArgs;
using production::BarycenterOutcome;

// ---- The reference, in double precision.

static std::vector<double> reference(const Problem &p, const int *member, int n, int iterations) {
	const int k = p.k;
	std::vector<double> gibbs(k * k), u(n * k, 1.), s(n * k), b(k);
	for (int i = 0; i < k; i++)
		for (int j = 0; j < k; j++) gibbs[i * k + j] = exp(-p.cost[i * p.kp + j] / p.reg);
	for (int iteration = 0; iteration <= iterations; iteration++) {
		for (int j = 0; j < k; j++) b[j] = 0;
		for (int m = 0; m < n; m++) {
			for (int j = 0; j < k; j++) s[m * k + j] = 0;
			for (int i = 0; i < k; i++) {
				double d = 0;
				for (int j = 0; j < k; j++) d += gibbs[i * k + j] * u[m * k + j];
				double t = p.rows[(size_t)member[m] * p.kp + i] / d;
				for (int j = 0; j < k; j++) s[m * k + j] += gibbs[i * k + j] * t;
			}
			for (int j = 0; j < k; j++) b[j] += log(s[m * k + j]) / n;
		}
		for (int m = 0; m < n; m++)
			for (int j = 0; j < k; j++) u[m * k + j] = exp(b[j]) / s[m * k + j];
	}
	double sum = 0;
	for (double &x : b) sum += x = exp(x);
	for (double &x : b) x /= sum;
	return b;
}

// normalise writes a group's histogram, from log2 of it in shared memory, by one thread.
static __device__ __forceinline__ void normalise(const BarycenterArgs &a, int group, const float *log) {
	double sum = 0;
	for (int j = 0; j < (int)a.k; j++) sum += exp2f(log[j]);
	for (int j = 0; j < (int)a.k; j++) a.histogram[(int64)group * a.kp + j] = (float)(exp2f(log[j]) / sum);
	BarycenterOutcome *out = a.outcomes + group;
	out->spread = 0, out->iterations = (int)a.max_iter, out->state = production::ENDED;
}

// ---- Version 1: a block a group, a thread computes one number at a time; the Gibbs kernel from
// device memory.

__global__ void naive(const BarycenterArgs *args) {
	SHARED(memory);
	const BarycenterArgs a = *args;
	const int k = (int)a.k, kp = (int)a.kp, group = blockIdx.x, first = a.offset[group], n = a.offset[group + 1] - first;
	float *u = (float *)memory, *s = u + n * k, *log = s + n * k;
	for (int i = threadIdx.x; i < n * k; i += blockDim.x) u[i] = 1;
	__syncthreads();
	for (int iteration = 0; iteration <= (int)a.max_iter; iteration++) {
		for (int i = threadIdx.x; i < n * k; i += blockDim.x) {
			int m = i / k, j = i % k;
			float d = 0, h = a.rows[(int64)a.member[first + m] * kp + j];
			for (int x = 0; x < k; x++) d = MAC(a.to_source[x * kp + j], u[m * k + x], d);
			s[i] = h > 0 ? h / fmaxf(d, TINY) : 0;
		}
		__syncthreads();
		for (int i = threadIdx.x; i < n * k; i += blockDim.x) {
			int m = i / k, j = i % k;
			float d = 0;
			for (int x = 0; x < k; x++) d = MAC(a.to_target[x * kp + j], s[m * k + x], d);
			u[i] = d;
		}
		__syncthreads();
		for (int j = threadIdx.x; j < k; j += blockDim.x) {
			float l = 0;
			for (int m = 0; m < n; m++) l += a.weight[first + m] * log2f(u[m * k + j]);
			for (int m = 0; m < n; m++) u[m * k + j] = exp2f(l) / u[m * k + j];
			log[j] = l;
		}
		__syncthreads();
	}
	if (threadIdx.x == 0) normalise(a, group, log);
}

// ---- Version 2: R bins × 8 members a thread in registers, the Gibbs kernel in shared memory,
// as many groups a block as fit into its columns.

template <int R, bool FAST>
__global__ void __launch_bounds__(256, 1) tiled(const BarycenterArgs *args) {
	SHARED(memory);
	constexpr int PITCH = (R + 3) / 4 * 4;
	const BarycenterArgs a = *args;
	const int k = (int)a.k, kp = (int)a.kp, columns = (int)a.columns, stride = columns + 4, all = (int)blockDim.x;
	const int groups = (k + R - 1) / R, width = groups * PITCH, lanes = columns / 8, lane = threadIdx.x % lanes;
	const bool live = (int)threadIdx.x / lanes < groups;
	const int row = live ? threadIdx.x / lanes * R : 0;
	const int first = a.tile[2 * blockIdx.x], count = a.tile[2 * blockIdx.x + 1] - first, member = a.offset[first];
	const int used = a.offset[first + count] - member;
	unsigned char *at = memory;
	float *x = take<float>(at, k * stride), *y = take<float>(at, k * stride), *log = take<float>(at, columns * k), *w = take<float>(at, k * width);
	for (int i = threadIdx.x; i < k * width; i += all) {
		int r = i % width % PITCH, bin = i % width / PITCH * R + r;
		w[i] = r < R && bin < k ? a.to_target[i / width * kp + bin] : 0;
	}
	for (int i = threadIdx.x; i < k * stride; i += all) x[i] = 1;
	auto column = [&](int q) { return q < 4 ? 4 * lane + q : columns / 2 + 4 * lane + q - 4; };
	int from[8];
#pragma unroll
	for (int q = 0; q < 8; q++) from[q] = column(q) < used ? a.member[member + column(q)] * kp + row : -1;
	__syncthreads();
	float acc[R][8];
	auto product = [&](const float *x) {
#pragma unroll
		for (int i = 0; i < R; i++)
#pragma unroll
			for (int q = 0; q < 8; q++) acc[i][q] = 0;
		const float *mine = w + row / R * PITCH;
#pragma unroll 2
		for (int s = 0; s < k; s++) {
			float wr[PITCH], xc[8];
#pragma unroll
			for (int i = 0; i < PITCH; i += 4) {
				float4 f = *(const float4 *)(mine + s * width + i);
				wr[i] = f.x, wr[i + 1] = f.y, wr[i + 2] = f.z, wr[i + 3] = f.w;
			}
#pragma unroll
			for (int q = 0; q < 8; q += 4) {
				float4 f = *(const float4 *)(x + s * stride + column(q));
				xc[q] = f.x, xc[q + 1] = f.y, xc[q + 2] = f.z, xc[q + 3] = f.w;
			}
#pragma unroll
			for (int i = 0; i < R; i++)
#pragma unroll
				for (int q = 0; q < 8; q++) acc[i][q] = MAC(wr[i], xc[q], acc[i][q]);
		}
	};
	auto store = [&](float *y) {
		if (!live) return;
#pragma unroll
		for (int i = 0; i < R; i++) {
			if (row + i >= k) continue;
#pragma unroll
			for (int q = 0; q < 8; q += 4) *(float4 *)(y + (row + i) * stride + column(q)) = make_float4(acc[i][q], acc[i][q + 1], acc[i][q + 2], acc[i][q + 3]);
		}
	};
	for (int iteration = 0; iteration <= (int)a.max_iter; iteration++) {
		product(x);
#pragma unroll
		for (int q = 0; q < 8; q++)
#pragma unroll
			for (int i = 0; i < R; i++) {
				float h = from[q] >= 0 && row + i < k ? __ldg(a.rows + from[q] + i) : 0;
				acc[i][q] = h > 0 ? divide<FAST>(h, fmaxf(acc[i][q], TINY)) : 0;
			}
		store(y);
		__syncthreads();
		product(y);
		__syncthreads();
		store(y);
		__syncthreads();
		for (int task = threadIdx.x; task < count * k; task += all) {
			int g = task % count, j = task / count, lo = a.offset[first + g] - member, hi = a.offset[first + g + 1] - member;
			float l = 0;
			for (int c = lo; c < hi; c++) l += a.weight[member + c] * log2f(y[j * stride + c]);
			float b = exp2f(l);
			for (int c = lo; c < hi; c++) x[j * stride + c] = divide<FAST>(b, y[j * stride + c]);
			log[g * k + j] = l;
		}
		__syncthreads();
	}
	for (int g = threadIdx.x; g < count; g += all) normalise(a, first + g, log + g * k);
}

// ---- The host's side.

// layout of the engine's kernel; mirrors barycenterShared of layout.go.
static int production_shared(int k, int columns, bool resident) {
	auto carved = [](int n) { return round_up(4 * n, 16); };
	int kp = round_up(k, 8), part = carved(kp / 8 * columns);
	return carved(16 * kp) + 2 * carved(k * (columns + 4)) + 3 * part + 4 * carved(columns) + carved(columns + 1) + (resident ? carved(k * kp) : 0);
}

struct Ladder {
	Problem problem;
	int groups, words, iterations;
	std::vector<int> member, sample;
	std::vector<std::vector<double>> want;
	BarycenterArgs args;

	Ladder(int k, int groups, int words, int iterations) : problem(k, small ? 64 : 4096, 0.1), groups(groups), words(words), iterations(iterations), member(groups * words) {
		Random random = {7};
		for (int &m : member) m = random.below(problem.n);
		std::vector<int> offset(groups + 1);
		for (int g = 0; g <= groups; g++) offset[g] = g * words;
		for (int i = 0; i < 6; i++) sample.push_back(i == 0 ? 0 : i == 1 ? groups - 1 : random.below(groups));
		for (int g : sample) want.push_back(reference(problem, &member[g * words], words, iterations));
		args = BarycenterArgs();
		args.k = k, args.kp = problem.kp, args.max_iter = iterations;
		args.rows = device(problem.rows), args.offset = device(offset), args.member = device(member);
		args.weight = device(std::vector<float>(groups * words, 1.f / words));
		args.to_target = args.to_source = device(problem.gibbs);
		size_t n = (size_t)groups * problem.kp;
		args.carry = room<float>(n), args.log = room<float>(n), args.previous = room<float>(n), args.deviation = room<float>(n), args.histogram = room<float>(n);
		args.outcomes = room<BarycenterOutcome>(groups);
	}

	// check runs a version with arguments on the device.
	void check(const char *version, Kernel_ kernel, const void *on_device, int grid, int threads, int shared) {
		const int k = problem.k, kp = problem.kp;
		// Sums of logarithms of members, and K of them a product.
		Outcome_ o = {"barycenter", version, "", k, 4 * (3 * k + 64) * 0x1p-24, 0, (double)groups, 4. * k * k * words * (iterations + 1)};
		run<float>(o, {kernel, grid, threads, shared, 1}, on_device, args.histogram, (size_t)groups * kp, [&](const std::vector<float> &out) {
			double worst = 0;
			for (size_t i = 0; i < sample.size(); i++) {
				double d = 0;
				for (int j = 0; j < k; j++) d += fabs(out[(size_t)sample[i] * kp + j] - want[i][j]);
				worst = std::max(worst, d);
				if (d != d) return d;
			}
			for (int g = 0; g < groups; g++)
				for (int j = 0; j < k; j++)
					if (!(out[(size_t)g * kp + j] >= 0)) return (double)INFINITY;
			return worst;
		});
	}

	void scaling(std::string version, Kernel_ kernel, int columns, int threads, int shared, bool resident) {
		int each = columns / words;
		if (each == 0 || threads > 256) return;
		std::vector<int> tile;
		for (int g = 0; g < groups; g += each) tile.push_back(g), tile.push_back(std::min(g + each, groups));
		BarycenterArgs a = args;
		a.columns = columns, a.resident = resident, a.tile = device(tile);
		BarycenterArgs *on_device = room<BarycenterArgs>(1);
		upload(on_device, &a, 1);
		version += ", " + std::to_string(each * words) + " of " + std::to_string(columns) + " columns";
		check(version.c_str(), kernel, on_device, (int)tile.size() / 2, threads, shared);
	}

	template <int R, bool FAST> void tile(const char *version, int columns) {
		int k = problem.k, n = (k + R - 1) / R, threads = round_up(n * columns / 8, 32);
		auto carved = [](int n) { return round_up(4 * n, 16); };
		scaling(version, (Kernel_)tiled<R, FAST>, columns, threads, 2 * carved(k * (columns + 4)) + carved(columns * k) + carved(k * n * ((R + 3) / 4 * 4)), true);
	}

	void log_domain(int limit) {
		if (groups > limit) return; // as many times slower as its numbers tell; timed once, on fewer
		const int k = problem.k, kp = problem.kp;
		std::vector<float> cost = problem.cost, transposed(k * kp);
		for (int i = 0; i < k; i++)
			for (int j = 0; j < k; j++) transposed[j * kp + i] = cost[i * kp + j];
		std::vector<int> all(groups);
		std::vector<int64> place(groups);
		for (int g = 0; g < groups; g++) all[g] = g, place[g] = (int64)g * (3 * words + 3) * kp;
		logarithms::LogBarycenterArgs a = {};
		a.k = k, a.kp = kp, a.max_iter = iterations, a.unit = 1 / (problem.reg * log(2.));
		a.rows = args.rows, a.offset = args.offset, a.member = args.member, a.weight = args.weight;
		a.groups = device(all), a.place = device(place), a.cost = device(cost), a.transposed = device(transposed);
		a.scratch = room<double>((size_t)groups * (3 * words + 3) * kp), a.histogram = args.histogram;
		a.outcomes = (logarithms::BarycenterOutcome *)args.outcomes;
		logarithms::LogBarycenterArgs *on_device = room<logarithms::LogBarycenterArgs>(1);
		upload(on_device, &a, 1);
		check("production, in logarithms", (Kernel_)logarithms::barycenter_log, on_device, groups, 256, 64);
	}
};

int main(int arguments, char **) {
	small |= arguments > 1;
	struct Size {
		int k, groups, words, iterations;
	};
	const std::vector<Size> sizes = !small ? std::vector<Size>{{100, 1 << 15, 25, 10}, {300, 1 << 12, 12, 10}, {100, 1 << 9, 25, 10}}
	                                          : std::vector<Size>{{29, 11, 5, 3}, {61, 5, 7, 2}};
	for (Size z : sizes) {
		Ladder l(z.k, z.groups, z.words, z.iterations);
		std::vector<int> offset;
		l.check("naive", (Kernel_)naive, [&] {
			BarycenterArgs *p = room<BarycenterArgs>(1);
			upload(p, &l.args, 1);
			return p; }(), z.groups, 256, 4 * z.k * (2 * z.words + 1));
		const int kp = l.problem.kp;
		for (int columns : {32, 64, 128})
			for (bool resident : {true, false})
				l.scaling(resident ? "production, resident" : "production, streamed", (Kernel_)production::barycenter, columns,
					round_up(kp / 8 * columns / 8, 32), production_shared(z.k, columns, resident), resident);
		l.tile<8, false>("8x8", 64);
		l.tile<8, true>("8x8, reciprocal", 64);
		l.tile<8, true>("8x8, reciprocal", 128);
		l.tile<13, true>("13x8, reciprocal", 64);
		l.tile<13, true>("13x8, reciprocal", 128);
		l.log_domain(1 << 9);
	}
	return wrong ? 1 : 0;
}
