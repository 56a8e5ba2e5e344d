// Burns where no sample can be taken, then as long where one can: unseen heap|dispatch SECONDS.
// heap: on a stack in the heap, with an alternate stack of 8 KiB, as OCaml 5 has it. dispatch: its
// system calls go to a handler of its own, as Wine has it. Prints what it took, and how many calls
// came there.
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <ucontext.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr int kUserDispatch = 59;  // PR_SET_SYSCALL_USER_DISPATCH
volatile uint64_t g_sink;
volatile char g_selector = 0;
volatile sig_atomic_t g_dispatched = 0;
ucontext_t g_main, g_other;
double g_seconds;

double CpuSeconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

uint64_t RoundsOfSecond() {
  const double begin = CpuSeconds();
  for (uint64_t i = 0; i < 50'000'000; ++i) g_sink = g_sink * 31 + i;
  return static_cast<uint64_t>(50'000'000 / (CpuSeconds() - begin));
}

void OnDispatch(int, siginfo_t*, void*) {
  g_dispatched = g_dispatched + 1;
  g_selector = 0;
}

}  // namespace

extern "C" {
__attribute__((noinline)) void burn_unseen(uint64_t rounds) {
  for (uint64_t i = 0; i < rounds; ++i) g_sink = g_sink * 31 + i;
}
__attribute__((noinline)) void burn_seen(uint64_t rounds) {
  for (uint64_t i = 0; i < rounds; ++i) g_sink = g_sink * 31 + i;
}
}

static uint64_t g_rounds;

int main(int, char** arguments) {
  g_seconds = std::atof(arguments[2]);
  g_rounds = static_cast<uint64_t>(static_cast<double>(RoundsOfSecond()) * g_seconds);
  const double begin = CpuSeconds();
  if (std::strcmp(arguments[1], "heap") == 0) {
    stack_t small{};
    small.ss_size = 8192;
    small.ss_sp =
        mmap(nullptr, small.ss_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    sigaltstack(&small, nullptr);
    getcontext(&g_other);
    g_other.uc_stack.ss_size = 65536;
    g_other.uc_stack.ss_sp =
        mmap(nullptr, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    g_other.uc_link = &g_main;
    makecontext(
        &g_other, [] { burn_unseen(g_rounds); }, 0);
    swapcontext(&g_main, &g_other);
  } else {
    struct sigaction action {};
    action.sa_sigaction = OnDispatch;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSYS, &action, nullptr);
    if (prctl(kUserDispatch, 1, 0, 0, &g_selector) != 0) return 77;
    g_selector = 1;
    burn_unseen(g_rounds);
    g_selector = 0;
    prctl(kUserDispatch, 0, 0, 0, 0);
  }
  const double between = CpuSeconds();
  burn_seen(g_rounds);
  std::printf("%f %f %d\n", between - begin, CpuSeconds() - between,
              static_cast<int>(g_dispatched));
}
