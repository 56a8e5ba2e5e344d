// A recording as its caller sees it: events in their order, an exit status, a file. Without the
// agent: no samples are needed for that.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <variant>
#include <vector>

#include "formats/profile/profile_db.h"
#include "samplers/recorder/recorder.h"

namespace gprofx {
using namespace recorder;
namespace {

class Ears : public Listener {
 public:
  void Tell(const Event& event) override { events.push_back(event); }
  std::string Tell(const Problem& problem) override {
    problems.push_back(problem);
    return "problem " + std::to_string(problem.index());
  }
  template <class Kind>
  const Kind& Only() const {
    const Kind* found = nullptr;
    for (const Event& event : events) {
      if (const auto* one = std::get_if<Kind>(&event)) {
        CHECK(found == nullptr);
        found = one;
      }
    }
    REQUIRE(found != nullptr);
    return *found;
  }

  std::vector<Event> events;
  std::vector<Problem> problems;
};

struct Bench {
  Bench() {
    REQUIRE(mkdtemp(folder) != nullptr);
    options.output = std::string(folder) + "/p.gprofx";
    options.gpu.choice = GpuChoice::kOff;
    options.use_cache = false;
  }
  ~Bench() { std::filesystem::remove_all(folder); }

  char folder[32] = "/tmp/gprof-x-test-XXXXXX";
  RecordOptions options;
  Ears ears;
};

TEST_CASE("a command that cannot be started is told as what it is, and no profile is made") {
  Bench bench;
  bench.options.command = {"/no/such/program"};
  CHECK(Record(bench.options, bench.ears) == kStatusNotFound);
  CHECK_FALSE(bench.ears.Only<event::CannotStart>().found);

  Ears text;
  const std::string file = std::string(bench.folder) + "/text";
  std::ofstream(file) << "hello";
  bench.options.command = {file};
  CHECK(Record(bench.options, text) == kStatusNotExecutable);
  CHECK(text.Only<event::CannotStart>().exec_errno == 0);

  Ears script;
  std::ofstream(file) << "#!/no/such/interpreter\n";
  std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  CHECK(Record(bench.options, script) == kStatusNotFound);
  CHECK(script.Only<event::CannotStart>().exec_errno == ENOENT);
  CHECK(script.Only<event::CannotStart>().program == file);
  CHECK_FALSE(std::filesystem::exists(bench.options.output));
}

TEST_CASE("a recording tells its course, ends with the program's status and leaves a whole file") {
  Bench bench;
  bench.options.command = {"sh", "-c", "exit 3"};
  CHECK(Record(bench.options, bench.ears) == 3);
  const auto& events = bench.ears.events;
  REQUIRE(events.size() == 4);
  CHECK(std::get<event::ProgramRuns>(events[0]).runs);
  CHECK_FALSE(std::get<event::ProgramRuns>(events[1]).runs);
  CHECK(std::holds_alternative<event::Naming>(events[2]));
  const auto& end = std::get<event::Finished>(events[3]);
  CHECK(end.output == bench.options.output);
  CHECK(end.samples == 0);
  CHECK(end.timers[Pass::kLaunch] > 0);
  CHECK(end.timers[Pass::kFinalWrite] > 0);
  const Result<Profile> profile = LoadProfile(bench.options.output);
  REQUIRE(profile);
  CHECK(profile->meta.at("complete") == "yes");
  CHECK(profile->meta.at("exit_status") == "3");
  for (const char* name : kPassNames) {
    INFO(name);
    const std::string ns = profile->meta.at(std::string("recorder_ns_") + name);
    CHECK((ns != "0" || std::string(name) == "gpu_attribution" || std::string(name) == "ingest"));
  }
}

TEST_CASE("a file of GPROFX_RAW that cannot be written is told and costs nothing else") {
  Bench bench;
  bench.options.command = {"true"};
  setenv("GPROFX_RAW", "/no/such/folder/raw", 1);
  CHECK(Record(bench.options, bench.ears) == 0);
  unsetenv("GPROFX_RAW");
  CHECK_THAT(bench.ears.Only<event::Failed>().error.what, Catch::Contains("/no/such/folder/raw"));
  CHECK(LoadProfile(bench.options.output)->meta.at("complete") == "yes");
}

TEST_CASE("the name that another recording took is told") {
  Bench bench;
  const auto other = ClaimProfile({bench.options.output, true, false});
  REQUIRE(other);
  bench.options.command = {"true"};
  CHECK(Record(bench.options, bench.ears) == 0);
  const auto& name = bench.ears.Only<event::OtherName>();
  CHECK(name.asked == bench.options.output);
  CHECK(name.taken == std::string(bench.folder) + "/p.1.gprofx");
  CHECK(LoadProfile(name.taken)->meta.at("complete") == "yes");
  bench.options.named = true;
  Ears refused;
  CHECK(Record(bench.options, refused) == kStatusFailed);
  CHECK_THAT(refused.Only<event::Failed>().error.what, Catch::Contains("another recording"));
}

TEST_CASE("a listener that throws ends the recording, not the program") {
  class Deaf : public Ears {
   public:
    void Tell(const Event& event) override {
      Ears::Tell(event);
      if (std::holds_alternative<event::ProgramRuns>(event)) throw std::bad_alloc();
    }
    using Ears::Tell;
  };
  Bench bench;
  const std::string proof = std::string(bench.folder) + "/proof";
  bench.options.command = {"sh", "-c", "sleep 0.3; touch '" + proof + "'; exit 5"};
  Deaf deaf;
  CHECK(Record(bench.options, deaf) == 5);
  CHECK(deaf.Only<event::BrokenOff>().reason == "out of memory");
  CHECK(deaf.Only<event::BrokenOff>().runs);
  CHECK(std::filesystem::exists(proof));
}

}  // namespace
}  // namespace gprofx
