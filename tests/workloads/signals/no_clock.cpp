// Faults wherever it reads the processor's clock, for all of its life. Its handler counts that, and
// it prints how often it did.
#include <signal.h>
#include <sys/prctl.h>
#include <ucontext.h>

#include <atomic>
#include <cstdio>
#include <thread>

namespace {

constexpr int kReads = 300'000;
std::atomic<int> g_faults{0};
volatile double g_sink;

void OnFault(int, siginfo_t*, void* context) {
#ifdef __x86_64__
  g_faults.fetch_add(1);
  static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP] += 2;  // rdtsc is as long
#else
  (void)context;
#endif
}

void ReadClocks() {
#ifdef __x86_64__
  for (int i = 0; i < kReads; ++i) asm volatile("rdtsc" ::: "rax", "rdx");
#endif
}

}  // namespace

extern "C" __attribute__((noinline)) void burn_without_clock() {
  for (int i = 0; i < 200'000'000; ++i) g_sink = g_sink + i;
}

int main() {
  if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0) != 0) return 77;
  struct sigaction action {};
  action.sa_sigaction = OnFault;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, nullptr);
  std::thread other(ReadClocks);
  burn_without_clock();
  ReadClocks();
  other.join();
  std::printf("%d\n", g_faults.load());
  return 0;
}
