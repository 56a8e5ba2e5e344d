// Whatever another process writes into the shared memory, the agent stays within it, ends its loops
// and asks no more of the kernel than usual.
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <memory>

#include "samplers/agent/libc/raw_syscall.h"
#include "samplers/agent/process/join.h"
#include "samplers/agent/process/threads.h"
#include "samplers/agent/signals/kernel_action.h"
#include "samplers/agent/stacks/stack_table.h"
#include "tests/unit/agent/test_session.h"

namespace gprofx::agent {
namespace {

uint32_t NodeOf(Session& session, StackPath& path, uint64_t first) {
  NextStack next(path);
  for (uint64_t i = 0; i < 40; ++i) next.Put(first + i);
  bool full = false;
  return StackNode(session, path, next, &full);
}

TEST_CASE("node numbers in the hash may be anything") {
  TestMemory memory;
  Session session;
  REQUIRE(session.Join(memory.Path().c_str()));
  const auto path = std::make_unique<StackPath>();
  for (const uint32_t number : {UINT32_MAX, wire::kMaxNodes, wire::kMaxNodes - 1, 7u}) {
    for (uint32_t i = 0; i < (1u << 13); ++i) session.hash()[i] = number;
    session.header().nodes = number;
    path->Forget();
    CHECK(NodeOf(session, *path, number) < wire::kMaxNodes);
  }
}

TEST_CASE("room in the arena lies in the arena") {
  TestMemory memory;
  Session session;
  REQUIRE(session.Join(memory.Path().c_str()));
  for (const uint64_t used : {UINT64_MAX, UINT64_MAX - 8, wire::kArenaBytes, wire::kArenaBytes - 8,
                              wire::kArenaBytes - 99, uint64_t{33}}) {
    session.header().arena_used = used;
    uint64_t offset = 0;
    const auto* room = static_cast<const uint8_t*>(session.Allocate(100, &offset));
    if (room == nullptr) continue;
    CHECK(offset % wire::kArenaUnit == 0);
    CHECK(offset + 100 <= wire::kArenaBytes);
    CHECK(room == session.Allocated(offset, 100));
  }
  uint64_t offset = 0;
  CHECK(session.Allocate(UINT64_MAX, &offset) == nullptr);
  CHECK(session.Allocated(wire::kArenaBytes, 1) == nullptr);
  CHECK(session.Allocated(wire::kArenaBytes - 4, 5) == nullptr);
  CHECK(session.Allocated(UINT64_MAX, 1) == nullptr);
  CHECK(session.Allocated(16, UINT64_MAX) == nullptr);
}

// Runs in a process of its own: what was joined stays joined.
int UseThreads() {
  TestMemory memory;
  const KernelAction ignore{SIG_IGN};  // nobody handles it here
  RawSyscall(SYS_rt_sigaction, wire::kTickSignal, AsArgument(&ignore), 0, sizeof ignore.mask);
  if (!g_session.Join(memory.Path().c_str())) return 2;
  g_session.header().threads_high = UINT32_MAX;
  if (g_session.used_slots() != g_session.ring_count()) return 3;
  ThreadState* const state = ClaimThread();
  if (state == nullptr) return 4;
  BeginThread(state, ThreadCpuNs(), Signal::kAsItIs);  // no handler is installed
  const int32_t tid = state->tid;
  g_session.header().threads_high = UINT32_MAX;
  if (ThreadOfTid(tid) != state || ThreadOfTid(-1) != nullptr) return 5;
  NoteThreadClocks();
  WaitForHandlers();
  EndThread(state);
  return 0;
}

TEST_CASE("the number of used slots may be anything") { CHECK(StatusInChild(UseThreads) == 0); }

TEST_CASE("a memory that another user owns is not joined") {
  if (geteuid() != 0) return;
  TestMemory memory;
  REQUIRE(chown(memory.Path().c_str(), 12345, 12345) == 0);
  Session session;
  CHECK_FALSE(session.Join(memory.Path().c_str()));
}

TEST_CASE("facts are read once, and only usable ones") {
  TestMemory memory;
  Session session;
  REQUIRE(session.Join(memory.Path().c_str()));
  memory.control().facts.plan.posix_period_ns = 1;
  memory.control().facts.collector_pid = 1;
  memory.control().periods = UINT32_MAX;
  CHECK(session.plan().posix_period_ns == 4'000'000 * uint64_t{wire::kMaxPeriodsOfSample});
  CHECK(session.FromCollector(getpid()));
  Session later;
  CHECK_FALSE(later.Join(memory.Path().c_str()));
}

TEST_CASE("the spool is an unlinked file of one's own, or there is none") {
  char name[] = "/tmp/gprofx-spool-XXXXXX";
  const int fd = mkstemp(name);
  REQUIRE(fd >= 0);
  const std::string variable = "/proc/self/fd/3@x@1@" + std::to_string(fd);
  SessionName session;
  REQUIRE(ParseSessionName(variable.c_str(), &session));
  CHECK(OpenSpool(session) == -1);  // it has a name
  unlink(name);
  const int spool = OpenSpool(session);
  CHECK(spool >= 0);
  close(spool);
  if (geteuid() == 0 && fchown(fd, 12345, 12345) == 0) CHECK(OpenSpool(session) == -1);
  close(fd);
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  REQUIRE(ParseSessionName(("/proc/self/fd/3@x@1@" + std::to_string(ends[1])).c_str(), &session));
  CHECK(OpenSpool(session) == -1);
  close(ends[0]);
  close(ends[1]);
}

}  // namespace
}  // namespace gprofx::agent
