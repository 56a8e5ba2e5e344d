// Somebody else's CUDA_INJECTION64_PATH: says that it was called.
#include <cstdio>

extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  fputs("other injection was called\n", stderr);
  return 1;
}
