#include "cli/report/corrected.h"

#include <string>

#include "cli/report/quality_text.h"
#include "core/views/quality.h"

namespace gprofx {
namespace {

// Beyond these a figure is a broken file, no measurement: half the time, a thousand times the time.
constexpr int64_t kLeastPpm = -500'000, kMostPpm = 1'000'000'000;

const char* WayOut(OwnCostState state) {
  switch (state) {
    case OwnCostState::kNotAsked:
      return "record it with --overhead 5";
    case OwnCostState::kNoLaunches:
      return "its times are shown without --corrected only";
    case OwnCostState::kFewWindows:
    case OwnCostState::kUncertain:
      return "record a longer run";
    default:
      return "record the program with 'gprof-x record --overhead 5'";
  }
}

bool IsPossible(const OwnCostFigures& cost) {
  return cost.low_ppm >= kLeastPpm && cost.high_ppm <= kMostPpm && cost.low_ppm <= cost.ppm &&
         cost.ppm <= cost.high_ppm;
}

}  // namespace

Result<HostCorrection> MeasuredCorrection(const Profile& profile) {
  if (profile.sources.size() > 1) {
    return Error{"--corrected goes with one recording: each has a cost of its own",
                 "name one profile"};
  }
  const OwnCostFigures cost = OwnCostOf(profile);
  if (cost.state != OwnCostState::kMeasured) {
    return Error{std::string("--corrected needs what recording cost: ") + WhyNoOwnCost(cost.state),
                 WayOut(cost.state)};
  }
  if (!IsPossible(cost)) {
    return Error{"--corrected needs what recording cost, and the file says something impossible",
                 WayOut(cost.state)};
  }
  return HostCorrection{cost.ppm, cost.low_ppm, cost.high_ppm};
}

}  // namespace gprofx
