// Layers of backward work where records were made for a part of the time: the recording of a
// training with all of its records is the truth for what is left of it in windows.
#include <catch2/catch.hpp>
#include <random>
#include <set>
#include <string>

#include "core/levels/backward.h"
#include "core/steps/step_finders.h"
#include "tests/unit/formats/shared_profiles.h"

namespace gprofx {
namespace {

struct Told {
  size_t equal = 0, around = 0, unknown = 0, wrong = 0;
  size_t all() const { return equal + around + unknown + wrong; }
};

// `milliseconds`: how long windows with records are, and those without.
Told InWindows(const Profile& profile, const std::vector<PhaseOperation>& operations,
               double milliseconds, unsigned seed) {
  const Levels levels = FindLevels(profile);
  const OperationPaths truth = LayerPaths(profile, levels, operations, {});
  std::mt19937_64 random(seed);
  std::exponential_distribution<double> length(1 / (milliseconds * 1e6));
  HostNs first = INT64_MAX, last = 0;
  for (const PhaseOperation& operation : operations) {
    first = std::min(first, WhenLaunched(operation));
    last = std::max(last, WhenLaunched(operation));
  }
  std::vector<LevelWindow> all;
  std::set<ProcessId> processes;
  for (const PhaseOperation& operation : operations) {
    if (operation.thread) processes.insert(profile.thread(operation.thread).process);
  }
  // Records are made from the start until their cost is known.
  HostNs now = first + (last - first) / 4;
  all.push_back({first, now, 0, true, true, {}});
  for (bool traced = false; now < last; traced = !traced) {
    const HostNs end = now + 1 + static_cast<HostNs>(length(random));
    all.push_back({now, end, 0, true, traced, {}});
    now = end;
  }
  std::vector<LevelWindow> windows;
  for (LevelWindow window : all) {
    for (const ProcessId process : processes) {
      window.process = process;
      windows.push_back(window);
    }
  }
  std::vector<PhaseOperation> left;
  std::vector<size_t> places;
  for (size_t i = 0; i < operations.size(); ++i) {
    const HostNs time = WhenLaunched(operations[i]);
    for (const LevelWindow& window : all) {
      if (!window.traced || time < window.begin || time >= window.end) continue;
      left.push_back(operations[i]);
      places.push_back(i);
    }
  }
  const OperationPaths found = LayerPaths(profile, levels, left, windows);
  Told told;
  for (size_t i = 0; i < left.size(); ++i) {
    if (!left[i].node) continue;
    const NodeLevel& level = levels.at(left[i].node);
    const uint32_t is = truth.paths[places[i]], said = found.paths[i];
    const bool is_outside = is == 0 && truth.forwards[places[i]];
    if (!level.is_backward || level.layer_path != 0 || (is == 0 && !is_outside)) continue;
    if (is_outside) {
      ++(said != 0 ? told.wrong : found.forwards[i] ? told.equal : told.unknown);
      continue;
    }
    uint32_t above = is;
    while (above > said) above = levels.paths[above - 1].parent;
    ++(said == 0       ? told.unknown
       : said == is    ? told.equal
       : above == said ? told.around
                       : told.wrong);
  }
  return told;
}

}  // namespace

TEST_CASE("layers of backward work are the same in windows as in the whole recording") {
  test::ForSharedProfiles([&](const char* name, const Profile& profile, const GpuWorkEvents& work) {
    for (const double milliseconds : {8, 25, 80, 250}) {
      const Told told = InWindows(profile, work.operations, milliseconds, 7);
      INFO(name << ", windows of " << milliseconds << " ms: " << told.equal << " equal, "
                << told.around << " around, " << told.unknown << " unknown, " << told.wrong
                << " wrong");
      REQUIRE(told.all() > 1000);
      CHECK(told.wrong == 0);
      CHECK((told.equal + told.around) * 100 >= told.all() * 99);
    }
  });
}

}  // namespace gprofx
