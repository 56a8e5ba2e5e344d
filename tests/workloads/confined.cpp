// Burns CPU time, gives up system calls by seccomp, burns again, and ends with status 6.
// argv: strict | kill | trap | errno | few | exec    [prctl | syscall] [ROUNDS]
//   kill, trap, errno   what happens to a call that makes timers, perf events or sockets, or looks
//                       at clocks: what a sampler would call; threads are allowed
//   exec                as kill, then another program takes over
//   few                 only write and exit_group, not even the return from a signal
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

namespace {

volatile uint64_t g_sum = 0;

uint64_t g_rounds = 300'000'000;

__attribute__((noinline)) void Burn() {
  for (uint64_t i = 0; i < g_rounds; ++i) g_sum = g_sum + i;
}

std::vector<sock_filter> Filter(uint32_t listed, uint32_t others, const std::vector<int>& calls) {
  std::vector<sock_filter> filter;
  filter.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)));
  for (const int call : calls) {
    filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(call), 0, 1));
    filter.push_back(BPF_STMT(BPF_RET | BPF_K, listed));
  }
  filter.push_back(BPF_STMT(BPF_RET | BPF_K, others));
  return filter;
}

bool Install(std::vector<sock_filter> filter, bool by_syscall) {
  sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
  if (by_syscall) return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

void Say(const char* text) { [[maybe_unused]] ssize_t n = write(1, text, strlen(text)); }

}  // namespace

int main(int argc, char** argv) {
  const char* mode = argv[1];
  const bool by_syscall = argc > 2 && strcmp(argv[2], "syscall") == 0;
  if (argc > 3) g_rounds = strtoull(argv[3], nullptr, 10);
  Burn();
  if (strcmp(mode, "strict") == 0) {
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT, 0, 0, 0) != 0) return 9;
    Burn();
    Say("confined\n");
    syscall(SYS_exit, 6);
  }
  const std::vector<int> samplers = {SYS_timer_create, SYS_timer_settime,   SYS_timer_delete,
                                     SYS_socket,       SYS_perf_event_open, SYS_clock_gettime,
                                     SYS_gettid,       SYS_process_vm_readv};
  const bool exec = strcmp(mode, "exec") == 0;
  const uint32_t action = exec || strcmp(mode, "kill") == 0 ? SECCOMP_RET_KILL_PROCESS
                          : strcmp(mode, "trap") == 0       ? SECCOMP_RET_TRAP
                                                            : SECCOMP_RET_ERRNO | EPERM;
  const bool few = strcmp(mode, "few") == 0;
  auto filter =
      few ? Filter(SECCOMP_RET_ALLOW, SECCOMP_RET_KILL_PROCESS, {SYS_write, SYS_exit_group})
          : Filter(action, SECCOMP_RET_ALLOW, samplers);
  if (!Install(filter, by_syscall)) return 9;
  if (exec) return execlp("echo", "echo", "inherited", nullptr);
  Burn();
  if (!few) std::thread(Burn).join();
  Say("confined\n");
  _exit(6);
}
