//go:build cuda

#define _GNU_SOURCE
#include <dlfcn.h>

#include "missing.h"

static CUresult state = CUDA_ERROR_NOT_INITIALIZED;

// Package cu calls cuInit when the program starts, and ends it where there is no
// device. This definition comes before the driver's: it keeps the answer for
// driver_state, so that a program with this engine still runs with another.
CUresult cuInit(unsigned int flags) {
	CUresult (*init)(unsigned int) = (CUresult(*)(unsigned int))dlsym(RTLD_NEXT, "cuInit");
	state = init ? init(flags) : CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND;
	return CUDA_SUCCESS;
}

CUresult driver_state(void) { return state; }

CUresult allow_shared(CUfunction f, int *bytes, int percent) {
	CUresult code = cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, *bytes);
	if (code == CUDA_ERROR_INVALID_VALUE) { // the driver counts some of it as the kernel's own
		int own = 0;
		if (cuFuncGetAttribute(&own, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, f) == CUDA_SUCCESS && own > 0 && own < *bytes) {
			*bytes -= own;
			code = cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, *bytes);
		}
	}
	if (code == CUDA_SUCCESS) code = cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, percent);
	return code;
}

const char *describe(CUresult code) {
	const char *text = 0;
	if (cuGetErrorString(code, &text) != CUDA_SUCCESS || !text) return "unknown error";
	return text;
}
