// Burns on a stack in the heap that no unwind rows lead out of: foreign_stack old|faults.
//   old: the stack is full of old return addresses. Prints the CPU seconds of a fixed amount of
//     work.
//   faults: on a thread with a small alternate stack, while another thread sends it SIGSEGV and
//     SIGBUS, for half a second. Prints "handled" if the handler ran on the right thread only.
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#if defined(__x86_64__)
asm(".text\n"
    "CallOnStack:\n"
    "  push %rbx\n"
    "  mov %rsp, %rbx\n"
    "  mov %rdi, %rsp\n"
    "  call *%rsi\n"
    "  mov %rbx, %rsp\n"
    "  pop %rbx\n"
    "  ret\n");
extern "C" void CallOnStack(void* top, void (*function)());
#else
extern "C" void CallOnStack(void*, void (*)()) { std::_Exit(77); }
#endif

namespace {

constexpr size_t kBytes = 1 << 20;
volatile long g_sink = 0;
std::atomic<bool> g_over{false};
std::atomic<long> g_handled{0}, g_elsewhere{0};
const long g_tid = syscall(SYS_gettid);

double CpuSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void Work() {
  for (long i = 0; i < 200'000'000; ++i) g_sink = g_sink + 1;
}

void WorkForHalfASecond() {
  const double end = CpuSeconds() + 0.5;
  while (CpuSeconds() < end) g_sink = g_sink + 1;
}

// Addresses right after call instructions, spread over libc.
void FillWithReturnAddresses(char* stack) {
  auto* word = reinterpret_cast<uint64_t*>(stack);
  uint64_t* const end = word + kBytes / sizeof(uint64_t);
  const auto* code = reinterpret_cast<const unsigned char*>(&qsort) - 100'000;
  for (size_t i = 0; word < end; i += 4099) {
    const unsigned char* at = code + i % 800'000;
    for (const unsigned char* stop = at + 300; at < stop && *at != 0xe8;) ++at;
    *word++ = reinterpret_cast<uint64_t>(at + 5);
  }
}

void OnFault(int, siginfo_t*, void*) {
  volatile char used[1500];
  std::memset(const_cast<char*>(used), 0xee, sizeof used);
  ++(syscall(SYS_gettid) == g_tid ? g_handled : g_elsewhere);
}

void SendFaults() {
  for (long sent = 0; !g_over; ++sent) {
    syscall(SYS_tgkill, getpid(), g_tid, sent % 2 == 0 ? SIGSEGV : SIGBUS);
    for (volatile int i = 0; i < 3000;) i = i + 1;
  }
}

}  // namespace

int main(int, char** arguments) {
  std::vector<char> stack(kBytes);
  if (std::strcmp(arguments[1], "old") == 0) {
    FillWithReturnAddresses(stack.data());
    const double begin = CpuSeconds();
    CallOnStack(stack.data() + kBytes / 2, Work);
    std::printf("%.3f\n", CpuSeconds() - begin);
    return 0;
  }
  // Room for two of its own handlers, one in the other, and for one signal more.
  std::vector<char> small(16384);
  stack_t alternate{};
  alternate.ss_sp = small.data();
  alternate.ss_size = small.size();
  sigaltstack(&alternate, nullptr);
  struct sigaction action {};
  action.sa_sigaction = OnFault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  sigaction(SIGSEGV, &action, nullptr);
  sigaction(SIGBUS, &action, nullptr);
  std::thread sender(SendFaults);
  CallOnStack(stack.data() + kBytes, WorkForHalfASecond);
  g_over = true;
  sender.join();
  std::puts(g_handled > 0 && g_elsewhere == 0 ? "handled" : "lost");
  return 0;
}
