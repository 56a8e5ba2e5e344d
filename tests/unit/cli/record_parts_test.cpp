// The small parts of gprof-x record: names of profiles, lines on the terminal, sentences.
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <map>

#include "cli/record/launch_advice.h"
#include "cli/record/lines.h"
#include "cli/record/output_name.h"

namespace gprofx {
using namespace record;
namespace {

using Texts = std::vector<std::string>;
constexpr int64_t kSecond = 1'000'000'000;

TEST_CASE("-o puts process, host, time and rank into the name") {
  const NameFacts facts{"12", "no/de", "20260102-030405", "3"};
  CHECK(*ExpandName("plain.gprofx", facts) == "plain.gprofx");
  CHECK(*ExpandName("a%p/%h.%t.%r%%", facts) == "a12/no_de.20260102-030405.3%");
  for (const char* wrong : {"%", "a%", "%x", "%P", "% p"}) {
    const auto name = ExpandName(wrong, facts);
    REQUIRE_FALSE(name.ok());
    CHECK_THAT(name.error().Text(), Catch::Contains("%p, %h, %t, %r"));
  }
}

TEST_CASE("the rank is the one of the innermost starter") {
  std::map<std::string, std::string> env;
  const auto look = [&](const char* name) {
    const auto found = env.find(name);
    return found == env.end() ? nullptr : found->second.c_str();
  };
  CHECK(RankIn(look).empty());
  env["SLURM_PROCID"] = "9";
  CHECK(RankIn(look) == "9");
  env["OMPI_COMM_WORLD_RANK"] = "5";
  CHECK(RankIn(look) == "5");
  for (const char* no_number : {"", "-1", "../../etc", "1 2", "99999999999999"}) {
    env["RANK"] = no_number;
    CHECK(RankIn(look) == "5");
  }
  env["RANK"] = "17";
  CHECK(RankIn(look) == "17");
}

TEST_CASE("on a terminal nothing is said while the program runs") {
  Texts said;
  const auto print = [&](const std::string& line) { said.push_back(line); };
  {
    Lines lines(Lines::Verbosity::kVerbose, true, print);
    lines.Say("before");
    CHECK(said == Texts{"gprof-x: before"});
    lines.ProgramRuns(true);
    lines.Say("trouble");
    lines.Tell("news");
    lines.Progress("1 s", kSecond);
    CHECK(said.size() == 1);
    lines.ProgramRuns(false);
    CHECK(said == Texts{"gprof-x: before", "gprof-x: trouble", "gprof-x: news"});
    lines.ProgramRuns(true);
    for (int i = 0; i < 250; ++i) lines.Say(std::to_string(i));
  }  // what is kept comes out at the latest here
  CHECK(said.size() == 3 + 100 + 1);
  CHECK(said.back() == "gprof-x: ... and 150 lines more");
}

TEST_CASE("where standard error is no terminal lines come at once, and -v tells how it goes") {
  Texts said;
  Lines lines(Lines::Verbosity::kVerbose, false,
              [&](const std::string& line) { said.push_back(line); });
  lines.ProgramRuns(true);
  lines.Say("trouble");
  CHECK(said.size() == 1);
  for (int second = 1; second <= 31; ++second) {
    lines.Progress(std::to_string(second) + " s", second * kSecond);
  }
  CHECK(said == Texts{"gprof-x: trouble", "gprof-x: 1 s", "gprof-x: 11 s", "gprof-x: 21 s",
                      "gprof-x: 31 s"});
}

TEST_CASE("-q leaves out what is only told, and without -v nobody is told how it goes") {
  for (const auto verbosity : {Lines::Verbosity::kQuiet, Lines::Verbosity::kUsual}) {
    Texts said;
    Lines lines(verbosity, false, [&](const std::string& line) { said.push_back(line); });
    lines.Say("trouble");
    lines.Tell("news");
    lines.Progress("1 s", kSecond);
    CHECK(said.size() == (verbosity == Lines::Verbosity::kQuiet ? 1 : 2));
  }
}

class File {
 public:
  File(const std::string& text, mode_t mode) {
    close(mkstemp(path_));
    std::ofstream(path_) << text;
    chmod(path_, mode);
  }
  ~File() { unlink(path_); }
  const char* path() const { return path_; }

 private:
  char path_[32] = "/tmp/gprof-x-test-XXXXXX";
};

TEST_CASE("why a program does not start is said as what it is") {
  const File lost("#! /no/such/interpreter -x\n", 0755), dos("#!/bin/sh\r\n", 0755);
  CHECK(WhyNotStarted(lost.path(), ENOENT) ==
        "its interpreter '/no/such/interpreter' does not exist; correct its first line");
  CHECK_THAT(WhyNotStarted(dos.path(), ENOENT), Catch::Contains("as on Windows"));
  const File text("hello", 0644);
  const File indirect(std::string("#!") + text.path() + "\n", 0755);
  CHECK(WhyNotStarted(indirect.path(), EACCES) ==
        "its interpreter '" + std::string(text.path()) + "' is not executable");
  // What is not known is not guessed.
  const File fine("#!/bin/sh\n", 0755), empty("#!", 0755), blank("#! \n", 0755);
  const File cut(std::string("\x7f") + "ELF\2\1\1", 0755);
  for (const File* file : {&fine, &empty, &blank, &cut, &text}) {
    CHECK(WhyNotStarted(file->path(), ENOENT) == "No such file or directory");
  }
  CHECK(WhyNotStarted(lost.path(), ENOEXEC) == "Exec format error");
  CHECK(WhyNotStarted("/no/such/file", ENOENT) == "No such file or directory");
}

TEST_CASE("threads without a timer are a sentence") {
  CHECK(MissingTimers(0, 0).empty());
  CHECK_THAT(MissingTimers(1, 0), Catch::StartsWith("1 thread has no sampling timer"));
  CHECK_THAT(MissingTimers(2000, 17), Catch::StartsWith("2,000 threads") && Catch::Contains("17"));
}

}  // namespace
}  // namespace gprofx
