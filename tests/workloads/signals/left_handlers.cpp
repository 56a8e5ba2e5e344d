// Leaves handlers of SIGALRM by siglongjmp(3), many times a second, and then works on: "limited"
// and "rest" take about 1.5 s of CPU time each. Some of the alarms interrupt a profiler that takes
// a sample. Prints what both took.
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>

namespace {

sigjmp_buf g_place;
volatile unsigned g_work;
volatile sig_atomic_t g_armed = 0;

double CpuSeconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

void Leave(int) {
  if (g_armed != 0) siglongjmp(g_place, 1);
}

void SetAlarms(int us) {
  const itimerval often{{0, us}, {0, us}};
  setitimer(ITIMER_REAL, &often, nullptr);
}

[[gnu::noinline]] void Burn() {
  for (int i = 0; i < 20'000; ++i) g_work = g_work + static_cast<unsigned>(i);
}

}  // namespace

[[gnu::noinline]] void limited(double seconds) {
  for (const double end = CpuSeconds() + seconds; CpuSeconds() < end;) {
    if (sigsetjmp(g_place, 1) == 0) {
      g_armed = 1;
      for (;;) Burn();
    }
    g_armed = 0;
  }
}

[[gnu::noinline]] void rest(double seconds) {
  for (const double end = CpuSeconds() + seconds; CpuSeconds() < end;) Burn();
}

int main() {
  struct sigaction action {};
  action.sa_handler = Leave;
  sigaction(SIGALRM, &action, nullptr);
  SetAlarms(150);
  const double begin = CpuSeconds();
  limited(1.5);
  const double middle = CpuSeconds();
  SetAlarms(0);
  rest(1.5);
  printf("%f %f\n", middle - begin, CpuSeconds() - middle);
  return 0;
}
