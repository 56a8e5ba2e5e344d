// What a hostile process of a recording tries on the recorder and on others by way of it. Each test
// is an attack that worked once.
#include <arpa/inet.h>
#include <dirent.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>

#include "samplers/collector/drain/region_owner.h"
#include "samplers/collector/drain/wall.h"
#include "samplers/collector/processes/process_table.h"
#include "samplers/collector/processes/user_shares.h"
#include "samplers/wire/facts.h"
#include "tests/unit/collector/fake_agent.h"

namespace gprofx {
namespace {

using test::FakeAgent;
using test::OpenPerfEvent;
using test::PartsOf;
using test::Play;
using test::SendWith;

constexpr uid_t kNobody = 65534;

Session NewSession() {
  auto session = Session::Create({}, true);
  REQUIRE(session);
  return std::move(*session);
}

struct Bench {
  explicit Bench(bool wall = false)
      : session(NewSession()), parts(session, profile, wall), table(parts, true) {}
  Session session;
  Profile profile;
  RunParts parts;
  ProcessTable table;
  std::vector<SampleRow> rows;
};

size_t OpenDescriptors() {
  size_t count = 0;
  DIR* folder = opendir("/proc/self/fd");
  while (readdir(folder) != nullptr) ++count;
  closedir(folder);
  return count;
}

// Lets the child go on when it is told to, and the other way round.
class Turns {
 public:
  Turns() {
    REQUIRE(pipe(to_child_) == 0);
    REQUIRE(pipe(to_parent_) == 0);
  }
  ~Turns() {
    for (const int fd : {to_child_[0], to_child_[1], to_parent_[0], to_parent_[1]}) close(fd);
  }
  void ChildIsReady() const {
    char byte = 0;
    if (write(to_parent_[1], &byte, 1) != 1 || read(to_child_[0], &byte, 1) != 1) _exit(6);
  }
  void WaitForChild() const {
    char byte = 0;
    REQUIRE(read(to_parent_[0], &byte, 1) == 1);
  }
  void LetChildGoOn() const {
    char byte = 0;
    REQUIRE(write(to_child_[1], &byte, 1) == 1);
  }

