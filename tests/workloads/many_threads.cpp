// 5,000 threads at once, each of which burns for argv[1] ms.
#include <pthread.h>
#include <time.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr int kThreads = 5000;
pthread_barrier_t g_barrier;
double g_ms;
volatile unsigned long g_sink;

double CpuMs() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) * 1e-6;
}

void* Burn(void*) {
  pthread_barrier_wait(&g_barrier);
  const double end = CpuMs() + g_ms;
  while (CpuMs() < end) {
    for (unsigned long i = 0; i < 1000; ++i) g_sink = g_sink * 31 + i;
  }
  pthread_barrier_wait(&g_barrier);
  return nullptr;
}

}  // namespace

int main(int, char** arguments) {
  g_ms = std::atof(arguments[1]);
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 65536);
  pthread_barrier_init(&g_barrier, nullptr, kThreads);
  std::vector<pthread_t> threads(kThreads);
  for (pthread_t& thread : threads) {
    if (pthread_create(&thread, &small, Burn, nullptr) != 0) return 77;
  }
  for (const pthread_t thread : threads) pthread_join(thread, nullptr);
  std::puts("done");
}
