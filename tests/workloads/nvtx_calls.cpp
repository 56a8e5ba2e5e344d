// NVTX for Python by ctypes: the tests need no package.
#include <nvtx3/nvToolsExt.h>

#define PUBLIC extern "C" __attribute__((visibility("default")))

PUBLIC void range_push(const char* name) { nvtxRangePushA(name); }
PUBLIC void range_pop() { nvtxRangePop(); }
