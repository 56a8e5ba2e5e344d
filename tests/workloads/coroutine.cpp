// Burns on a small stack of its own in the middle of an array, as a coroutine does. argv: SECONDS
// [thread | depth].
//   (none), thread: the thread has a small alternate stack. Prints how many bytes below that stack
//     were written to. thread: in a thread of its own, after "begun" was printed.
//   depth: there is no alternate stack. Prints how many bytes below the stack pointer were written
//     to, and how many the frame of a signal takes.
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

uint64_t g_frame = 0;
void MeasureFrame(int) { g_frame = reinterpret_cast<uint64_t>(__builtin_frame_address(0)); }

// What Burn itself and the calls in it use lies above the marked memory.
void BurnAndMeasure() {
  constexpr size_t kOwn = 512;
  const auto here = reinterpret_cast<uint64_t>(__builtin_frame_address(0));
  signal(SIGUSR1, MeasureFrame);
  raise(SIGUSR1);
  char* const end = reinterpret_cast<char*>(here) - kOwn;
  std::memset(g_memory, kMark, static_cast<size_t>(end - g_memory));
  Burn();
  const char* lowest = std::find_if(g_memory, end, [](char byte) { return byte != kMark; });
  std::printf("%llu %llu\n",
              static_cast<unsigned long long>(here - reinterpret_cast<uint64_t>(lowest)),
              static_cast<unsigned long long>(here - g_frame));
}

int RunOnStack(void (*function)()) {
  getcontext(&g_coroutine);
  g_coroutine.uc_stack.ss_sp = g_memory + kBelow;
  g_coroutine.uc_stack.ss_size = kStack;
  g_coroutine.uc_link = &g_main;
  makecontext(&g_coroutine, function, 0);
  return swapcontext(&g_main, &g_coroutine);
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
  RunOnStack(Burn);
  std::printf("%d\n", static_cast<int>(kBelow - static_cast<size_t>(std::count(
                                                    g_memory, g_memory + kBelow, kMark))));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  g_seconds = std::atof(argv[1]);
  if (argc == 2) return RunCoroutine();
  if (std::strcmp(argv[2], "depth") == 0) {
    clock();
    return RunOnStack(BurnAndMeasure);
  }
  std::puts("begun");
  std::fflush(stdout);
  int status = 9;
  std::thread([&] { status = RunCoroutine(); }).join();
  return status;
}
