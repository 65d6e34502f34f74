// Batches of transport problems that share one cost, by Sinkhorn scaling on the tensor cores of Hopper,
// as exact as in float32: each operand is split into two of 11 bits, and the product of the lower parts
// is left out.
//
// A warpgroup has 64 problems, the rows of its products. A half iteration is one product, whose sums stay in
// registers until they divide the marginals; the scalings lie in shared memory as the operands of
// the next product, where only those who made them read them. The Gibbs kernel, split and arranged by the host, is
// in shared memory too, or passes through it 8 bins at a time. Where the sums of 64 problems are too many for the
// registers of a warpgroup (SPLIT = 2), each of two has half of the bins.
//
// As in distance.cu, a problem that finishes makes room for the block's next, nothing computed for a problem
// depends on its row or its neighbours, and no reduction depends on the order of threads.
//
// Reference: package contextmover/cmdlib/ot/reference.
#include "common.cuh"
#include "warpgroup.cuh"

struct TensorArgs { // 8-byte words; mirrored in engine.go
	int64 kp, pairs, per_block, max_iter;
	double tol, unit;
	int64 resident;            // how many matrices of the iteration are in shared memory
	const float *rows;         // histograms, N×kp
	const int *source, *target; // rows of each pair
	const unsigned char *to_target, *to_source, *weighted; // see arranged in engine.go
	float4 *kept;              // v, then u, of a block's problems: 2×OWN a thread
	struct Outcome *outcomes;  // one a pair
	float *scalings;           // null, or 2×(kp+8) a pair: u, then v
};

struct Outcome {
	double cost, error;
	int iterations, lost; // lost: the scaling was not accurate
};

constexpr int SLOTS = 3; // bins that products read, that they will read, and that are copied
constexpr int AHEAD = 4; // marginals are read so many bins ahead
enum { BUSY, ENDED, LOST }; // of a row; one that has not begun has ended

