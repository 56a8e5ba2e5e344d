// The pretended cuBLAS: products of large matrices reach its rates, small ones do not.
#include <cstdint>

#define FAKE_EXPORT extern "C" __attribute__((visibility("default")))

extern "C" void fake_advance(double seconds);

namespace {

void Multiply(double rate, double m, double n, double k) {
  constexpr double kStart = 20e-6;
  fake_advance(kStart + 2 * m * n * k / rate);
}

}  // namespace

FAKE_EXPORT int cublasCreate_v2(void** handle) {
  *handle = nullptr;
  return 0;
}
FAKE_EXPORT int cublasSgemm_v2(void*, int, int, int m, int n, int k, const float*, uint64_t, int,
                               uint64_t, int, const float*, uint64_t, int) {
  Multiply(52e12, m, n, k);
  return 0;
}
FAKE_EXPORT int cublasGemmEx(void*, int, int, int m, int n, int k, const void*, uint64_t, int, int,
                             uint64_t, int, int, const void*, uint64_t, int, int, int, int) {
  Multiply(780e12, m, n, k);
  return 0;
}
