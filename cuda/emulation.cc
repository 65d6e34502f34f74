//go:build cudaemulation && !cuda

#include "common.cuh"
#include "warpgroup.cuh"

namespace distances {
#include "distance.cu"
}
namespace tensors {
#include "tensor.cu"
}
namespace barycenters {
#include "barycenter.cu"
}
namespace logarithms {
#include "logdomain.cu"
}

// emulate runs a kernel and returns null or what went wrong.
extern "C" const char *emulate(const char *name, int grid, int threads, int shared, void *args, int order) {
	static const struct {
		const char *name;
		emulation::Kernel kernel;
	} kernels[] = {
		{"distance", (emulation::Kernel)distances::distance},
		{"distance_border", (emulation::Kernel)distances::distance_border},
		{"distance_64", (emulation::Kernel)tensors::distance_64},
		{"distance_104", (emulation::Kernel)tensors::distance_104},
		{"distance_208", (emulation::Kernel)tensors::distance_208},
		{"distance_304", (emulation::Kernel)tensors::distance_304},
		{"distance_512", (emulation::Kernel)tensors::distance_512},
		{"gibbs", (emulation::Kernel)distances::gibbs},
		{"barycenter", (emulation::Kernel)barycenters::barycenter},
		{"distance_log", (emulation::Kernel)logarithms::distance_log},
		{"barycenter_log", (emulation::Kernel)logarithms::barycenter_log},
	};
	for (auto &k : kernels) {
		if (!strcmp(name, k.name)) return emulation::launch(k.kernel, grid, threads, shared, args, (emulation::Order)order);
	}
	return "there is no such kernel";
}
