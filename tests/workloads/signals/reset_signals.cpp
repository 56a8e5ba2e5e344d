// Sets all signals back to their default between fork and exec, by syscall(2) as Chromium does, and
// takes longer than a tick to the exec. argv: CHILDREN. Prints how many did not end with 7.
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

struct KernelAction {
  void (*handler)(int);
  unsigned long flags;
  void (*restorer)();
  uint64_t mask;
};

long Act(int signal, const KernelAction* action, KernelAction* old) {
  return syscall(SYS_rt_sigaction, signal, action, old, sizeof(uint64_t));
}

bool ResetAll() {
  for (int signal = 1; signal <= 64; ++signal) {
    KernelAction action{};
    if (Act(signal, nullptr, &action) != 0) return false;
    if (signal == SIGKILL || signal == SIGSTOP) continue;
    action.handler = SIG_DFL;
    if (Act(signal, &action, nullptr) != 0) return false;
    if (Act(signal, nullptr, &action) != 0 || action.handler != SIG_DFL) return false;
  }
  errno = 0;
  return Act(65, nullptr, nullptr) == -1 && Act(SIGKILL, nullptr, nullptr) == 0 &&
         Act(SIGURG, reinterpret_cast<const KernelAction*>(16), nullptr) == -1 && errno == EFAULT &&
         Act(SIGURG, nullptr, reinterpret_cast<KernelAction*>(16)) == -1 && errno == EFAULT;
}

void Burn() {
  const clock_t end = clock() + CLOCKS_PER_SEC / 10;
  while (clock() < end) {
  }
}

void OnProf(int) {}

}  // namespace

int main(int argc, char** argv) {
  if (std::strcmp(argv[1], "exec") == 0) return 7;
  // What libc sets the system call shows, and what that sets libc.
  signal(SIGSEGV, OnProf);
  KernelAction action{};
  if (Act(SIGSEGV, nullptr, &action) != 0 || action.handler != OnProf) return 2;
  action.handler = SIG_IGN;
  struct sigaction seen {};
  if (Act(SIGSEGV, &action, &action) != 0 || action.handler != OnProf) return 3;  // at one place
  if (sigaction(SIGSEGV, nullptr, &seen) != 0 || seen.sa_handler != SIG_IGN) return 6;
  int bad = 0;
  for (int left = std::atoi(argv[argc - 1]); left > 0; --left) {
    const pid_t child = fork();
    if (child == 0) {
      if (!ResetAll()) _exit(4);
      Burn();
      execl("/proc/self/exe", argv[0], "exec", nullptr);
      _exit(5);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 7) ++bad;
  }
  std::printf("%d\n", bad);
  return bad;
}