template <int N, int SPLIT> // N ≥ K bins
static __device__ __forceinline__ void solve(const TensorArgs *args) {
	SHARED(memory);
	constexpr int STEPS = N / 8, BYTES = N * 64, WIDTH = N / SPLIT, OWN = WIDTH / 8; // OWN: 8 bins each
	constexpr int PIECES = WIDTH > 128 ? 2 : 1, PIECE = WIDTH / PIECES;              // of a product
	const TensorArgs a = *args;
	const int kp = (int)a.kp, lane = threadIdx.x % WARP, part = lane % 4;
	const int warpgroup = threadIdx.x / 128, self = threadIdx.x % 128;
	const int column = SPLIT == 1 ? 0 : warpgroup * WIDTH; // the first bin
	const int rows = SPLIT == 1 ? blockDim.x / 2 : 64;
	const int row = (SPLIT == 1 ? warpgroup * 64 : 0) + self / WARP * 16 + lane / 4; // and that + 8

	unsigned char *at = memory;
	unsigned char *slots = take<unsigned char>(at, SLOTS * BYTES);
	// The scalings of bins 8s … 8s+7 are at [s·128]: those of bins 8s + 2·part and the next, each of both rows.
	float4 *scalings = take<float4>(at, rows * 2 * STEPS) + (SPLIT == 1 ? warpgroup * STEPS * 128 : 0) + self;
	int *pair = take<int>(at, rows), *age = take<int>(at, rows), *state = take<int>(at, rows);
	float *error = take<float>(at, SPLIT * rows), *cost = take<float>(at, SPLIT * rows);
	float *least_v = take<float>(at, SPLIT * rows), *least_u = take<float>(at, SPLIT * rows);
	int *control = take<int>(at, 4);
	const unsigned char *to_target = 0, *to_source = 0; // resident
	if (a.resident) {
		unsigned char *matrices = take<unsigned char>(at, (int)a.resident * STEPS * BYTES);
		for (int m = 0; m < (int)a.resident; m++) {
			const unsigned char *from = m ? a.to_source : a.to_target;
			for (int i = 16 * threadIdx.x; i < STEPS * BYTES; i += 16 * blockDim.x) copy16(matrices + m * STEPS * BYTES + i, from + i);
		}
		copy_commit();
		copy_wait<0>();
		publish();
		to_target = matrices, to_source = matrices + ((int)a.resident - 1) * STEPS * BYTES;
	}
	float4 *kept_v = a.kept + (int64)blockIdx.x * 2 * OWN * blockDim.x + threadIdx.x, *kept_u = kept_v + OWN * blockDim.x;
	for (int c = threadIdx.x; c < rows; c += blockDim.x) pair[c] = -1, age[c] = 0, state[c] = ENDED;
	int next = (int)(blockIdx.x * a.per_block); // used by the first warp only
	const int end = (int)min((int64)(blockIdx.x + 1) * a.per_block, a.pairs);

	float d[PIECES][PIECE / 2];
	int slot = 0;
	auto fetch = [&](const unsigned char *matrix, int step) {
		for (int i = 16 * threadIdx.x; i < BYTES; i += 16 * blockDim.x) copy16(slots + slot * BYTES + i, matrix + (int64)step * BYTES + i);
		copy_commit();
	};
	// times multiplies the scalings with a matrix that is in shared memory, or whose first bins are in the slot or
	// on their way there; it starts to copy those of the next then.
	auto times = [&](const unsigned char *here, const unsigned char *matrix, const unsigned char *following) {
		unsigned hi[2][4], lo[2][4];
#pragma unroll
		for (int i = 0; i < PIECE / 2; i++) {
#pragma unroll
			for (int p = 0; p < PIECES; p++) d[p][i] = 0;
		}
#pragma unroll 1
		for (int first = 0; first < STEPS; first += 2) {
#pragma unroll
			for (int e = 0; e < 2; e++) {
				const int step = first + e;
				if (STEPS % 2 == 1 && step == STEPS) break;
				products_older(); // those of the step before the last have read their slot and operands
				const unsigned char *b = here + step * BYTES;
				if (!here) {
					copy_wait<0>();
					publish();
					__syncthreads();
					b = slots + slot * BYTES;
					slot = slot + 1 < SLOTS ? slot + 1 : 0;
					if (step + 1 < STEPS) fetch(matrix, step + 1);
					else if (following) fetch(following, 0);
				}
				const float4 x = scalings[step * 128];
				const float y[4] = {x.x, x.y, x.z, x.w};
#pragma unroll
				for (int i = 0; i < 4; i++) {
					hi[e][i] = to_tf32(y[i]);
					lo[e][i] = __float_as_uint(y[i] - __uint_as_float(hi[e][i])); // exact
				}
				pin(hi[e]), pin(lo[e]);
				const Operand top = operand<N>(b) + column, rest = operand<N>(b + N * 32) + column;
				products_begin();
#pragma unroll
				for (int p = 0; p < PIECES; p++) {
					multiply<PIECE>(d[p], lo[e], top + p * PIECE);
					multiply<PIECE>(d[p], hi[e], rest + p * PIECE);
					multiply<PIECE>(d[p], hi[e], top + p * PIECE);
				}
				products_commit();
			}
		}
#pragma unroll
		for (int p = 0; p < PIECES; p++) products_wait(d[p]);
		if (SPLIT == 2) __syncthreads(); // the other warpgroup has read the scalings too
	};
	// marginal is that of bins 8j + 2·part and the next, of a row; bins beyond K have none.
	auto marginal = [&](const float *from, int j) { return column + 8 * j < kp ? load2(from + 8 * j) : make_float2(0, 0); };
	const int place = (SPLIT == 1 ? 0 : warpgroup * rows) + row; // where a row's numbers go

	float lv[2] = {INFINITE, INFINITE}, lu[2] = {INFINITE, INFINITE}; // least divisors of each row
	__syncthreads();
	for (;;) {
		// Fill the rows that are free, and find the iterations until one must be looked at; none: the block is done.
		if (threadIdx.x < WARP) {
			double steps = 0x1p40;
			for (int c = lane; c < rows; c += WARP) {
				const bool free = state[c] != BUSY;
				const unsigned others = (unsigned)warp_sum(free ? (double)(1u << lane) : 0);
				if (free) {
					const int p = next + __popc(others & ((1u << lane) - 1));
					pair[c] = p < end ? p : -1, age[c] = 0;
				}
				next += __popc(others);
				if (pair[c] < 0) continue;
				int i = age[c], due = (int)a.max_iter;
				if (a.tol > 0 || i < 10) due = min(due, (i / 10 + 1) * 10);
				steps = fmin(steps, (double)min(due - i, 1 << 29)); // twice as many is an int
			}
			next = min(next, end);
			steps = -warp_max(-steps);
			if (lane == 0) control[0] = steps < 0x1p40 ? (int)steps : 0;
		}
		__syncthreads();
		const int steps = control[0];
		if (steps == 0) return;

		const float *source[2], *target[2]; // the histograms of each row
#pragma unroll
		for (int r = 0; r < 2; r++) {
			const int p = max(pair[row + 8 * r], 0); // one that has none computes what nobody reads
			source[r] = a.rows + (int64)a.source[p] * kp + column + 2 * part, target[r] = a.rows + (int64)a.target[p] * kp + column + 2 * part;
			if (state[row + 8 * r] == BUSY) continue;
			// Bins without mass keep scaling 0, so that they are not there at all.
			float *x = (float *)(scalings + column / 8 * 128) + r;
			for (int j = 0; j < OWN; j++, x += 4 * 128) {
				const float2 m = marginal(source[r], j);
				x[0] = m.x > 0 ? 1.f : 0.f, x[2] = m.y > 0 ? 1.f : 0.f;
			}
			lv[r] = lu[r] = INFINITE;
		}
		if (!to_target) fetch(a.to_target, 0);
		__syncthreads();

		// The products of the iterations, v = b/(Kᵀu) and u = a/(Kv), then one for the error of the columns' sums and,
		// if a problem finished, one for the cost. The compiler finds registers for one call only.
		const int halves = 2 * steps;
#pragma unroll 1
		for (int half = 0;; half++) {
			const bool of_source = half < halves && half % 2 == 1, of_cost = half > halves;
			times(of_cost ? 0 : of_source ? to_source : to_target, of_cost ? a.weighted : of_source ? a.to_source : a.to_target,
				half >= halves ? 0 : of_source ? a.to_target : a.to_source);
			if (of_cost) {
				float sums[2] = {0, 0};
#pragma unroll
				for (int j = 0; j < OWN; j++) {
					const float4 u = kept_u[j * blockDim.x];
					const float *sum = d[8 * j / PIECE] + 4 * j % (PIECE / 2);
					sums[0] = MAC(u.x, sum[0], sums[0]), sums[0] = MAC(u.z, sum[1], sums[0]);
					sums[1] = MAC(u.y, sum[2], sums[1]), sums[1] = MAC(u.w, sum[3], sums[1]);
					scalings[(column / 8 + j) * 128] = u;
				}
#pragma unroll
				for (int r = 0; r < 2; r++) {
					const float x = four_sum(sums[r]);
					if (part == 0) cost[place + 8 * r] = x;
				}
				__syncthreads();
				for (int c = threadIdx.x; c < rows; c += blockDim.x) {
					if (pair[c] < 0 || state[c] == BUSY) continue;
					Outcome *out = a.outcomes + pair[c];
					out->cost = ((double)cost[c] + (SPLIT == 2 ? cost[rows + c] : 0)) * a.unit, out->error = error[c];
					out->iterations = age[c], out->lost = state[c] == LOST;
				}
				break;
			}
			if (half == halves) {
				float sums[2] = {0, 0};
#pragma unroll
				for (int j = 0; j < OWN; j++) {
					const float4 v = kept_v[j * blockDim.x];
					const float2 m0 = marginal(target[0], j), m1 = marginal(target[1], j);
					const float *sum = d[8 * j / PIECE] + 4 * j % (PIECE / 2);
					sums[0] += fabsf(v.x * sum[0] - m0.x) + fabsf(v.z * sum[1] - m0.y);
					sums[1] += fabsf(v.y * sum[2] - m1.x) + fabsf(v.w * sum[3] - m1.y);
				}
#pragma unroll
				for (int r = 0; r < 2; r++) {
					const float e = four_sum(sums[r]), v = four_min(lv[r]), u = four_min(lu[r]);
					if (part == 0) error[place + 8 * r] = e, least_v[place + 8 * r] = v, least_u[place + 8 * r] = u;
				}
				__syncthreads();
				bool any = false;
				for (int c = threadIdx.x; c < rows; c += blockDim.x) {
					state[c] = BUSY;
					if (pair[c] < 0) continue;
					const int i = age[c] += steps;
					if (i != (int)a.max_iter && i != 10 && !(a.tol > 0 && i % 10 == 0)) continue;
					float v = least_v[c], u = least_u[c];
					if (SPLIT == 2) error[c] += error[rows + c], v = fminf(v, least_v[rows + c]), u = fminf(u, least_u[rows + c]);
					const bool sound = trusted(u, v);
					if (!sound || i == (int)a.max_iter || (a.tol > 0 && error[c] <= a.tol)) {
						state[c] = sound ? ENDED : LOST;
						any = true;
					}
				}
				if (!__syncthreads_or(any)) break;
				// v takes the place of u, which is put back when the cost is known.
				for (int j = 0; j < OWN; j++) {
					const float4 u = scalings[(column / 8 + j) * 128], v = kept_v[j * blockDim.x];
					kept_u[j * blockDim.x] = u;
					scalings[(column / 8 + j) * 128] = v;
					if (!a.scalings || column + 8 * j >= kp) continue;
					for (int r = 0; r < 2; r++) {
						if (pair[row + 8 * r] < 0 || state[row + 8 * r] == BUSY) continue;
						float *out = a.scalings + (int64)pair[row + 8 * r] * 2 * (kp + TILE) + column + 8 * j + 2 * part;
						out[0] = r ? u.y : u.x, out[1] = r ? u.w : u.z;
						out[kp + TILE] = r ? v.y : v.x, out[kp + TILE + 1] = r ? v.w : v.z;
					}
				}
				fetch(a.weighted, 0);
				continue;
			}
			const bool keep = half + 2 == halves;
			const float *from[2] = {of_source ? source[0] : target[0], of_source ? source[1] : target[1]};
			hide(from[0]), hide(from[1]);
			float least[2] = {INFINITE, INFINITE};
			float2 m[AHEAD][2];
#pragma unroll
			for (int j = 0; j < AHEAD; j++) m[j][0] = marginal(from[0], j), m[j][1] = marginal(from[1], j);
#pragma unroll
			for (int j = 0; j < OWN; j++) {
				const float2 *now = m[j % AHEAD];
				const float mass[4] = {now[0].x, now[0].y, now[1].x, now[1].y};
				if (j + AHEAD < OWN) m[j % AHEAD][0] = marginal(from[0], j + AHEAD), m[j % AHEAD][1] = marginal(from[1], j + AHEAD);
				const float *sum = d[8 * j / PIECE] + 4 * j % (PIECE / 2);
				float x[4];
#pragma unroll
				for (int i = 0; i < 4; i++) {
					if (mass[i] > 0) least[i / 2] = fminf(least[i / 2], sum[i]);
					x[i] = quotient(mass[i], fmaxf(sum[i], TINY)); // 0 of 0
				}
				const float4 scaling = make_float4(x[0], x[2], x[1], x[3]); // as the next product reads it
				scalings[(column / 8 + j) * 128] = scaling;
				if (keep) kept_v[j * blockDim.x] = scaling;
			}
#pragma unroll
			for (int r = 0; r < 2; r++) {
				if (of_source) lu[r] = fminf(lu[r], least[r]);
				else lv[r] = fminf(lv[r], least[r]);
			}
		}
		__syncthreads();
	}
}

extern "C" {
__global__ void __launch_bounds__(512, 1) distance_64(const TensorArgs *args) { solve<64, 1>(args); }
__global__ void __launch_bounds__(512, 1) distance_104(const TensorArgs *args) { solve<104, 1>(args); }
__global__ void __launch_bounds__(256, 1) distance_208(const TensorArgs *args) { solve<208, 1>(args); }
__global__ void __launch_bounds__(256, 1) distance_304(const TensorArgs *args) { solve<304, 1>(args); }
__global__ void __launch_bounds__(256, 1) distance_512(const TensorArgs *args) { solve<512, 2>(args); }
}
