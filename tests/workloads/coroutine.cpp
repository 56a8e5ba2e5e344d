// Burns on a small stack of its own in the middle of an array, as a coroutine does, on a thread with a
// small alternate stack. argv: SECONDS. Prints how many bytes below that stack were written to.
#include <signal.h>
#include <time.h>
#include <ucontext.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

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

}  // namespace

int main(int, char** argv) {
  g_seconds = std::atof(argv[1]);
  static char alternate[8192];
  stack_t stack{};
  stack.ss_sp = alternate;
  stack.ss_size = sizeof alternate;
  if (sigaltstack(&stack, nullptr) != 0) return 9;
  std::memset(g_memory, kMark, kBelow);
  getcontext(&g_coroutine);
  g_coroutine.uc_stack.ss_sp = g_memory + kBelow;
  g_coroutine.uc_stack.ss_size = kStack;
  g_coroutine.uc_link = &g_main;
  makecontext(&g_coroutine, Burn, 0);
  swapcontext(&g_main, &g_coroutine);
  std::printf("%d\n", static_cast<int>(kBelow - static_cast<size_t>(std::count(g_memory, g_memory + kBelow, kMark))));
}
