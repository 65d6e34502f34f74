// Lets gorgonia.org/cu v0.9.6, written for CUDA 11 and 12, compile with CUDA 13: put
// this folder first on the include path (CGO_CFLAGS=-I…/cuda/compat). CUDA 13 gave five
// calls other parameters under their old names; the library still exports the old ones.
#include_next <cuda.h>

#if CUDA_VERSION >= 13000 && !defined(CONTEXTMOVER_COMPAT_CUDA_H)
#define CONTEXTMOVER_COMPAT_CUDA_H
#undef cuCtxCreate
#undef cuMemAdvise
#undef cuMemPrefetchAsync
#undef cuGraphAddDependencies
#undef cuGraphGetEdges
#define cuCtxCreate cuCtxCreate_v2
#define cuMemAdvise compat_cuMemAdvise
#define cuMemPrefetchAsync compat_cuMemPrefetchAsync
#define cuGraphAddDependencies compat_cuGraphAddDependencies
#define cuGraphGetEdges compat_cuGraphGetEdges
CUresult CUDAAPI cuCtxCreate_v2(CUcontext *context, unsigned int flags, CUdevice device);
CUresult CUDAAPI compat_cuMemAdvise(CUdeviceptr at, size_t count, CUmem_advise advice, CUdevice device) __asm__("cuMemAdvise");
CUresult CUDAAPI compat_cuMemPrefetchAsync(CUdeviceptr at, size_t count, CUdevice to, CUstream stream) __asm__("cuMemPrefetchAsync");
CUresult CUDAAPI compat_cuGraphAddDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t n) __asm__("cuGraphAddDependencies");
CUresult CUDAAPI compat_cuGraphGetEdges(CUgraph graph, CUgraphNode *from, CUgraphNode *to, size_t *n) __asm__("cuGraphGetEdges");
#endif
