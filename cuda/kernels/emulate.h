// Runs kernels on the CPU: a block's threads are fibers that change places at
// barriers and reductions of a warp only, in an order that the test chooses. A result that depends
// on the order has a race; a barrier that not all threads reach is reported, not waited for.
// Shared memory is filled with NaNs before each block and guarded behind its end.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define __device__
#define __global__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define SHARED(name) unsigned char *name = emulation::shared
#define MAC(a, b, c) ((a) * (b) + (c))

typedef long long int64;
using std::max;
using std::min;
// Called for every term of a sum, and slow in the C library.
static inline double larger(double x, double y) { return x < y || x != x ? y : x; }
#define fmax larger

struct alignas(16) float4 {
	float x, y, z, w;
};
struct float2 {
	float x, y;
};
static inline float2 make_float2(float x, float y) { return {x, y}; }
static inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
template <class T> static inline T __ldg(const T *p) { return *p; }
static inline float __int_as_float(int x) {
	float y;
	memcpy(&y, &x, sizeof y);
	return y;
}

static inline float __uint_as_float(unsigned x) { return __int_as_float((int)x); }
static inline unsigned __float_as_uint(float x) {
	unsigned y;
	memcpy(&y, &x, sizeof y);
	return y;
}
#define __popc __builtin_popcount

struct Index {
	unsigned x = 0, y = 0, z = 0;
};
static Index threadIdx, blockIdx, blockDim, gridDim;

namespace emulation {

typedef void (*Kernel)(const void *);
enum Wait { READY, BLOCK, WARP_, CLUSTER, DONE };
struct Copy {
	void *to;
	const void *from;
	int bytes;
};
struct Fiber {
	void *context;
	Wait wait;
	double value[2]; // what it offers others, of the current and the last exchange
	bool combined[2]; // a warp's first thread: value is that of all lanes already
	bool vote[2];
	int turn, votes;
	std::vector<Copy> copies; // not waited for yet
	std::vector<size_t> commits;
	std::vector<char> stack;
};
enum Order { FORWARD, BACKWARD, SHUFFLED };

static std::vector<Fiber> fibers(4096); // of all blocks of a cluster
static int current;                     // the one that runs
static void *scheduler;
static unsigned char *shared;
static unsigned char *rooms[16]; // the shared memories of a cluster's blocks
static Kernel kernel;
static const void *arguments;
static const char *failure;

// change keeps the callee's registers on the stack and goes on where `to` left off.
extern "C" void emulation_change(void **from, void *to);
#if defined(__x86_64__)
__asm__(R"(
	.text
	.globl emulation_change
	.type emulation_change, @function
emulation_change:
	push %rbp
	push %rbx
	push %r12
	push %r13
	push %r14
	push %r15
	mov %rsp, (%rdi)
	mov %rsi, %rsp
	pop %r15
	pop %r14
	pop %r13
	pop %r12
	pop %rbx
	pop %rbp
	ret
)");
#else
#error "the emulation of kernels changes stacks in x86-64 assembly"
#endif

static inline Fiber &self() { return fibers[current]; }
static inline void wait(Wait what) {
	Fiber &fiber = self();
	fiber.wait = what;
	emulation_change(&fiber.context, scheduler);
}
static void start() {
	kernel(arguments);
	wait(DONE);
}

// cluster runs some blocks of so many threads together.
static void cluster(int first, int blocks, int block, Order order, uint64_t &random) {
	const int threads = blocks * block;
	for (int i = 0; i < threads; i++) {
		Fiber &fiber = fibers[i];
		if (fiber.stack.empty()) fiber.stack.resize(1 << 16);
		// Six registers, the address to return to, and a stack aligned as after a call.
		void **top = (void **)(((uintptr_t)fiber.stack.data() + fiber.stack.size()) / 16 * 16) - 2;
		top[0] = (void *)start;
		fiber.context = top - 6;
		fiber.wait = READY, fiber.turn = fiber.votes = 0;
		fiber.copies.clear(), fiber.commits.clear();
	}
	std::vector<int> turn(threads);
	for (int i = 0; i < threads; i++) turn[i] = order == BACKWARD ? threads - 1 - i : i;
	for (;;) {
		if (order == SHUFFLED) {
			for (int i = threads - 1; i > 0; i--) {
				random = random * 6364136223846793005u + 1442695040888963407u;
				std::swap(turn[i], turn[(random >> 33) % (i + 1)]);
			}
		}
		bool ran = false;
		for (int i : turn) {
			if (fibers[i].wait != READY) continue;
			ran = true;
			current = i;
			threadIdx.x = i % block, blockIdx.x = first + i / block, shared = rooms[i / block];
			emulation_change(&scheduler, fibers[i].context);
		}
		int done = 0, meeting = 0;
		bool released = false;
		for (int b = 0; b < blocks; b++) {
			int at[5] = {0, 0, 0, 0, 0};
			for (int i = b * block; i < (b + 1) * block; i++) at[fibers[i].wait]++;
			done += at[DONE], meeting += at[CLUSTER];
			if (at[BLOCK] == block) {
				released = true;
				for (int i = b * block; i < (b + 1) * block; i++) fibers[i].wait = READY;
			}
			if (!at[WARP_]) continue;
			for (int w = b * block; w + 32 <= (b + 1) * block; w += 32) {
				int n = 0;
				for (int i = w; i < w + 32; i++) n += fibers[i].wait == WARP_;
				if (n < 32) continue;
				released = true;
				for (int i = w; i < w + 32; i++) fibers[i].wait = READY;
			}
		}
		if (done == threads) return;
		if (meeting == threads) {
			for (int i = 0; i < threads; i++) fibers[i].wait = READY;
			continue;
		}
		if (!released && !ran) {
			failure = "a barrier or reduction is not reached by all threads";
			return;
		}
	}
}

// launch returns null or what went wrong. A cluster is some neighbouring blocks that see
// each other's shared memory.
static const char *launch(Kernel what, int grid, int threads, int bytes, const void *args, Order order, int blocks = 1) {
	const int guard = 4096;
	const size_t size = (size_t)(bytes + guard + 127) / 128 * 128;
	if (grid % blocks || blocks > 16 || blocks * threads > (int)fibers.size()) return "no such cluster";
	unsigned char *memory = (unsigned char *)aligned_alloc(128, blocks * size);
	kernel = what, arguments = args, failure = 0;
	blockDim.x = threads, gridDim.x = grid;
	uint64_t random = 1;
	for (int b = 0; b < grid && !failure; b += blocks) {
		memset(memory, 0xff, blocks * size);
		for (int i = 0; i < blocks; i++) rooms[i] = memory + i * size;
		cluster(b, blocks, threads, order, random);
		for (int i = 0; i < blocks * guard && !failure; i++) {
			if (rooms[i / guard][bytes + i % guard] != 0xff) failure = "a write behind the end of shared memory";
		}
	}
	free(memory);
	return failure;
}

} // namespace emulation

