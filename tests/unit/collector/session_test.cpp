// The collector's side of a session against an agent that is played by a forked child: it finds the
// memory by the path in the environment, takes a region and writes records, exactly as
// samplers/wire/layout.h says.
#include "samplers/collector/session.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <functional>

#include "core/model/totals.h"
#include "samplers/collector/processes/process_table.h"
#include "tests/unit/collector/fake_agent.h"
#include "tests/unit/collector/fake_region.h"
#include "tests/unit/collector/gpu_stream.h"

namespace gprofx {
namespace {

using test::Address;
using test::FakeAgent;
using test::OpenPerfEvent;
using test::PartsOf;
using test::Play;

Session NewSession() {
  auto session = Session::Create({}, true);
  REQUIRE(session);
  return std::move(*session);
}

struct Bench {
  explicit Bench(bool children = true)
      : session(NewSession()), parts(session, profile, false), table(parts, children) {}
  int64_t Total() {
    return InclusiveByNode(profile, SelfByNode(profile, parts.metrics.time)).at(0);
  }

  Session session;
  Profile profile;
  RunParts parts;
  ProcessTable table;
  std::vector<SampleRow> rows;
};

void WriteSamples(FakeAgent& agent, int count) {
  const uint32_t module = agent.writer->AddModule("/bin/fake", 1);
  const uint32_t node = agent.writer->AddNode(0, wire::MakeNative(module, 16));
  agent.writer->BeginThread(0, getpid(), "fake");
  for (int i = 0; i < count; ++i) agent.writer->Push(0, 1000 + i, node, 10);
}

TEST_CASE("What a killed process wrote is all there") {
  Bench bench;
  const pid_t pid = Play(bench.session, [](FakeAgent& agent) {
    agent.Ready();
    WriteSamples(agent, 100);
    raise(SIGKILL);
  });
  waitpid(pid, nullptr, 0);
  CHECK(bench.table.Poll(bench.rows) == 100);
  CHECK(bench.Total() == 1000);
  REQUIRE(bench.profile.processes.size() == 1);
  CHECK(bench.profile.processes[0].pid == pid);
  CHECK(bench.profile.Text(bench.profile.processes[0].name) == "fake");
  CHECK(bench.profile.processes[0].end > 0);
  CHECK(bench.session.RegionStateOf(0) == wire::kRegionFree);
  CHECK(bench.table.AlivePids().empty());
}

TEST_CASE("GPU records of a killed process are there, and its page of counters") {
  Bench bench;
  const pid_t pid = Play(bench.session, [](FakeAgent& agent) {
    agent.Ready();
    WriteSamples(agent, 3);
    agent.writer->Push(0, 2000, 1, 77, wire::kRecordLaunch | wire::kCallLaunch << 8);
    test::StreamWriter gpu(agent.writer->memory());
    gpu.header().active = 1;
    gpu.header().counters[wire::kGpuLaunches] = 1;
    gpu.Write(test::KernelRecord(77, 1, 3000, 4500));
    raise(SIGKILL);
  });
  waitpid(pid, nullptr, 0);
  CHECK(bench.table.Poll(bench.rows) == 3);
  CHECK(bench.table.Totals().gpu_entries == 1);
  CHECK(bench.table.Totals().gpu.counters[wire::kGpuLaunches] == 1);
  const EventTable& kernels = bench.parts.gpu.events().kernels;
  REQUIRE(kernels.rows() == 1);
  CHECK(kernels.column(column::kKernelDuration)[0] == 1500);
  CHECK(kernels.column(column::kKernelLaunch)[0] == 2000);
}

// Processes that ended without a region have rows, too, which are made elsewhere.
TEST_CASE("What is known of a process stands at its own row") {
  Bench bench;
  for (int i = 0; i < 40; ++i) bench.profile.processes.emplace_back();
  const std::string variable = bench.session.EnvironmentValue();
  const pid_t pid = fork();
  if (pid == 0) {
    FakeAgent agent(variable);
    agent.Ready();
    WriteSamples(agent, 3);
    pause();
  }
  bench.table.SetMain(pid);
  while (bench.rows.size() < 3) bench.table.Poll(bench.rows);
  bench.table.Housekeeping();
  REQUIRE(bench.profile.processes.size() == 41);
  REQUIRE(bench.table.users().size() == 41);
  REQUIRE(bench.table.sees_our_files().size() == 41);
  for (size_t i = 0; i < 40; ++i) {
    CHECK(!bench.table.users()[i]);
    CHECK(!bench.table.sees_our_files()[i]);
  }
  REQUIRE(bench.table.users()[40]);
  CHECK(bench.table.users()[40]->user == getuid());
  CHECK(bench.table.sees_our_files()[40] == true);
  kill(pid, SIGKILL);
  waitpid(pid, nullptr, 0);
}

TEST_CASE("A region is empty when the next process gets it") {
  Bench bench;
  for (int i = 0; i < 5; ++i) {
    const pid_t pid = Play(bench.session, [](FakeAgent& agent) {
      if (agent.writer->header().pid != 0 || agent.writer->ring(0).head != 0) _exit(7);
      agent.Ready();
      WriteSamples(agent, 10);
    });
    int status = 0;
    waitpid(pid, &status, 0);
    CHECK(status == 0);
    bench.table.Poll(bench.rows);
  }
  CHECK(bench.rows.size() == 50);
  CHECK(bench.profile.processes.size() == 5);
  CHECK(bench.profile.modules.size() == 1);
  struct stat memory {};
  fstat(bench.session.memory(0).descriptor(), &memory);
  CHECK(memory.st_blocks * 512 <=
        static_cast<int64_t>(wire::kControlBytes));  // pages were given back
}

TEST_CASE("Exec ends the old process and begins a new one") {
  Bench bench;
  const std::string variable = bench.session.EnvironmentValue();
  const pid_t pid = fork();
  if (pid == 0) {
    FakeAgent before(variable);
    before.Ready();
    WriteSamples(before, 3);
    FakeAgent after(variable);
    after.Ready();
    WriteSamples(after, 4);
    pause();
  }
  bench.table.SetMain(pid);
  while (bench.rows.size() < 7) bench.table.Poll(bench.rows);
  CHECK(bench.profile.processes.size() == 2);
  CHECK(bench.profile.processes[0].end > 0);
  CHECK(bench.profile.processes[1].end == 0);
  CHECK(bench.session.RegionStateOf(0) == wire::kRegionFree);
  CHECK(bench.table.AlivePids() == std::vector<int64_t>{pid});
  kill(pid, SIGKILL);
  waitpid(pid, nullptr, 0);
  bench.table.CloseAll(bench.rows);
  CHECK(bench.table.live().empty());
  bench.table.SetMainExit(137);
  CHECK(bench.profile.processes[1].exit_status == 137);
}

TEST_CASE("Children are left out when they are not asked for") {
  Bench bench(false);
  bench.table.SetMain(1);
  const pid_t pid = Play(bench.session, [](FakeAgent& agent) {
    agent.Ready();
    WriteSamples(agent, 5);
  });
  waitpid(pid, nullptr, 0);
  bench.table.Poll(bench.rows);
  CHECK(bench.rows.empty());
  CHECK(bench.profile.processes.empty());
  bench.table.Poll(bench.rows);
  CHECK(bench.session.RegionStateOf(0) == wire::kRegionFree);
}

TEST_CASE("Descriptors are kept for the life of their thread, and only from our own processes") {
  if (!UniqueFd(OpenPerfEvent())) return;
  Bench bench;
  int ends[2], answer[2];
  REQUIRE(pipe(ends) == 0);
  REQUIRE(pipe(answer) == 0);
  const pid_t pid = Play(bench.session, [&](FakeAgent& agent) {
    agent.Ready();
    WriteSamples(agent, 1);
    agent.SendDescriptor(agent.token() + 1, 1);
    agent.SendDescriptor(agent.token(), 1);
    char byte = 0;
    if (write(answer[1], &byte, 1) != 1 || read(ends[0], &byte, 1) != 1) _exit(6);
    agent.writer->EndThread(0, 5000);
    if (write(answer[1], &byte, 1) != 1 || read(ends[0], &byte, 1) != 1) _exit(6);
  });
  char byte = 0;
  REQUIRE(read(answer[0], &byte, 1) == 1);
  bench.table.Poll(bench.rows);
  CHECK(bench.parts.perf_events.size() == 1);
  REQUIRE(write(ends[1], &byte, 1) == 1);
  REQUIRE(read(answer[0], &byte, 1) == 1);
  bench.table.Poll(bench.rows);
  CHECK(bench.parts.perf_events.size() == 0);
  REQUIRE(write(ends[1], &byte, 1) == 1);
  waitpid(pid, nullptr, 0);
  for (const int fd : {ends[0], ends[1], answer[0], answer[1]}) close(fd);
}

// Asks as samplers/agent/process/join.cpp does. Returns the descriptor or -1; *pid is what the
// answer says.
int Ask(const Session& session, uint64_t secret, const std::function<void()>& answer,
        int64_t* pid) {
  const UniqueFd socket(::socket(AF_UNIX, SOCK_DGRAM, 0));
  sockaddr_un own{};
  own.sun_family = AF_UNIX;
  REQUIRE(bind(socket.get(), reinterpret_cast<sockaddr*>(&own), sizeof own.sun_family) == 0);
  Address to(PartsOf(session.EnvironmentValue())[1]);
  const wire::JoinRequest request{secret, 0};
  REQUIRE(sendto(socket.get(), &request, sizeof request, 0,
                 reinterpret_cast<sockaddr*>(&to.address), to.bytes) == sizeof request);
  answer();
  wire::JoinReply reply{};
  iovec part{&reply, sizeof reply};
  alignas(cmsghdr) char data[CMSG_SPACE(sizeof(int))];
  msghdr head{};
  head.msg_iov = &part;
  head.msg_iovlen = 1;
  head.msg_control = data;
  head.msg_controllen = sizeof data;
  if (recvmsg(socket.get(), &head, MSG_DONTWAIT) != sizeof reply) return -1;
  *pid = reply.host_pid;
  int fd = -1;
  std::memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&head)), sizeof fd);
  return fd;
}

