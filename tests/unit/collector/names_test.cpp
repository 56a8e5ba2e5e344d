#include "samplers/collector/processes/names.h"

#include <catch2/catch.hpp>

namespace gprofx {
namespace {

std::string Name(const std::vector<std::string>& command) {
  return ProcessName("/usr/bin/x", command);
}

TEST_CASE("A Python process is called by its script or module") {
  CHECK(Name({"python3", "train.py"}) == "train.py");
  CHECK(Name({"/opt/bin/python3.11", "-u", "/home/me/train.py", "--lr", "1"}) == "train.py");
  CHECK(Name({"python", "-m", "torch.distributed.run", "x.py"}) == "-m torch.distributed.run");
  CHECK(Name({"python", "-mpkg"}) == "-m pkg");
  CHECK(Name({"python3", "-c", "print(1)"}) == "python3 -c");
  CHECK(Name({"python3", "-Xdev", "-X", "importtime", "-W", "error", "a.py"}) == "a.py");
  CHECK(Name({"python3", "-uc", "x"}) == "python3 -c");
  CHECK(Name({"python3", "-Ic", "x"}) == "python3 -c");
  CHECK(Name({"python3", "--check-hash-based-pycs", "always", "a.py"}) == "a.py");
  CHECK(Name({"python3"}) == "python3");
  CHECK(Name({"python3", "-"}) == "python3");
  CHECK(Name({"python3", "-m"}) == "-m ");
  CHECK(Name({"pypy3", "a.py"}) == "a.py");
  CHECK(ProcessName("/usr/bin/python3.11", {"renamed", "a.py"}) == "a.py");
}

TEST_CASE("Other programs keep their own name") {
  CHECK(Name({"/bin/ls", "-l"}) == "ls");
  CHECK(Name({"-bash"}) == "bash");
  CHECK(Name({"python3-config", "--libs"}) == "python3-config");
  CHECK(ProcessName("/usr/bin/prog", {}) == "prog");
  CHECK(ProcessName("/usr/bin/prog", {""}) == "prog");
  CHECK(ProcessName("", {}) == "");
  CHECK(Name({"/"}) == "/");
}

TEST_CASE("Command lines are split at their NULs") {
  using std::string_literals::operator""s;
  CHECK(SplitCommand("a\0b c\0"s) == std::vector<std::string>{"a", "b c"});
  CHECK(SplitCommand("a\0\0b"s) == std::vector<std::string>{"a", "", "b"});
  CHECK(SplitCommand("").empty());
}

TEST_CASE("Command lines are shown as a shell takes them") {
  CHECK(JoinCommand({"python3", "a b.py", "--x=1"}) == "python3 'a b.py' --x=1");
  CHECK(JoinCommand({"echo", "it's", ""}) == "echo 'it'\\''s' ''");
  CHECK(JoinCommand({"echo", "$HOME", "a;b"}) == "echo '$HOME' 'a;b'");
}

TEST_CASE("The rank is read from the environment, and nothing but a number is believed") {
  const auto rank = [](std::string_view text) { return RankInEnvironment(text); };
  using namespace std::string_view_literals;
  CHECK(rank("A=1\0RANK=3\0LOCAL_RANK=3\0B=\0"sv) == "rank 3");
  CHECK(rank("LOCAL_RANK=1\0RANK=9\0"sv) == "rank 9 local 1");
  CHECK(rank("SLURM_PROCID=0\0OMPI_COMM_WORLD_RANK=5\0"sv) == "rank 5");
  CHECK(rank("SLURM_PROCID=2\0SLURM_LOCALID=0"sv) == "rank 2 local 0");
  CHECK(rank("XRANK=3\0RANKS=3\0RANK\0RANK_=4\0"sv).empty());
  CHECK(rank("RANK=\0"sv).empty());
  CHECK(rank("RANK=3;rm\0"sv).empty());
  CHECK(rank("RANK=12345678901\0"sv).empty());
  CHECK(rank("").empty());
}

}  // namespace
}  // namespace gprofx
