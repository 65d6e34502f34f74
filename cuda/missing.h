// Driver calls that package gorgonia.org/cu lacks.
#include <cuda.h>

CUresult driver_state(void);
CUresult allow_shared(CUfunction f, int bytes);
const char *describe(CUresult code);
