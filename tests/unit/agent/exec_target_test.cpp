// What is known of a program before an exec, what is done about it, and the environment that it
// gets.
#include "samplers/agent/exec/exec_target.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "samplers/agent/confinement/unfit.h"

namespace gprofx::agent {
namespace {

using wire::Fitness;
using wire::NotSampled;

constexpr char kAgent[] = "/opt/lib/gprof-x/libgprofx-agent.so";

ExecFacts Fitting() {
  ExecFacts facts;
  facts.target = {true, Fitness::kFits, false, false};
  facts.preloaded = facts.session = facts.agent_opens = facts.reachable = true;
  return facts;
}

std::vector<std::string> Changed(std::vector<std::string> texts, const std::string& own) {
  std::vector<char*> environment;
  for (std::string& text : texts) environment.push_back(text.data());
  environment.push_back(nullptr);
  const EnvironmentFacts facts = ReadEnvironment(environment.data());
  REQUIRE(facts.preload != nullptr);
  std::vector<uint64_t> room(ChangedBytes(facts, own.c_str()) / 8 + 1);
  std::vector<std::string> out;
  for (char** at = WriteChanged(environment.data(), facts, own.c_str(), room.data());
       *at != nullptr; ++at) {
    out.emplace_back(*at);
  }
  return out;
}

std::vector<std::string> Stripped(std::vector<std::string> texts) {
  return Changed(std::move(texts), "");
}

class Folder {
 public:
  Folder() {
    char name[] = "/tmp/gprof-x-exec-XXXXXX";
    path_ = mkdtemp(name);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string Write(const std::string& name, const std::string& bytes, mode_t mode) const {
    const std::string path = path_ + "/" + name;
    std::ofstream(path, std::ios::binary) << bytes;
    chmod(path.c_str(), mode);
    return path;
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

TEST_CASE("A program that fits is started as it is, and not counted") {
  const ExecPlan plan = Decide(Fitting());
  CHECK_FALSE(plan.strip);
  CHECK_FALSE(plan.counted);
}

TEST_CASE("Only a program that our entry would hurt loses it") {
  const struct {
    Fitness fitness;
    bool strip;
    NotSampled reason;
  } kCases[] = {
      {Fitness::kStatic, false, NotSampled::kStatic},
      {Fitness::k32Bit, true, NotSampled::k32Bit},
      {Fitness::kOtherMachine, true, NotSampled::kOtherMachine},
      {Fitness::kOtherLibrary, true, NotSampled::kOtherLibrary},
      {Fitness::kSanitizer, true, NotSampled::kSanitizer},
  };
  for (const auto& c : kCases) {
    ExecFacts facts = Fitting();
    facts.target.fitness = c.fitness;
    const ExecPlan plan = Decide(facts);
    CHECK(plan.strip == c.strip);
    CHECK(plan.counted);
    CHECK(plan.reason == c.reason);
    facts.preloaded = false;
    CHECK_FALSE(Decide(facts).strip);
    CHECK(Decide(facts).reason == c.reason);
  }
}

TEST_CASE("What keeps a fitting program from being sampled has its own reason") {
  ExecFacts facts = Fitting();
  facts.agent_opens = false;
  CHECK(Decide(facts).strip);
  CHECK(Decide(facts).reason == NotSampled::kAgentHidden);
  facts = Fitting();
  facts.preloaded = false;
  CHECK(Decide(facts).reason == NotSampled::kCleared);
  facts = Fitting();
  facts.session = false;
  CHECK(Decide(facts).reason == NotSampled::kCleared);
  facts = Fitting();
  facts.reachable = false;
  CHECK(Decide(facts).reason == NotSampled::kUnreachable);
  CHECK_FALSE(Decide(facts).strip);
  facts = Fitting();
  facts.confined = true;
  CHECK(Decide(facts).reason == NotSampled::kConfined);
  facts = Fitting();
  facts.target.privileged = true;
  CHECK(Decide(facts).reason == NotSampled::kPrivileged);
  CHECK_FALSE(Decide(facts).strip);
}

TEST_CASE("A value of LD_PRELOAD that replaced ours gets our entries, one that is gone does not") {
  ExecFacts facts = Fitting();
  facts.preloaded = false;
  facts.replaced = true;
  CHECK(Decide(facts).add);
  CHECK_FALSE(Decide(facts).strip);
  CHECK_FALSE(Decide(facts).counted);
  for (bool ExecFacts::*need : {&ExecFacts::replaced, &ExecFacts::session, &ExecFacts::agent_opens,
                                &ExecFacts::reachable}) {
    ExecFacts without = facts;
    without.*need = false;
    CHECK_FALSE(Decide(without).add);
    CHECK(Decide(without).reason == NotSampled::kCleared);
  }
  for (const Fitness fitness :
       {Fitness::kStatic, Fitness::k32Bit, Fitness::kSanitizer, Fitness::kUnknown}) {
    facts.target.fitness = fitness;
    CHECK_FALSE(Decide(facts).add);
  }

  char own[kPathRoom];
  const std::string memory = "/opt/lib/gprof-x/libgprofx-memory.so";
  CopyOwnEntries((std::string(kAgent) + ":" + memory + ":/usr/lib/other.so").c_str(), own);
  CHECK(own == std::string(kAgent) + ":" + memory);
  CHECK(Changed({"A=1", "LD_PRELOAD=/lib/one.so /lib/two.so", "B=2"}, own) ==
        std::vector<std::string>{"A=1", "LD_PRELOAD=/lib/one.so:/lib/two.so:" + std::string(own),
                                 "B=2"});
  CopyOwnEntries(nullptr, own);
  CHECK(own[0] == 0);
  CopyOwnEntries((std::string(kPathRoom, 'x') + "/libgprofx-agent.so").c_str(), own);
  CHECK(own[0] == 0);
}

TEST_CASE("Who counts by itself is not counted twice") {
  ExecFacts facts = Fitting();
  facts.target.fitness = Fitness::kNoLibrary;  // the agent in it
  CHECK_FALSE(Decide(facts).counted);
  facts.preloaded = false;
  CHECK(Decide(facts).reason == NotSampled::kNoLibrary);
  facts = Fitting();
  facts.target.fitness = Fitness::kStatic;  // valgrind's tool: the agent in the program below it
  facts.valgrind = true;
  CHECK_FALSE(Decide(facts).counted);
}

TEST_CASE("A file that is not there changes nothing") {
  ExecFacts facts;
  facts.preloaded = true;
  CHECK_FALSE(Decide(facts).strip);
  CHECK_FALSE(Decide(facts).counted);
  // One that cannot be read still loses an entry that its loader could not open.
  facts.target.found = true;
  CHECK(Decide(facts).strip);
  facts.agent_opens = true;
  CHECK_FALSE(Decide(facts).strip);
}

TEST_CASE("Only our entry is taken out of LD_PRELOAD") {
  const std::string agent = kAgent;
  const std::string variable = "LD_PRELOAD=";
  using Texts = std::vector<std::string>;
  CHECK(Stripped({"A=1", variable + agent, "B=2"}) == Texts{"A=1", "B=2"});
  CHECK(Stripped({variable + agent + ":libx.so"}) == Texts{"LD_PRELOAD=libx.so"});
  CHECK(Stripped({variable + "libx.so " + agent}) == Texts{"LD_PRELOAD=libx.so"});
  CHECK(Stripped({variable + "a.so:" + agent + ":b.so", "Z="}) ==
        Texts{"LD_PRELOAD=a.so:b.so", "Z="});
  CHECK(Stripped({variable + agent + ":" + agent}).empty());
  CHECK(Stripped({variable + agent + ":/opt/lib/gprof-x/libgprofx-memory.so:b.so"}) ==
        Texts{"LD_PRELOAD=b.so"});
  CHECK(Stripped({variable + ":" + agent + ":"}).empty());
}

TEST_CASE("The environment says whether we are in it") {
  const auto read = [](std::vector<std::string> texts) {
    std::vector<char*> environment;
    for (std::string& text : texts) environment.push_back(text.data());
    environment.push_back(nullptr);
    const EnvironmentFacts facts = ReadEnvironment(environment.data());
    return std::vector<bool>{facts.agent != nullptr, facts.session, facts.valgrind};
  };
  CHECK(read({}) == std::vector<bool>{false, false, false});
  CHECK(read({"LD_PRELOAD=/x/notlibgprofx-agent.so"}) == std::vector<bool>{false, false, false});
  CHECK(read({"XLD_PRELOAD=/x/libgprofx-agent.so"}) == std::vector<bool>{false, false, false});
  CHECK(read({"GPROFX_SESSION=x", "LD_PRELOAD=a:/x/libgprofx-agent.so"}) ==
        std::vector<bool>{true, true, false});
  CHECK(read({"VALGRIND_LAUNCHER=/usr/bin/valgrind.bin"}) == std::vector<bool>{false, false, true});
  CHECK(ReadEnvironment(nullptr).entries == 0);
}

TEST_CASE("Programs are looked at through their scripts") {
  Folder folder;
  const std::string self = std::filesystem::read_symlink("/proc/self/exe");
  CHECK(LookAt(AT_FDCWD, self.c_str(), 0).fitness == Fitness::kFits);
  std::string narrow(64, '\0');
  narrow.replace(0, 5, "\177ELF\1");
  const std::string small = folder.Write("small", narrow, 0755);
  CHECK(LookAt(AT_FDCWD, small.c_str(), 0).fitness == Fitness::k32Bit);
  const std::string script = folder.Write("script", "#! " + small + " -x\n", 0755);
  CHECK(LookAt(AT_FDCWD, script.c_str(), 0).fitness == Fitness::k32Bit);
  const std::string loop = folder.Write("loop", "#!" + folder.path() + "/loop\n", 0755);
  CHECK_FALSE(LookAt(AT_FDCWD, loop.c_str(), 0).found);
  const std::string text = folder.Write("text", "echo\n", 0755);
  CHECK(LookAt(AT_FDCWD, text.c_str(), 0).fitness == Fitness::kUnknown);
  CHECK(LookAt(AT_FDCWD, text.c_str(), 0).found);
  CHECK_FALSE(LookAt(AT_FDCWD, (folder.path() + "/none").c_str(), 0).found);
  CHECK_FALSE(LookAt(AT_FDCWD, folder.path().c_str(), 0).found);

  const int inside = open(folder.path().c_str(), O_RDONLY | O_DIRECTORY);
  CHECK(LookAt(inside, "small", 0).fitness == Fitness::k32Bit);
  close(inside);
  const int file = open(small.c_str(), O_RDONLY);
  CHECK(LookAt(file, "", AT_EMPTY_PATH).fitness == Fitness::k32Bit);
  CHECK(lseek(file, 0, SEEK_CUR) == 0);
  close(file);
}

TEST_CASE("A pipe is not opened, which would wait for its other end") {
  Folder folder;
  const std::string pipe = folder.path() + "/pipe";
  REQUIRE(mkfifo(pipe.c_str(), 0700) == 0);
  CHECK_FALSE(LookAt(AT_FDCWD, pipe.c_str(), 0).found);
}

TEST_CASE("Every cut of a program's file is judged without harm") {
  std::ifstream self("/proc/self/exe", std::ios::binary);
  std::string head(4096, '\0');
  self.read(head.data(), static_cast<std::streamsize>(head.size()));
  Folder folder;
  for (size_t bytes = 0; bytes < head.size(); bytes += 97) {
    const std::string file = folder.Write("cut", head.substr(0, bytes), 0755);
    CHECK_FALSE(wire::MustNotPreload(LookAt(AT_FDCWD, file.c_str(), 0).fitness));
  }
}

TEST_CASE("Files are found as execvp finds them") {
  Folder folder;
  folder.Write("program", "x", 0755);
  folder.Write("text", "x", 0644);
  char room[kPathRoom];
  const std::string path = "/no/such:" + folder.path();
  CHECK(FindInPath("program", path.c_str(), room) == folder.path() + "/program");
  CHECK(FindInPath("text", path.c_str(), room) == nullptr);
  CHECK(FindInPath("", path.c_str(), room) == nullptr);
  CHECK(std::string(FindInPath("./any", path.c_str(), room)) == "./any");
  CHECK(FindInPath("sh", nullptr, room) != nullptr);
  CHECK(FindInPath(std::string(2 * kPathRoom, 'a').c_str(), path.c_str(), room) == nullptr);
}

TEST_CASE("This test runs on a processor, in a program with a C library") {
  if (getenv("RUNNING_UNDER_RR") != nullptr || UnderValgrind()) return;
  CHECK_FALSE(WhyLeaveAlone().has_value());
}

}  // namespace
}  // namespace gprofx::agent