 private:
  int to_child_[2], to_parent_[2];
};

void Wait(pid_t pid) {
  int status = 0;
  waitpid(pid, &status, 0);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("Messages without the secret are dropped at the sender") {
  Bench bench;
  const std::string name = PartsOf(bench.session.EnvironmentValue())[1];
  const UniqueFd null(open("/dev/null", O_RDONLY));
  const size_t before = OpenDescriptors();
  wire::PerfEventMessage message{};
  const uint64_t token = bench.session.memory(0).token();
  for (int i = 0; i < 3000; ++i) {
    message.secret = static_cast<uint64_t>(i) << 32 | static_cast<uint64_t>(i);
    message.token = token;
    // A queue that took them would be full after ten.
    REQUIRE(SendWith(name, message, {null.get(), null.get()}));
  }
  bench.parts.perf_events.Receive();
  CHECK(bench.parts.perf_events.refused() == 0);
  CHECK(OpenDescriptors() == before);
}

TEST_CASE("What the socket is called says nothing of secret and token") {
  // The name was once the token times this.
  const Session session = NewSession();
  const std::string name = PartsOf(session.EnvironmentValue())[1];
  const uint64_t shown = std::stoull(name.substr(name.rfind('-') + 1), nullptr, 16);
  constexpr uint64_t kInverse = 0xf1de83e19937733d;  // of 0x9e3779b97f4a7c15, modulo 2^64
  static_assert(kInverse * 0x9e3779b97f4a7c15 == 1);
  CHECK(shown * kInverse != session.memory(0).token());
  CHECK(shown != session.secret());
}

TEST_CASE(
    "Descriptors that are no perf events are not kept, and their sender is not believed again") {
  Bench bench;
  const size_t before = OpenDescriptors();
  const pid_t pid = Play(bench.session, [](FakeAgent& agent) {
    const int null = open("/dev/null", O_RDONLY);
    for (uint32_t slot = 0; slot < 8; ++slot) {
      const std::vector<int> many(30, null);
      if (!agent.Send(agent.Message(slot, 1), many)) _exit(7);
    }
    const int event = OpenPerfEvent();
    if (event >= 0 && !agent.Send(agent.Message(9, 1), {event})) _exit(7);
  });
  Wait(pid);
  bench.parts.perf_events.Receive();
  CHECK(bench.parts.perf_events.size() == 0);
  CHECK(bench.parts.perf_events.refused() >= PerfEvents::kMaxStrange);
  CHECK(bench.session.socket() >= 0);  // others are answered still
  for (int i = 0; i < 2000 && OpenDescriptors() > before; ++i) usleep(10'000);
  CHECK(OpenDescriptors() <= before);
}

// A connection whose last descriptor blocks for a minute when it is closed.
int LingeringSocket() {
  const UniqueFd listener(socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t bytes = sizeof address;
  if (bind(listener.get(), reinterpret_cast<sockaddr*>(&address), bytes) != 0 ||
      listen(listener.get(), 1) != 0 ||
      getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &bytes) != 0) {
    return -1;
  }
  const int out = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(out, reinterpret_cast<sockaddr*>(&address), bytes) != 0) return -1;
  // The other end stays in the queue and reads nothing.
  const linger wait{1, 60};
  setsockopt(out, SOL_SOCKET, SO_LINGER, &wait, sizeof wait);
  fcntl(out, F_SETFL, O_NONBLOCK);
  const std::vector<char> data(1 << 20);
  while (write(out, data.data(), data.size()) > 0) {
  }
  fcntl(out, F_SETFL, 0);
  return dup(listener.get()) < 0 ? -1 : out;  // the listener lives as long as the process
}

TEST_CASE("A socket that blocks when it is closed does not block the recorder") {
  Bench bench;
  const Turns turns;
  const pid_t pid = Play(bench.session, [&](FakeAgent& agent) {
    const int out = LingeringSocket();
    if (out < 0) _exit(8);
    if (!agent.Send(agent.Message(0, 1), {out})) _exit(7);
    close(out);  // ours is the last one that is not in the message
    turns.ChildIsReady();
  });
  turns.WaitForChild();
  const auto began = std::chrono::steady_clock::now();
  bench.parts.perf_events.Receive();
  CHECK(std::chrono::steady_clock::now() - began < std::chrono::seconds(20));  // closing takes 60
  CHECK(bench.parts.perf_events.refused() == 1);
  turns.LetChildGoOn();
  Wait(pid);
}

TEST_CASE("A perf event belongs to the process of its region") {
  if (!UniqueFd(OpenPerfEvent())) return;
  Bench bench;
  const Turns turns;
  const pid_t pid = Play(bench.session, [&](FakeAgent& agent) {
    agent.Ready();
    const UniqueFd event(OpenPerfEvent());
    if (!agent.Send(agent.Message(0, 1), {event.get()})) _exit(7);
    const pid_t other = fork();
    if (other == 0) {  // knows all that its parent knows
      for (uint32_t slot = 1; slot < 5; ++slot) {
        if (!agent.Send(agent.Message(slot, 1), {event.get()})) _exit(7);
      }
      _exit(0);
    }
    waitpid(other, nullptr, 0);
    turns.ChildIsReady();
  });
  turns.WaitForChild();
  bench.table.Poll(bench.rows);
  CHECK(bench.parts.perf_events.size() == 1);
  CHECK(bench.parts.perf_events.refused() == 4);
  turns.LetChildGoOn();
  Wait(pid);
}

// A process that has nothing to do with the recording, and knows whether it got the signal.
pid_t Bystander(const Turns& turns) {
  const pid_t pid = fork();
  if (pid != 0) return pid;
  sigset_t urgent;
  sigemptyset(&urgent);
  sigaddset(&urgent, wire::kAskSignal);
  sigprocmask(SIG_BLOCK, &urgent, nullptr);
  signal(wire::kAskSignal, [](int) {});
  turns.ChildIsReady();
  sigset_t pending;
  sigpending(&pending);
  _exit(sigismember(&pending, wire::kAskSignal) ? 1 : 0);
}

TEST_CASE("A process that a region names without being its own gets no signal") {
  Bench bench(true);
  const Turns of_bystander, of_liar;
  const pid_t bystander = Bystander(of_bystander);
  of_bystander.WaitForChild();
  const pid_t liar = Play(bench.session, [&](FakeAgent& agent) {
    agent.writer->Begin(bystander, getppid(), "/bin/fake", std::string("fake\0", 5));
    agent.writer->BeginThread(0, bystander, "fake");
    agent.MakeReady();
    of_liar.ChildIsReady();
  });
  of_liar.WaitForChild();
  WallSampler wall(1'000'000);
  for (int i = 0; i < 50; ++i) {
    bench.table.Poll(bench.rows);
    wall.Tick(bench.table, bench.session.Now(), bench.rows);
    usleep(2000);
  }
  CHECK(bench.table.unconfirmed() == 1);
  CHECK(bench.table.AlivePids().empty());
  CHECK(bench.profile.processes.size() == 1);  // what it wrote is junk, but it is there
  of_liar.LetChildGoOn();
  Wait(liar);
  of_bystander.LetChildGoOn();
  Wait(bystander);
}

TEST_CASE("A region that names a process which is recorded already does not end that") {
  Bench bench;
  const Turns of_honest, of_liar;
  const pid_t honest = Play(bench.session, [&](FakeAgent& agent) {
    agent.Ready();
    agent.writer->BeginThread(0, getpid(), "fake");
    of_honest.ChildIsReady();
  });
  of_honest.WaitForChild();
  bench.table.Poll(bench.rows);
  const pid_t liar = Play(bench.session, [&](FakeAgent& agent) {
    agent.writer->Begin(honest, getppid(), "/bin/fake", std::string("fake\0", 5));
    agent.MakeReady();
    of_liar.ChildIsReady();
  });
  of_liar.WaitForChild();
  bench.table.Poll(bench.rows);
  CHECK(bench.table.live().size() == 1);
  CHECK(bench.table.live()[0]->is_confirmed());
  CHECK(bench.session.RegionStateOf(0) == wire::kRegionReady);
  for (const auto& [pid, turns] : {std::pair{liar, &of_liar}, {honest, &of_honest}}) {
    turns->LetChildGoOn();
    Wait(pid);
  }
}

TEST_CASE("Heads that jump cost a bounded number of rows in each look") {
  Bench bench;
  constexpr uint32_t kRings = 384;
  const Turns turns;
  constexpr int kLooks = 4;
  const pid_t pid = Play(bench.session, [&](FakeAgent& agent) {
    agent.Ready();
    for (uint32_t slot = 0; slot < kRings; ++slot) agent.writer->BeginThread(slot, 100, "fake");
    for (int look = 0; look < kLooks; ++look) {
      for (uint32_t slot = 0; slot < kRings; ++slot) {
        agent.writer->ring(slot).grown = 1;
        agent.writer->ring(slot).head += wire::kMaxRingEntries;
      }
      turns.ChildIsReady();
    }
  });
  for (int look = 0; look < kLooks; ++look) {
    turns.WaitForChild();
    bench.rows.clear();
    bench.table.Poll(bench.rows);
    CHECK(bench.rows.size() <= size_t{1} << 18);
    CHECK(bench.rows.size() >= size_t{1} << 13);
    turns.LetChildGoOn();
  }
  Wait(pid);
}

TEST_CASE("Entries that one look leaves are read by the next ones, and none is lost") {
  Bench bench;
  constexpr uint32_t kRings = 24;
  const pid_t pid = Play(bench.session, [](FakeAgent& agent) {
    agent.Ready();
    for (uint32_t slot = 0; slot < kRings; ++slot) {
      agent.writer->BeginThread(slot, static_cast<int32_t>(100 + slot), "fake");
      agent.writer->ring(slot).grown = 1;
      for (uint32_t i = 0; i < wire::kMaxRingEntries; ++i) agent.writer->Push(slot, 5000, 0, 1);
      agent.writer->EndThread(slot, 6000);
    }
  });
  Wait(pid);
  size_t count = 0;
  for (int i = 0; i < 10; ++i) count += bench.table.Poll(bench.rows);
  CHECK(count == size_t{kRings} * wire::kMaxRingEntries);
  CHECK(bench.table.live().empty());
}

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

TEST_CASE("Answers that nobody takes keep nobody else from joining") {
  Bench bench;
  const std::string name = PartsOf(bench.session.EnvironmentValue())[1];
  const wire::JoinRequest request{bench.session.secret(), 0};
  std::vector<UniqueFd> greedy;
  const auto ask = [&](int socket) {
    test::Address to(name);
    return sendto(socket, &request, sizeof request, MSG_DONTWAIT,
                  reinterpret_cast<sockaddr*>(&to.address), to.bytes) == sizeof request;
  };
  const auto new_socket = [] {
    UniqueFd socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0));
    sockaddr_un own{};
    own.sun_family = AF_UNIX;
    REQUIRE(bind(socket.get(), reinterpret_cast<sockaddr*>(&own), sizeof own.sun_family) == 0);
    return socket;
  };
  for (int i = 0; i < 60; ++i) {
    greedy.push_back(new_socket());
    for (int k = 0; k < 10; ++k) {
      ask(greedy.back().get());
      bench.parts.perf_events.Receive();
    }
  }
  const UniqueFd honest = new_socket();
  REQUIRE(ask(honest.get()));
  bench.parts.perf_events.Receive();
  wire::JoinReply reply{};
  CHECK(recv(honest.get(), &reply, sizeof reply, MSG_DONTWAIT) == sizeof reply);
  CHECK(reply.secret == bench.session.secret());
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

TEST_CASE("Threads that a process makes up are opened a few at a time") {
  Bench bench;
  const Turns turns;
  const pid_t pid = Play(bench.session, [&](FakeAgent& agent) {
    agent.writer->Begin(getpid(), getppid(), "/bin/fake", std::string("fake\0", 5));
    agent.writer->header().pid = 1;  // in a PID namespace, it says
    for (uint32_t slot = 0; slot < wire::kMaxThreads; ++slot) {
      agent.writer->BeginThread(slot, static_cast<int32_t>(100'000 + slot), "x");
    }
    agent.MakeReady();
    turns.ChildIsReady();
  });
  turns.WaitForChild();
  bench.table.Poll(bench.rows);
  const size_t first = bench.profile.threads.size();
  CHECK(first > 0);
  CHECK(first <= 512);
  for (int i = 0; i < 10; ++i) bench.table.Poll(bench.rows);
  CHECK(bench.profile.threads.size() == wire::kMaxThreads);
  turns.LetChildGoOn();
  Wait(pid);
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

TEST_CASE("A mapping confirms a region, a name does not") {
  constexpr std::string_view kMaps =
      "55d0c8a0e000-55d0c8a10000 r--p 00000000 fe:01 12 /usr/bin/cat\n"
      "7f0000000000-7f0000020000 rw-s 00000000 00:01 2075 /memfd:gprof-x (deleted)\n"
      "7f0010000000-7f0011020000 rw-s 12340000 00:01 2075 /memfd:gprof-x (deleted)\n"
      "7f0020000000-7f0021000000 r--p 00000000 fe:01 13 /tmp/ 56780000 00:01 2075 x\n"
      "7ffd0c0f0000-7ffd0c111000 rw-p 00000000 00:00 0                          [stack]\n";
  const auto has = [&](uint64_t device, uint64_t inode, uint64_t offset) {
    return HasMapped(kMaps, {device, inode, offset});
  };
  CHECK(has(1, 2075, 0x12340000));
  CHECK_FALSE(has(1, 2075, 0x2340000));
  CHECK_FALSE(has(1, 207, 0x12340000));
  CHECK_FALSE(has(2, 2075, 0x12340000));
  CHECK_FALSE(has(1, 2075, 0x56780000));
  CHECK(has(1, 2075, 0x12340000 + 0x1000000));  // merged with what lies before it
  CHECK_FALSE(has(1, 2075, 0x12340000 + 0x1020000));
  CHECK_FALSE(HasMapped("", {1, 2075, 0}));
}

TEST_CASE("Facts that no collector writes are no recording's") {
  wire::SessionFacts facts{};
  facts.magic = wire::kMagic;
  facts.version = wire::kVersion;
  facts.control_bytes = wire::kControlBytes;
  facts.region_bytes = wire::kRegionBytes;
  facts.collector_pid = 1;
  facts.plan.nominal_period_ns = facts.plan.posix_period_ns = facts.plan.tick_ns = 4'000'000;
  const auto with = [&facts](auto change) {
    wire::SessionFacts changed = facts;
    change(changed);
    return wire::FactsAreUsable(changed);
  };
  CHECK(wire::FactsAreUsable(facts));
  CHECK_FALSE(with([](auto& f) { f.plan.posix_period_ns = 1; }));
  CHECK_FALSE(with([](auto& f) { f.plan.posix_period_ns = UINT64_MAX; }));
  CHECK_FALSE(with([](auto& f) { f.plan.tick_ns = 0; }));
  CHECK_FALSE(with([](auto& f) { f.plan.use_perf = 1; }));
  CHECK_FALSE(with([](auto& f) { f.plan.nominal_period_ns = 0; }));
  CHECK_FALSE(with([](auto& f) { f.start_ns = INT64_MIN; }));
  CHECK_FALSE(with([](auto& f) { f.gpu.mode = 99; }));
  CHECK_FALSE(with([](auto& f) { f.collector_pid = -1; }));
  CHECK(with([](auto& f) { f.plan.wall_clock = 1, f.plan.posix_period_ns = 0; }));
  CHECK(wire::BoundedPeriods(0) == 1);
  CHECK(wire::BoundedPeriods(UINT32_MAX) == wire::kMaxPeriodsOfSample);
}

}  // namespace
}  // namespace gprofx
