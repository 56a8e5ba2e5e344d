// Ways into a recording: the session variable, the memory through a part of it, the table of those
// that found none.
#include "samplers/agent/process/join.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "samplers/wire/remap.h"
#include "tests/unit/agent/emulator.h"
#include "tests/unit/agent/test_session.h"

namespace gprofx::agent {
namespace {

TEST_CASE("The session variable has a path, a socket and a secret") {
  SessionName name;
  REQUIRE(ParseSessionName("/proc/1/fd/3@gprof-x-1-ab@00000000000000ff", &name));
  CHECK(std::string(name.path) == "/proc/1/fd/3");
  CHECK(std::string(name.socket_name) == "gprof-x-1-ab");
  CHECK(name.secret == 255);
  CHECK(std::string(name.spool).empty());
  REQUIRE(ParseSessionName("/proc/1/fd/3@gprof-x-1-ab@ff@", &name));
  CHECK(std::string(name.spool).empty());
  REQUIRE(ParseSessionName("/proc/1/fd/3@gprof-x-1-ab@ff@17", &name));
  CHECK(std::string(name.spool) == "/proc/1/fd/17");
  CHECK(name.secret == 255);
  CHECK_FALSE(ParseSessionName("/proc/1/fd/3@gprof-x-1-ab@ff@1/../../etc", &name));
  CHECK_FALSE(ParseSessionName("/proc/1/fd/3@gprof-x-1-ab@ff@1@2", &name));
  REQUIRE(ParseSessionName("/proc/1/fd/3", &name));
  CHECK(std::string(name.socket_name).empty());
  CHECK(name.secret == 0);
  CHECK_FALSE(ParseSessionName("", &name));
  CHECK_FALSE(ParseSessionName("proc", &name));
  CHECK_FALSE(ParseSessionName("/proc@x@12g", &name));
  CHECK_FALSE(ParseSessionName(("/" + std::string(100, 'a')).c_str(), &name));
  CHECK_FALSE(ParseSessionName(("/a@" + std::string(100, 'a')).c_str(), &name));
}

TEST_CASE("A collector that is not there is not waited for") {
  SessionName name;
  REQUIRE(ParseSessionName("/no/such/file@gprof-x-no-such-socket@1", &name));
  const int64_t before = MonotonicNs();
  int64_t pid = 0;
  CHECK(AskCollector(name, &pid) == -1);
  CHECK_FALSE(CanReach(name));
  CHECK(MonotonicNs() - before < 2'000'000'000);  // one that is there is waited for for longer
}

TEST_CASE("A part of the memory leads to every other") {
  if (LacksSecondMapping()) return;
  TestMemory memory;
  const uint64_t at = wire::RegionOffset(wire::kMaxProcesses - 1);
  auto* header = static_cast<wire::ProcessHeader*>(
      wire::MapThrough(&memory.control(), at, wire::kHeaderBytes));
  REQUIRE(header != nullptr);
  header->pid = 4711;
  const int fd = open(memory.Path().c_str(), O_RDWR | O_CLOEXEC);
  int64_t pid = 0;
  CHECK(pread(fd, &pid, sizeof pid, static_cast<off_t>(at)) == sizeof pid);
  CHECK(pid == 4711);
  close(fd);
  munmap(header, wire::kHeaderBytes);
}

TEST_CASE("A fork child that may open nothing has its region") {
  if (LacksSecondMapping()) return;
  TestMemory memory;
  const pid_t child = fork();
  if (child == 0) {
    static Session session;
    if (!session.Join(memory.Path().c_str())) _exit(2);
    const pid_t grandchild = fork();
    if (grandchild == 0) {
      for (int fd = 0; fd < 64; ++fd) close(fd);
      if (geteuid() == 0 && (chroot("/sys") != 0 || setuid(65534) != 0)) _exit(3);
      _exit(session.Rejoin() ? 0 : 4);
    }
    int status = 0;
    waitpid(grandchild, &status, 0);
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 9);
  }
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(memory.control().region_state[1].load() == wire::kRegionReady);
}

TEST_CASE("Programs are counted by reason and name, by many at once") {
  static wire::NotSampledTable table;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([] {
      for (int i = 0; i < 1000; ++i) {
        CountNotSampled(table, wire::NotSampled::kStatic, i % 2 == 0 ? "/bin/a" : "b");
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  int64_t sum = 0, a = 0;
  for (const wire::NotSampledRow& row : table.rows) {
    sum += row.count.load();
    if (std::strcmp(row.name, "a") == 0) a += row.count.load();
  }
  CHECK(sum == 4000);
  CHECK(a == 2000);
}

TEST_CASE("What finds no row is counted without a name, and can be taken back") {
  static wire::NotSampledTable table;
  for (uint32_t i = 0; i < wire::kNotSampledRows + 10; ++i) {
    CountNotSampled(table, wire::NotSampled::k32Bit, std::to_string(i).c_str());
  }
  const auto reason = static_cast<uint32_t>(wire::NotSampled::k32Bit);
  CHECK(table.unnamed[reason].load() == 10);
  CountNotSampled(table, wire::NotSampled::k32Bit, "more")->fetch_sub(1);
  CHECK(table.unnamed[reason].load() == 10);
  CountNotSampled(table, wire::NotSampled::k32Bit, nullptr);
  CHECK(table.unnamed[reason].load() == 11);
}

}  // namespace
}  // namespace gprofx::agent
