// A library whose constructor begins a thread, which uses 300 ms of CPU time, as OpenBLAS does.
#include <pthread.h>
#include <time.h>

static volatile double sink;

static double Seconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

extern "C" void* burn_early(void*) {
  while (Seconds() < 0.3) {
    for (int i = 0; i < 10000; ++i) sink = sink + i;
  }
  return nullptr;
}

static pthread_t thread;

__attribute__((constructor)) static void Begin() {
  pthread_create(&thread, nullptr, burn_early, nullptr);
}

extern "C" void JoinEarly() { pthread_join(thread, nullptr); }
