// Whose memory is read after a request was taken back: that of forked children, and of nobody else.
#include "samplers/attach/forked_children.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <string>
#include <vector>

namespace gprofx::testing {
using namespace gprofx::attach;
namespace {

// Writes its number to a pipe when `prepare` is done, then waits to be killed.
pid_t Fork(int out, const std::function<void()>& prepare) {
  const pid_t pid = fork();
  if (pid != 0) return pid;
  prepare();
  const pid_t own = getpid();
  if (write(out, &own, sizeof own) != sizeof own) _exit(1);
  while (true) pause();
}

void RunOther(int out) {
  const std::string text = "/proc/self/fd/" + std::to_string(out);
  execl("/bin/sh", "sh", "-c", "printf '\\0\\0\\0\\0' > \"$0\"; while :; do sleep 9; done",
        text.c_str(), nullptr);
  _exit(1);
}

}  // namespace

TEST_CASE("children count that run the same program for the same user, strangers do not") {
  int numbers[2];
  REQUIRE(pipe(numbers) == 0);
  // The process, its forked child, grandchild, a child that runs another program, and as root one
  // that became another user.
  const bool is_root = geteuid() == 0;
  const pid_t process = fork();
  if (process == 0) {
    setpgid(0, 0);
    const int out = numbers[1];
    Fork(out, [out] { Fork(out, [] {}); });
    Fork(out, [out] { RunOther(out); });
    if (is_root) {
      Fork(out, [] {
        if (setresuid(4242, 4242, 4242) != 0) _exit(1);
      });
    }
    while (true) pause();
  }
  const pid_t stranger = Fork(numbers[1], [] {});
  std::vector<pid_t> told;
  for (int i = 0; i < (is_root ? 5 : 4); ++i) {
    pid_t number = 0;
    REQUIRE(read(numbers[0], &number, sizeof number) == sizeof number);
    if (number != 0) told.push_back(number);
  }
  std::vector<pid_t> found;
  for (const ProcessHandle& child : ForkedChildrenOf(ProcessHandle(process))) {
    CHECK(child.is_there());
    found.push_back(child.pid());
  }
  CHECK(found.size() == 2);
  CHECK(std::find(found.begin(), found.end(), stranger) == found.end());
  for (const pid_t pid : found) CHECK(std::find(told.begin(), told.end(), pid) != told.end());
  kill(stranger, SIGKILL);
  kill(-process, SIGKILL);
  for (const pid_t pid : {stranger, process}) waitpid(pid, nullptr, 0);
  close(numbers[0]);
  close(numbers[1]);
  CHECK(ForkedChildrenOf(ProcessHandle(process)).empty());
}

}  // namespace gprofx::testing
