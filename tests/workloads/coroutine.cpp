// Burns on a small stack of its own in the middle of an array, as a coroutine does, on a thread
// with a small alternate stack. argv: SECONDS [thread]: in a thread of its own, after "begun" was
// printed. Prints how many bytes below that stack were written to.
#include <signal.h>
#include <sys/auxv.h>
#include <time.h>
#include <ucontext.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif

namespace {

constexpr size_t kBelow = 64 << 10, kStack = 2 << 10;
constexpr char kMark = 0x5a;

alignas(4096) char g_memory[kBelow + kStack];
ucontext_t g_main, g_coroutine;
double g_seconds = 0;
volatile unsigned g_sum = 0;

void Burn() {
  const clock_t end = clock() + static_cast<clock_t>(g_seconds * CLOCKS_PER_SEC);
  while (clock() < end) g_sum = g_sum + 1;
}

int RunCoroutine() {
  clock();  // found now: the loader's way to it takes more than that stack on processors with
            // AVX-512
  // Room for a sample and its two signal frames, which take what the processor asks for, but not
  // for more.
  constexpr size_t kOldFrame = 2048;
  std::vector<char> alternate(8192 + 2 * std::max<size_t>(getauxval(AT_MINSIGSTKSZ), kOldFrame));
  stack_t stack{};
  stack.ss_sp = alternate.data();
  stack.ss_size = alternate.size();
  if (sigaltstack(&stack, nullptr) != 0) return 9;
  std::memset(g_memory, kMark, kBelow);
  getcontext(&g_coroutine);
  g_coroutine.uc_stack.ss_sp = g_memory + kBelow;
  g_coroutine.uc_stack.ss_size = kStack;
  g_coroutine.uc_link = &g_main;
  makecontext(&g_coroutine, Burn, 0);
  swapcontext(&g_main, &g_coroutine);
  std::printf("%d\n", static_cast<int>(kBelow - static_cast<size_t>(std::count(
                                                    g_memory, g_memory + kBelow, kMark))));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  g_seconds = std::atof(argv[1]);
  if (argc == 2) return RunCoroutine();
  std::puts("begun");
  std::fflush(stdout);
  int status = 9;
  std::thread([&] { status = RunCoroutine(); }).join();
  return status;
}
