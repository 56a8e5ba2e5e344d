// Leaves handlers of SIGALRM by siglongjmp(3) or by an exception, many times a second, and then works on:
// "limited" and "rest" take the seconds of CPU time that are told. Some of the alarms interrupt a profiler
// that takes a sample.
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

void Throw(int) {
  if (g_armed != 0) throw 1;
}

void SetAlarms(int us) {
  const itimerval often{{0, us}, {0, us}};
  setitimer(ITIMER_REAL, &often, nullptr);
}

[[gnu::noinline]] void Burn() {
  for (int i = 0; i < 20'000; ++i) g_work = g_work + static_cast<unsigned>(i);
}

}  // namespace

[[gnu::noinline]] void limited(double seconds, bool by_exception) {
  for (const double end = CpuSeconds() + seconds; CpuSeconds() < end;) {
    if (by_exception) {
      try {
        g_armed = 1;
        for (;;) Burn();
      } catch (int) {
        sigset_t alarm;
        sigemptyset(&alarm);
        sigaddset(&alarm, SIGALRM);
        sigprocmask(SIG_UNBLOCK, &alarm, nullptr);
      }
    } else if (sigsetjmp(g_place, 1) == 0) {
      g_armed = 1;
      for (;;) Burn();
    }
    g_armed = 0;
  }
}

[[gnu::noinline]] void rest(double seconds) {
  for (const double end = CpuSeconds() + seconds; CpuSeconds() < end;) Burn();
}

int main(int argc, char** argv) {
  const bool by_exception = argc > 1 && strcmp(argv[1], "throw") == 0;
  struct sigaction action {};
  action.sa_handler = by_exception ? Throw : Leave;
  sigaction(SIGALRM, &action, nullptr);
  SetAlarms(700);
  limited(1.5, by_exception);
  SetAlarms(0);
  rest(1.5);
  printf("done\n");
  return 0;
}
