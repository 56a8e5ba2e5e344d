// Where the recorder's own time went.
#include "samplers/recorder/timers.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <stdexcept>

namespace gprofx {
using namespace recorder;
namespace {

TEST_CASE("a pass is timed by what was done in it, also when that throws") {
  PassTimers timers;
  CHECK(timers.Measure(Pass::kResolve, [] { return usleep(2000), 7; }) == 7);
  const HostNs once = timers[Pass::kResolve];
  CHECK(once >= 2'000'000);
  timers.Measure(Pass::kResolve, [] { usleep(1000); });
  CHECK(timers[Pass::kResolve] >= once + 1'000'000);
  CHECK_THROWS(timers.Measure(Pass::kSymbolize, [] {
    usleep(1000);
    throw std::runtime_error("x");
  }));
  CHECK(timers[Pass::kSymbolize] >= 1'000'000);
  CHECK(timers[Pass::kDrain] == 0);
}

TEST_CASE("each pass has an entry of its own, the last write has none yet") {
  PassTimers timers;
  for (size_t i = 0; i < kPasses; ++i) timers[static_cast<Pass>(i)] = 100 + static_cast<int>(i);
  std::map<std::string, std::string> meta;
  timers.Describe(meta);
  CHECK(meta.size() == kPasses - 1);
  CHECK(meta.at("recorder_ns_launch") == "100");
  CHECK(meta.at("recorder_ns_ingest") == "102");
  CHECK(meta.at("recorder_ns_gpu_attribution") == "108");
  CHECK(meta.count("recorder_ns_final_write") == 0);
}

}  // namespace
}  // namespace gprofx
