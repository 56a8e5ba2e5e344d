// Four threads, four functions with shares of about 10/20/30/40 % of the CPU time. Each thread
// measures what each function really took by its own CPU clock; the program prints the truth as
// JSON: {"function": nanoseconds, ...}.
#include <time.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

namespace {

int64_t CpuNs() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec * int64_t{1000000000} + t.tv_nsec;
}

volatile double sink;

}  // namespace

#define BURN(name, seed)                                                 \
  __attribute__((noinline)) void name(int rounds) {                      \
    double sum = seed;                                                   \
    for (int i = 1; i < rounds; ++i) sum += std::sqrt(sum + i) * (seed); \
    sink = sum;                                                          \
  }
BURN(burn_ten, 0.1)
BURN(burn_twenty, 0.2)
BURN(burn_thirty, 0.3)
BURN(burn_forty, 0.4)

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 2;
  const int thread_count = argc > 2 ? std::atoi(argv[2]) : 4;
  using Burn = void (*)(int);
  const std::array<Burn, 4> burns = {burn_ten, burn_twenty, burn_thirty, burn_forty};
  std::vector<std::array<int64_t, 4>> truth(static_cast<size_t>(thread_count));
  std::vector<std::thread> threads;
  for (auto& times : truth) {
    threads.emplace_back([&times, &burns, seconds] {
      times.fill(0);
      const int64_t begin = CpuNs();
      while (CpuNs() - begin < static_cast<int64_t>(seconds * 1e9)) {
        for (size_t k = 0; k < 4; ++k) {
          int64_t before = CpuNs();
          burns[k](static_cast<int>(50000 * (k + 1)));
          times[k] += CpuNs() - before;
        }
      }
    });
  }
  for (auto& t : threads) t.join();
  std::array<int64_t, 4> sum{};
  for (const auto& times : truth) {
    for (size_t k = 0; k < 4; ++k) sum[k] += times[k];
  }
  std::printf(
      "{\"burn_ten\": %lld, \"burn_twenty\": %lld, \"burn_thirty\": %lld, \"burn_forty\": %lld}\n",
      static_cast<long long>(sum[0]), static_cast<long long>(sum[1]),
      static_cast<long long>(sum[2]), static_cast<long long>(sum[3]));
}
