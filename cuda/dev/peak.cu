// The peaks that the fractions in the report refer to: multiply-adds in registers, in
// float32 and by the tensor instructions that the ladders use. The better of these and the
// library's matrix products (peers.py) is the card's measured peak. See ladder.h.
#include "ladder.h"

struct Args {
	int64 turns;
	float *out;
};

__global__ void __launch_bounds__(256) float32(const Args *args) {
	float x[16], y = 1 + threadIdx.x * 1e-6f;
	for (int i = 0; i < 16; i++) x[i] = i;
	for (int turn = 0; turn < (int)args->turns; turn++) {
#pragma unroll
		for (int i = 0; i < 16; i++) x[i] = MAC(x[i], y, 1e-3f);
	}
	float sum = 0;
	for (int i = 0; i < 16; i++) sum += x[i];
	args->out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

template <bool BF16> __global__ void __launch_bounds__(256) tensor(const Args *args) {
	float d[8][4] = {};
	// 1 and 2⁻¹⁰ in both formats.
	unsigned a[4] = {0x3f803f80, 0x3f803f80, 0x3a803a80, 0x3a803a80}, b[2] = {0x3a803a80, 0x3f803f80 + (threadIdx.x & 1)};
	for (int turn = 0; turn < (int)args->turns; turn++) {
#pragma unroll
		for (int i = 0; i < 8; i++) {
			if (BF16) mma_bf16(d[i], a, b);
			else mma_tf32(d[i], a, b);
		}
	}
	float sum = 0;
	for (int i = 0; i < 8; i++) sum += d[i][0] + d[i][1] + d[i][2] + d[i][3];
	args->out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

int main(int arguments, char **) {
	small |= arguments > 1;
	const int grid = small ? 2 : 132 * 16;
	Args a = {small ? 3 : 1 << 14, room<float>(grid * 256)};
	Args *on_device = room<Args>(1);
	upload(on_device, &a, 1);
	auto check = [&](const char *version, Kernel_ kernel, double each) {
		Outcome_ o = {"peak", version, "", 0, 0, 0, (double)grid * 256, each * a.turns};
		run<float>(o, {kernel, grid, 256, 0, 1}, on_device, a.out, grid * 256, [](const std::vector<float> &out) {
			return std::all_of(out.begin(), out.end(), [](float x) { return x > 0; }) ? 0. : 1.;
		});
	};
	check("float32", (Kernel_)float32, 2 * 16);
	check("TF32, mma.sync", (Kernel_)tensor<false>, 8. * 2 * 16 * 8 * 8 / 32);
	check("bf16, mma.sync", (Kernel_)tensor<true>, 8. * 2 * 16 * 8 * 16 / 32);
	return wrong ? 1 : 0;
}
