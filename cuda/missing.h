// Driver calls that package gorgonia.org/cu lacks.
#include <cuda.h>

CUresult driver_state(void);
// allow_shared lets a kernel's blocks have that much shared memory, or, if that cannot be, as
// much of it as can, and a multiprocessor spend that part of its first-level cache on it (−1: as
// the driver thinks best).
CUresult allow_shared(CUfunction f, int *bytes, int percent);
const char *describe(CUresult code);
