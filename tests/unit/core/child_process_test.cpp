// Children are reaped, killed with their owner, and started with the descriptors that were asked
// for.
#include "core/base/child_process.h"

#include <sys/wait.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <chrono>

#include "core/base/command_output.h"
#include "core/base/file_io.h"

using namespace gprofx;

namespace {

ChildProcess Sleeper() {
  Spawn spawn;
  pid_t pid = 0;
  REQUIRE(spawn.Start("/bin/sleep", {"sleep", "60"}, pid) == 0);
  return ChildProcess(pid);
}

bool IsChild(pid_t pid) {  // running or not reaped
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

}  // namespace

TEST_CASE("a child is killed and reaped with its owner") {
  pid_t pid = 0;
  {
    const ChildProcess child = Sleeper();
    pid = child.pid();
    CHECK(IsChild(pid));
  }
  CHECK_FALSE(IsChild(pid));
}

TEST_CASE("an owner that is assigned another child ends its own") {
  ChildProcess child = Sleeper();
  const pid_t first = child.pid();
  child = Sleeper();
  CHECK_FALSE(IsChild(first));
  CHECK(IsChild(child.pid()));
  CHECK_FALSE(child.HasEnded());
  child.End();
  CHECK(child.HasEnded());
}

TEST_CASE("the status of a child is told once") {
  Spawn spawn;
  pid_t pid = 0;
  REQUIRE(spawn.Start("/bin/sh", {"sh", "-c", "exit 3"}, pid) == 0);
  ChildProcess child(pid);
  const std::optional<int> status = child.Wait();
  REQUIRE(status);
  CHECK(WEXITSTATUS(*status) == 3);
  CHECK_FALSE(Succeeded(status));
  CHECK_FALSE(child);
  CHECK_FALSE(child.Wait());
}

TEST_CASE("a program gets the descriptors and the folder that it shall have") {
  Pipe pipe = MakePipe();
  Spawn spawn;
  spawn.Null(STDIN_FILENO);
  spawn.Duplicate(pipe.in.get(), STDOUT_FILENO);
  spawn.ChangeFolder("/usr");
  spawn.MakeSession();
  pid_t pid = 0;
  const char* const script = "cat; pwd; test $(ps -o sid= -p $$) = $$ && echo leads";
  REQUIRE(spawn.Start("/bin/sh", {"sh", "-c", script}, pid) == 0);
  ChildProcess child(pid);
  pipe.in.Reset();
  char text[64] = {};
  ReadUpTo(pipe.out.get(), text, sizeof text - 1);
  CHECK(text == std::string("/usr\nleads\n"));
}

TEST_CASE("what cannot be started says why") {
  Spawn spawn;
  pid_t pid = 0;
  CHECK(spawn.Start("/no/such/program", {"program"}, pid) == ENOENT);
  CHECK_FALSE(RunCommand({"/no/such/program"}, 1000));
}

TEST_CASE("a command that prints too much or takes too long is killed") {
  const auto begin = std::chrono::steady_clock::now();
  const auto endless = RunCommand({"/bin/sh", "-c", "while :; do echo more; done"}, 60'000);
  REQUIRE(endless);
  CHECK(endless->was_killed);
  CHECK_FALSE(endless->succeeded);
  const auto slow = RunCommand({"/bin/sh", "-c", "echo now; exec sleep 60"}, 100);
  REQUIRE(slow);
  CHECK(slow->was_killed);
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(30));
  const auto failed =
      RunCommand({"/bin/sh", "-c", "echo told; echo lost >&2; exit 1"}, 60'000, {100, false});
  REQUIRE(failed);
  CHECK(failed->output == "told\n");
  CHECK_FALSE(failed->was_killed);
  CHECK_FALSE(failed->succeeded);
}
