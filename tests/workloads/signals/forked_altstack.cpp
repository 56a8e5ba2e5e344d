// A fork child with a small alternate stack burns below many functions, each of which is met for
// the first time by its first sample: that takes longer than a tick. argv: CHILDREN MILLISECONDS
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace {

constexpr int kDeep = 1500;

double g_seconds = 0;
volatile unsigned g_sum = 0;

void Burn() {
  const clock_t end = clock() + static_cast<clock_t>(g_seconds * CLOCKS_PER_SEC);
  while (clock() < end) g_sum = g_sum + 1;
}

// What it keeps over the call takes a register of the caller's, another one each time.
template <int kLeft>
__attribute__((noinline)) unsigned Call(unsigned sum) {
  const unsigned kept = sum * 3 + kLeft;
  if constexpr (kLeft == 0) {
    Burn();
  } else {
    sum = Call<kLeft - 1>(sum + kLeft);
  }
  return sum ^ kept;
}

int RunChild() {
  const pid_t child = fork();
  if (child == 0) {
    g_sum = Call<kDeep>(static_cast<unsigned>(getpid()));
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

int main(int, char** argv) {
  alignas(64) static char memory[8192];
  stack_t stack{};
  stack.ss_sp = memory;
  stack.ss_size = sizeof memory;
  if (sigaltstack(&stack, nullptr) != 0) return 9;
  g_seconds = std::atof(argv[2]) / 1000;
  int worst = 0;
  for (int left = std::atoi(argv[1]); left > 0; --left) {
    if (const int status = RunChild(); status != 0) worst = status;
  }
  std::printf("%d\n", worst);
  return worst;
}
