#include "samplers/recorder/file_readers.h"

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>

namespace gprofx {
using namespace recorder;
namespace {

const ProcessUser kRoot{0, 0}, kAlice{1000, 1001}, kBob{2000, 2000};
constexpr ModuleId kLibc{1}, kOfRoot{2}, kOfAlice{3}, kOfBob{4}, kOfNone{5};

// Processes with these users: all have libc, the first, second and third one more each.
Profile With(size_t processes) {
  Profile raw;
  raw.modules.resize(5);
  for (uint32_t i = 1; i <= processes; ++i) {
    raw.ranges.push_back({ProcessId{i}, kLibc, 0, 0, 1});
    if (i <= 3) raw.ranges.push_back({ProcessId{i}, ModuleId{i + 1}, 0, 0, 1});
  }
  return raw;
}

const FileReader kAsAlice{1000, 1001}, kAsBob{2000, 2000};

TEST_CASE("a module is opened with the rights of who has mapped it") {
  const FileReaders readers(With(3), {kRoot, kAlice, kBob}, 0);
  CHECK(readers.Of(kOfRoot) == std::nullopt);
  CHECK(readers.Of(kOfAlice) == kAsAlice);
  CHECK(readers.Of(kOfBob) == kAsBob);
  CHECK(readers.Of(kLibc) == kAnybody);
  CHECK(readers.Of(kOfNone) == kAnybody);
  CHECK(readers.Of(ModuleId{}) == kAnybody);
  CHECK(readers.OfAll() == kAnybody);
}

TEST_CASE("programs of one user alone are read with his rights") {
  const FileReaders readers(With(2), {kAlice, kAlice}, 0);
  for (const ModuleId module : {kLibc, kOfRoot, kOfAlice, kOfNone, ModuleId{}}) {
    CHECK(readers.Of(module) == kAsAlice);
  }
  CHECK(readers.OfAll() == kAsAlice);
}

TEST_CASE("a recorder reads its own user's programs as itself") {
  for (const uid_t own : {0u, 1000u}) {
    const ProcessUser user{own, own};
    const FileReaders readers(With(2), {user, user}, own);
    CHECK(readers.Of(kLibc) == std::nullopt);
    CHECK(readers.OfAll() == std::nullopt);
  }
  // An ordinary user has no other rights to give.
  CHECK(FileReaders(With(1), {kBob}, 1000).OfAll() == std::nullopt);
}

TEST_CASE("a process whose groups are not known takes those of its user's other processes") {
  const ProcessUser gone{1000, kAnybody.group};
  for (const ProcessUsers& users : {ProcessUsers{gone, kAlice}, ProcessUsers{kAlice, gone}}) {
    const FileReaders readers(With(2), users, 0);
    CHECK(readers.Of(kOfRoot) == kAsAlice);
    CHECK(readers.Of(kLibc) == kAsAlice);
    CHECK(readers.OfAll() == kAsAlice);
  }
  CHECK(FileReaders(With(1), {gone}, 0).OfAll() == FileReader{1000, kAnybody.group});
}

TEST_CASE("a user's files are read with the groups that all of his processes have") {
  const ProcessUser one{1000, 1001, {5, 7, 9}}, other{1000, 1001, {3, 7, 9}}, third{1000, 8, {9}};
  CHECK(FileReaders(With(1), {one}, 0).OfAll() == FileReader{1000, 1001, {5, 7, 9}});
  CHECK(FileReaders(With(2), {one, other}, 0).OfAll() == FileReader{1000, 1001, {7, 9}});
  CHECK(FileReaders(With(3), {one, other, third}, 0).OfAll() ==
        FileReader{1000, kAnybody.group, {9}});
  // Another user's groups do not matter.
  CHECK(FileReaders(With(2), {one, kBob}, 0).Of(kOfRoot) == FileReader{1000, 1001, {5, 7, 9}});
}

TEST_CASE("a process that was gone too early is anybody's where there are other users") {
  const FileReaders alone(With(2), {kRoot, std::nullopt}, 0);
  CHECK(alone.Of(kOfAlice) == std::nullopt);
  const FileReaders mixed(With(3), {kRoot, std::nullopt, kAlice}, 0);
  CHECK(mixed.Of(kOfRoot) == std::nullopt);
  CHECK(mixed.Of(kOfAlice) == kAnybody);
  CHECK(mixed.Of(kOfBob) == kAsAlice);
  CHECK(mixed.OfAll() == kAnybody);
  // What a known process has mapped as well is read for that one.
  Profile shared = With(3);
  shared.ranges.push_back({ProcessId{2}, kOfRoot, 0, 0, 1});
  shared.ranges.push_back({ProcessId{2}, kOfBob, 0, 0, 1});
  const FileReaders readers(shared, {kRoot, std::nullopt, kAlice}, 0);
  CHECK(readers.Of(kOfRoot) == std::nullopt);
  CHECK(readers.Of(kOfBob) == kAsAlice);
  CHECK(readers.Of(kOfAlice) == kAnybody);
  CHECK(readers.Of(kOfNone) == kAnybody);
  // Fewer users than processes: the same.
  CHECK(FileReaders(With(3), {kAlice}, 0).Of(kOfBob) == kAnybody);
}

TEST_CASE("the user of a process is that of its status") {
  const std::string ids = "Name:\tx\nUid:\t1000\t0\t0\t0\nGid:\t1001\t0\t0\t0\nFDSize:\t64\n";
  const auto user = UserInStatus(ids + "Groups:\t20 9 \n");
  REQUIRE(user);
  CHECK(*user == ProcessUser{1000, 1001, {9, 20}});
  CHECK(UserInStatus(ids) == kAlice);
  CHECK_FALSE(UserInStatus("Name:\tUid:\nGid:\t1\n"));
  CHECK_FALSE(UserInStatus(""));
}

TEST_CASE("sources are read of processes with our rights that see our files") {
  const std::vector<std::optional<bool>> sees = {true, true, std::nullopt, false, true};
  const ProcessUsers users = {kRoot, kAlice, kRoot, kRoot, std::nullopt};
  CHECK(ReadableSources(6, users, sees, 0) ==
        std::vector<bool>{true, false, false, false, false, false});
  // An ordinary user's recorder reads only what that user may read.
  CHECK(ReadableSources(6, users, sees, 1000) ==
        std::vector<bool>{true, true, true, false, true, true});
}

TEST_CASE("a process after chroot or in other mounts does not see our files") {
  CHECK(SeesOurFiles(getpid()) == true);
  CHECK(SeesOurFiles(0x7fffffff) == std::nullopt);
  if (geteuid() != 0) return;
  for (const bool changes_root : {false, true}) {
    int ready[2];
    REQUIRE(pipe(ready) == 0);
    const pid_t child = fork();
    if (child == 0) {
      const bool done = changes_root ? chroot("/usr") == 0 : unshare(CLONE_NEWNS) == 0;
      if (write(ready[1], done ? "y" : "n", 1) == 1) pause();
      _exit(0);
    }
    char answer = 'n';
    REQUIRE(read(ready[0], &answer, 1) == 1);
    if (answer == 'y') CHECK(SeesOurFiles(child) == false);  // a container may forbid both
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    close(ready[0]);
    close(ready[1]);
  }
}

}  // namespace
}  // namespace gprofx
