// What the tests of hostile processes share: a recording without a program, and a child that takes
// turns with the test.
#pragma once

#include <dirent.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <utility>
#include <vector>

#include "samplers/collector/processes/process_table.h"
#include "tests/unit/collector/fake_agent.h"

namespace gprofx::test {

inline constexpr uid_t kNobody = 65534;

inline Session NewSession() {
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

inline size_t OpenDescriptors() {
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

inline void Wait(pid_t pid) {
  int status = 0;
  waitpid(pid, &status, 0);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}

}  // namespace gprofx::test