TEST_CASE("Who knows the secret gets the memory and its own number, nobody else does") {
  Bench bench;
  const uint64_t secret = bench.session.secret();
  const auto answer = [&bench] { bench.parts.perf_events.Receive(); };
  int64_t pid = 0;
  const UniqueFd memory(Ask(bench.session, secret, answer, &pid));
  REQUIRE(memory);
  CHECK(pid == getpid());
  uint64_t magic = 0;
  CHECK(pread(memory.get(), &magic, sizeof magic, 0) == sizeof magic);
  CHECK(magic == wire::kMagic);
  CHECK(Ask(bench.session, secret + 1, answer, &pid) == -1);
  CHECK(secret != bench.session.memory(0).token());
}

TEST_CASE("A process of another PID namespace has the number that we see") {
  Bench bench;
  const pid_t pid = Play(bench.session, [](FakeAgent& agent) {
    agent.Ready();
    WriteSamples(agent, 2);
    agent.writer->header().pid = 1;
    agent.writer->header().parent_pid = 0;
    agent.writer->ring(0).tid = 1;
    raise(SIGKILL);
  });
  siginfo_t info;
  waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT);
  bench.table.Poll(bench.rows);
  waitpid(pid, nullptr, 0);
  REQUIRE(bench.profile.processes.size() == 1);
  CHECK(bench.profile.processes[0].pid == pid);
  CHECK(bench.profile.processes[0].parent_pid == getpid());
  CHECK(bench.profile.threads.at(0).tid == pid);
}

TEST_CASE("The target cannot take the memory away") {
  const Session session = NewSession();
  const UniqueFd fd(open(session.MemoryPath().c_str(), O_RDWR | O_CLOEXEC));
  REQUIRE(fd);
  CHECK(ftruncate(fd.get(), 0) != 0);
  CHECK(ftruncate(fd.get(), static_cast<off_t>(wire::FileBytes() * 2)) != 0);
}

}  // namespace
}  // namespace gprofx