static inline void __syncthreads() { emulation::wait(emulation::BLOCK); }
static inline void __syncwarp() { emulation::wait(emulation::WARP_); }
// A slot is written again two exchanges later, when all have read it.
static inline bool __syncthreads_or(bool x) {
	int turn = emulation::self().votes ^= 1;
	emulation::self().vote[turn] = x;
	__syncthreads();
	bool any = false;
	for (unsigned i = 0; i < blockDim.x; i++) any |= emulation::fibers[emulation::current - threadIdx.x + i].vote[turn];
	return any;
}
// reduce combines the values of a warp in the order of exchanges between lanes 16, 8,
// 4, 2 and 1 apart.
template <class T, class F> static inline T reduce(T x, F combine) {
	emulation::Fiber *lanes = &emulation::fibers[emulation::current - threadIdx.x % 32];
	int turn = emulation::self().turn ^= 1;
	emulation::self().value[turn] = x;
	lanes[0].combined[turn] = false;
	__syncwarp();
	if (!lanes[0].combined[turn]) {
		T v[32];
		for (int i = 0; i < 32; i++) v[i] = (T)lanes[i].value[turn];
		for (int d = 16; d > 0; d /= 2) {
			for (int i = 0; i < d; i++) v[i] = combine(v[i], v[i + d]);
		}
		lanes[0].value[turn] = v[0];
		lanes[0].combined[turn] = true;
	}
	return (T)lanes[0].value[turn];
}

// Asynchronous copies happen as late as they may: when they are waited for.
static inline void copy16(void *to, const void *from) { emulation::self().copies.push_back({to, from, 16}); }
static inline void copy_commit() { emulation::self().commits.push_back(emulation::self().copies.size()); }
template <int N> static inline void copy_wait() {
	emulation::Fiber &fiber = emulation::self();
	int groups = (int)fiber.commits.size() - N;
	if (groups <= 0) return;
	size_t n = fiber.commits[groups - 1];
	for (size_t i = 0; i < n; i++) memcpy(fiber.copies[i].to, fiber.copies[i].from, fiber.copies[i].bytes);
	fiber.copies.erase(fiber.copies.begin(), fiber.copies.begin() + n);
	fiber.commits.erase(fiber.commits.begin(), fiber.commits.begin() + groups);
	for (size_t &c : fiber.commits) c -= n;
}
