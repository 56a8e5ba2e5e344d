// What processes of another user can do to a recording of one's own. Each test is an attack that
// worked once.
#include <sys/stat.h>
#include <catch2/catch.hpp>
#include <cstring>
#include <optional>
#include <string>

#include "samplers/collector/processes/user_shares.h"
#include "tests/unit/collector/hostile/bench.h"

namespace gprofx {
namespace {

using test::Bench;
using test::kNobody;
using test::NewSession;
using test::PartsOf;
using test::Turns;
using test::Wait;

TEST_CASE("Each user has a memory of their own") {
  if (geteuid() != 0) return;
  Bench bench;
  const std::string name = PartsOf(bench.session.EnvironmentValue())[1];
  const std::string path = bench.session.MemoryPath();
  const Turns turns;
  int answer[2];
  REQUIRE(pipe(answer) == 0);
  const pid_t pid = fork();
  if (pid == 0) {
    if (setgid(kNobody) != 0 || setuid(kNobody) != 0) _exit(3);
    if (open(path.c_str(), O_RDWR) >= 0) _exit(4);
    const UniqueFd socket(::socket(AF_UNIX, SOCK_DGRAM, 0));
    sockaddr_un own{};
    own.sun_family = AF_UNIX;
    bind(socket.get(), reinterpret_cast<sockaddr*>(&own), sizeof own.sun_family);
    test::Address to(name);
    const wire::JoinRequest request{bench.session.secret(), 0};
    if (sendto(socket.get(), &request, sizeof request, 0, reinterpret_cast<sockaddr*>(&to.address),
               to.bytes) != sizeof request) {
      _exit(5);
    }
    turns.ChildIsReady();
    wire::JoinReply reply{};
    iovec part{&reply, sizeof reply};
    alignas(cmsghdr) char data[CMSG_SPACE(sizeof(int))];
    msghdr head{};
    head.msg_iov = &part;
    head.msg_iovlen = 1;
    head.msg_control = data;
    head.msg_controllen = sizeof data;
    if (recvmsg(socket.get(), &head, MSG_DONTWAIT) != sizeof reply) _exit(7);
    int memory = -1;
    std::memcpy(&memory, CMSG_DATA(CMSG_FIRSTHDR(&head)), sizeof memory);
    struct stat facts {};
    if (fstat(memory, &facts) != 0) _exit(8);
    if (write(answer[1], &facts.st_ino, sizeof facts.st_ino) != sizeof facts.st_ino) _exit(9);
    _exit(0);
  }
  turns.WaitForChild();
  bench.parts.perf_events.Receive();
  turns.LetChildGoOn();
  Wait(pid);
  ino_t inode = 0;
  REQUIRE(read(answer[0], &inode, sizeof inode) == sizeof inode);
  REQUIRE(bench.session.users() == 2);
  CHECK(inode == bench.session.memory(1).inode());
  CHECK(inode != bench.session.memory(0).inode());
  CHECK(bench.session.memory(1).user() == kNobody);
  CHECK(bench.session.memory(1).token() != bench.session.memory(0).token());
  CHECK(bench.session.memory(1).control().facts.spool_limit == 0);
  CHECK(bench.session.RegionCount() == 2 * wire::kMaxProcesses);
  close(answer[0]);
  close(answer[1]);
}

TEST_CASE("What all processes are told is told in every memory") {
  Session session = NewSession();
  REQUIRE(session.MemoryFor(kNobody) >= 0);
  session.SetPeriods(7);
  session.SetGpuLevel(wire::kLevelOff);
  session.EndSampling();
  for (size_t user = 0; user < 2; ++user) {
    const wire::ControlPage& page = session.memory(user).control();
    CHECK(page.periods == 7);
    CHECK(page.gpu_level == wire::kLevelOff);
    CHECK(page.sampling == 0);
    CHECK(page.over == 1);
  }
}

TEST_CASE("There are not more memories than users that a recording may have") {
  Session session = NewSession();
  for (uid_t user = 70000; user < 70000 + 2 * Session::kMaxUsers; ++user) session.MemoryFor(user);
  CHECK(session.users() == Session::kMaxUsers);
  CHECK(session.WithoutRegion() == static_cast<int64_t>(Session::kMaxUsers + 1));
}

TEST_CASE("Another user's processes say nothing of others") {
  Bench bench;
  const int memory = bench.session.MemoryFor(kNobody);
  REQUIRE(memory >= 0);
  auto& page = bench.session.memory(1).control();
  for (uint32_t i = 0; i < 1000; ++i) {
    wire::ProcessNote& note = page.note[i];
    note.kind = i % 2 == 0 ? wire::kNoteForked : wire::kNoteReaped;
    note.pid = static_cast<int32_t>(1 + i / 2);
    note.from = 1;
    note.cpu_ns = 1'000'000'000;
    note.sequence = i + 1;
  }
  page.notes = 1000;
  bench.table.Poll(bench.rows);
  CHECK(bench.table.missed_notes() == 1000);
  CHECK(bench.profile.processes.empty());
  CHECK(bench.table.AlivePids().empty());
}

TEST_CASE("Another user's processes have a share of each look and of the memory") {
  Profile profile;
  GpuRun gpu(profile);
  MarkerRun markers(profile);
  UserShares shares(profile, gpu, markers);
  constexpr size_t kOwn = 0, kOther = 1, kThird = 2;
  shares.BeginLook();
  {
    const UserShares::Account account(shares, kOther);
    usleep(UserShares::kMaxLookNs / 1000 + 1000);
    const std::string text(1 << 16, 'x');
    for (int i = 0; i < 1100; ++i) profile.Intern(text + std::to_string(i));
  }
  CHECK_FALSE(shares.HasTime(kOther));
  CHECK(shares.HasTime(kOwn));
  shares.AddEntries(kThird, UserShares::kMaxEntries + 1);
  CHECK(shares.EntriesLeft(kThird) == 0);
  CHECK(shares.EntriesLeft(kOther) == UserShares::kMaxEntries);
  CHECK(shares.EntriesLeft(kOwn) == SIZE_MAX);
  CHECK(shares.HasTime(kThird));
  CHECK(shares.IsLeftOut(kOther));
  CHECK_FALSE(shares.IsLeftOut(kThird));
  CHECK(shares.left_out() == 1);
  for (int i = 0; i < 4; ++i) {  // memory that is free again does not count
    shares.AddBytes(kThird, UserShares::kMaxBytes);
    shares.TakeBytes(kThird, UserShares::kMaxBytes);
  }
  CHECK_FALSE(shares.IsLeftOut(kThird));
  for (int i = 0; i < 100; ++i) {  // nor does what is kept no longer when its account ends
    std::optional<UserShares::Account> grows(std::in_place, shares, kThird);
    profile.ranges.resize(UserShares::kMaxBytes / sizeof(LoadRange) / 2);
    grows.reset();
    const UserShares::Account shrinks(shares, kThird);
    profile.ranges.clear();
  }
  CHECK_FALSE(shares.IsLeftOut(kThird));
  shares.AddAsked(kThird);
  shares.AddBytes(kThird, UserShares::kMaxBytes + 1);
  CHECK_FALSE(shares.IsLeftOut(kThird));
  shares.BeginLook();
  CHECK(shares.HasTime(kOther));
  CHECK(shares.IsLeftOut(kOther));
}

}  // namespace
}  // namespace gprofx
