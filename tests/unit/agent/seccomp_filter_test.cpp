#include "samplers/agent/confinement/seccomp_filter.h"

#include <errno.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstddef>
#include <random>
#include <vector>

#include "samplers/agent/confinement/limits.h"
#include "samplers/wire/machine/machine.h"
#include "tests/unit/agent/emulator.h"

using namespace gprofx::agent;

namespace {

using Filter = std::vector<sock_filter>;

sock_filter Load(uint32_t offset) { return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset); }
sock_filter Return(uint32_t value) { return BPF_STMT(BPF_RET | BPF_K, value); }

uint32_t Run(const Filter& filter, const seccomp_data& call) {
  return RunSeccompFilter(filter.data(), static_cast<uint32_t>(filter.size()), call);
}

// Answers getpid() with EPERM and lets the rest through.
Filter WithoutGetpid() {
  return {Load(offsetof(seccomp_data, nr)), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getpid, 0, 1),
          Return(SECCOMP_RET_ERRNO | EPERM), Return(SECCOMP_RET_ALLOW)};
}

// What the kernel makes of getppid() with these arguments under the filter: the errno, or 0.
// -1: it refused the filter.
int KernelsAnswer(const Filter& filter, const seccomp_data& call) {
  const pid_t child = fork();
  if (child == 0) {
    Filter copy = filter;
    sock_fprog program{static_cast<unsigned short>(copy.size()), copy.data()};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) _exit(254);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) != 0) _exit(255);
    const long result = syscall(call.nr, call.args[0], call.args[1], call.args[2]);
    _exit(result < 0 ? errno : 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 253;
  return code == 255 ? -1 : code;
}

}  // namespace

TEST_CASE("a filter is asked as the kernel asks it") {
  seccomp_data call{};
  call.nr = SYS_getpid;
  call.arch = gprofx::wire::kAuditMachine;
  CHECK(Run(WithoutGetpid(), call) == (SECCOMP_RET_ERRNO | EPERM));
  call.nr = SYS_getppid;
  CHECK(Run(WithoutGetpid(), call) == SECCOMP_RET_ALLOW);
}

TEST_CASE("what the kernel refuses counts as killing") {
  const seccomp_data call{};
  CHECK_FALSE(LetsThrough(Run({}, call)));
  CHECK_FALSE(LetsThrough(Run({Load(2)}, call)));   // not aligned
  CHECK_FALSE(LetsThrough(Run({Load(64)}, call)));  // behind the end
  CHECK_FALSE(LetsThrough(Run({Load(0)}, call)));   // no return
  CHECK_FALSE(LetsThrough(Run({BPF_STMT(BPF_JMP | BPF_JA, 1u << 31)}, call)));
  CHECK_FALSE(LetsThrough(Run({BPF_STMT(BPF_ALU | BPF_DIV | BPF_K, 0)}, call)));
  CHECK_FALSE(LetsThrough(Run({BPF_STMT(BPF_ST, BPF_MEMWORDS)}, call)));
  CHECK_FALSE(LetsThrough(SECCOMP_RET_TRAP));
  CHECK_FALSE(LetsThrough(SECCOMP_RET_USER_NOTIF));
  CHECK(LetsThrough(SECCOMP_RET_ALLOW));
  CHECK(LetsThrough(SECCOMP_RET_LOG));
}

TEST_CASE("random filters are answered as by the kernel") {
  if (LacksSeccomp()) return;
  std::mt19937 random(7);
  const auto any = [&](uint32_t below) { return static_cast<uint32_t>(random() % below); };
  int compared = 0;
  for (int round = 0; round < 300; ++round) {
    seccomp_data call{};
    call.nr = SYS_getppid;
    call.arch = gprofx::wire::kAuditMachine;
    for (int i = 0; i < 3; ++i) call.args[i] = any(2) ? any(8) : random();
    Filter filter;
    const uint32_t operations[] = {BPF_ADD, BPF_SUB, BPF_MUL, BPF_AND, BPF_OR,
                                   BPF_XOR, BPF_LSH, BPF_RSH, BPF_NEG};
    const uint32_t jumps[] = {BPF_JEQ, BPF_JGT, BPF_JGE, BPF_JSET};
    // The rest of the process must live under the filter: only getppid gets to the random part.
    filter.push_back(Load(offsetof(seccomp_data, nr)));
    filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 1, 0));
    filter.push_back(Return(SECCOMP_RET_ALLOW));
    for (uint32_t word = 0; word < 4; ++word) {
      filter.push_back(BPF_STMT(BPF_LD | BPF_IMM, any(100)));
      filter.push_back(BPF_STMT(BPF_ST, word));
    }
    for (int i = 0; i < 12; ++i) {
      switch (any(6)) {
        case 0:
          filter.push_back(Load(16 + 4 * any(6)));
          break;
        case 1:
          filter.push_back(BPF_STMT(any(2) ? BPF_ST : BPF_STX, any(4)));
          break;
        case 2:
          filter.push_back(BPF_STMT((any(2) ? BPF_LD : BPF_LDX) | BPF_MEM, any(4)));
          break;
        case 3:
          filter.push_back(BPF_STMT(BPF_MISC | (any(2) ? BPF_TAX : BPF_TXA), 0));
          break;
        case 4: {
          const uint32_t operation = operations[any(9)];
          const bool by_x = operation != BPF_NEG && any(2) != 0;
          filter.push_back(BPF_STMT(BPF_ALU | operation | (by_x ? BPF_X : BPF_K),
                                    by_x || operation == BPF_NEG ? 0 : any(31)));
          break;
        }
        default:
          filter.push_back(BPF_JUMP(BPF_JMP | jumps[any(4)] | (any(2) ? BPF_X : BPF_K), any(9),
                                    static_cast<uint8_t>(any(2)), static_cast<uint8_t>(any(2))));
      }
    }
    filter.push_back(BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 1));
    filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 1, 1, 0));
    filter.push_back(Return(SECCOMP_RET_ERRNO | ENOTTY));
    filter.push_back(Return(SECCOMP_RET_ERRNO | EDOM));
    const int kernel = KernelsAnswer(filter, call);
    if (kernel < 0) continue;
    ++compared;
    CHECK(Run(filter, call) == (SECCOMP_RET_ERRNO | static_cast<uint32_t>(kernel)));
  }
  CHECK(compared > 200);
}

TEST_CASE("needs follow from what a filter lets through") {
  const auto without = [](int number) {
    const Filter filter = {Load(offsetof(seccomp_data, nr)),
                           BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(number), 0, 1),
                           Return(SECCOMP_RET_KILL_PROCESS), Return(SECCOMP_RET_ALLOW)};
    return NeedsThatPass(filter.data(), static_cast<uint32_t>(filter.size()));
  };
  CHECK(without(SYS_getcwd) == kNeeds);
  CHECK(without(SYS_timer_create) == (kNeeds & ~uint32_t{kNeedTimers}));
  CHECK(without(SYS_rt_sigreturn) == (kNeeds & ~uint32_t{kNeedReturn}));
  CHECK(without(SYS_clock_gettime) == (kNeeds & ~uint32_t{kNeedClock}));
  CHECK(without(SYS_membarrier) == kNeedAll);
  const uint32_t before = Restrict(without(SYS_perf_event_open));
  CHECK_FALSE(Allowed(kNeedPerf));
  CHECK(Allowed(kNeedNewThread));
  LiftRestriction(before);
  CHECK(Allowed(kNeedAll));
}
