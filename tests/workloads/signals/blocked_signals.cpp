// A thread that blocks every signal, before and after it was created, and burns; the main thread
// waits. argv[1] = seconds.
#include <pthread.h>
#include <signal.h>
#include <time.h>

#include <cstdio>
#include <cstdlib>

static double CpuSeconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

static double seconds;
static volatile double sink;

extern "C" __attribute__((noinline)) void burn_blocked(double until) {
  while (CpuSeconds() < until) {
    for (int i = 0; i < 100000; ++i) sink = sink + i;
  }
}

static void* Inherited(void*) {
  burn_blocked(seconds);
  return nullptr;
}

static void* BlocksItself(void*) {
  sigset_t all, seen;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
  pthread_sigmask(SIG_SETMASK, nullptr, &seen);
  if (!sigismember(&seen, SIGURG) || !sigismember(&seen, SIGTERM))
    std::puts("mask is not what was set");
  burn_blocked(seconds);
  return nullptr;
}

int main(int, char** argv) {
  seconds = std::atof(argv[1]);
  sigset_t all, old;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  pthread_t a, b;
  pthread_create(&a, nullptr, Inherited, nullptr);
  pthread_sigmask(SIG_SETMASK, &old, nullptr);
  pthread_create(&b, nullptr, BlocksItself, nullptr);
  pthread_join(a, nullptr);
  pthread_join(b, nullptr);
  std::puts("done");
}
