#include "samplers/attach/python/find_command.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

using namespace gprofx;
using namespace gprofx::attach;

namespace {

const std::vector<RunningCommand> kRunning = {
    {10, 1, "bash"},
    {11, 10, "/usr/bin/python3 /home/me/train.py --lr 0.1"},
    {12, 11, "/usr/bin/python3 /home/me/train.py --lr 0.1"},  // a worker of 11
    {13, 10, "/usr/bin/python3 pretrain.py"},
    {14, 13, "sleep 5"},
};

}  // namespace

TEST_CASE("the process with the words in its command line is chosen, and not its workers") {
  CHECK(*ChooseCommand(kRunning, "train.py", 1) == 11);
  CHECK(*ChooseCommand(kRunning, "train.py --lr", 1) == 11);
  CHECK(*ChooseCommand(kRunning, "python3 pretrain.py", 1) == 13);
}

TEST_CASE("several processes are listed, none is said so") {
  const auto several = ChooseCommand(kRunning, "python3", 1);
  REQUIRE(!several);
  CHECK(several.error().what.find("2 processes run 'python3'") == 0);
  CHECK(several.error().what.find("11 /usr/bin/python3 /home/me/train.py") != std::string::npos);
  CHECK(several.error().what.find("; 13 ") != std::string::npos);
  CHECK(several.error().fix == "choose one with --pid");
  CHECK(ChooseCommand(kRunning, "rain.py", 1).error().what == "no process runs 'rain.py'");
  CHECK(!ChooseCommand(kRunning, "train", 1));
  CHECK(!ChooseCommand(kRunning, "", 1));
}

TEST_CASE("secrets of the listed processes are masked") {
  const std::string command("serve\0--lr=1\0--token\0q7zk9 q7zk9\0xxx", 36);
  const auto several = ChooseCommand({{1, 0, command}, {2, 0, command}}, "serve --lr=1", 3);
  REQUIRE(!several);
  CHECK(several.error().what.find("q7zk9") == std::string::npos);
  CHECK(several.error().what.find("1 serve --lr=1 --token *** xxx") != std::string::npos);
}

TEST_CASE("whoever began us is not meant, though its command line has the words") {
  std::vector<RunningCommand> running = kRunning;
  running.push_back({20, 10, "timeout 9 gprof-x record --attach train.py"});
  CHECK(!ChooseCommand(running, "train.py", 1));
  CHECK(*ChooseCommand(running, "train.py", 20) == 11);
  const auto own = ChooseCommand(running, "timeout 9", 20);
  REQUIRE(!own);
  CHECK(own.error().what == "only ancestors of gprof-x run 'timeout 9'");
  CHECK(own.error().fix == "to record one of them, use --pid 20");
  CHECK(!ChooseCommand({{5, 6, "a"}, {6, 5, "b"}}, "a", 5));
}

TEST_CASE("a family is a process and its descendants, also where numbers go in a circle") {
  std::vector<int64_t> family = FamilyOf(kRunning, 10);
  CHECK(family[0] == 10);
  std::sort(family.begin(), family.end());
  CHECK(family == std::vector<int64_t>{10, 11, 12, 13, 14});
  CHECK(FamilyOf({{5, 6, "a"}, {6, 5, "b"}}, 5) == std::vector<int64_t>{5, 6});
}

TEST_CASE("a family of thousands is found at once") {
  std::vector<RunningCommand> running;
  for (int64_t i = 0; i < 20000; ++i) running.push_back({100 + i, i % 2 == 0 ? 10 : 99 + i, ""});
  CHECK(FamilyOf(running, 10).size() == 20001);  // takes hours if each is sought among all
}

TEST_CASE("what runs is held when it was chosen") {
  CHECK_FALSE(FindCommand("no process has these words", 1));
  const std::string own = "chosen-by-a-test-" + std::to_string(getpid());
  const pid_t child = fork();
  if (child == 0) {
    execl("/bin/sleep", own.c_str(), "60", nullptr);
    _exit(1);
  }
  Result<ProcessHandle> found = Error{ErrorId::kNoSuchProcess, ""};
  for (int i = 0; i < 20000 && !found; ++i) {
    usleep(1000);
    found = FindCommand(own, getppid());
  }
  REQUIRE(found);
  CHECK(found->pid() == child);
  CHECK(found->is_there());
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  CHECK_FALSE(found->is_there());
}
