#include "cli/report/corrected.h"

#include <string>

#include "cli/report/quality_text.h"
#include "core/views/quality.h"

namespace gprofx {
namespace {

const char* WayOut(OwnCostState state) {
  return state == OwnCostState::kBounded ? "its times are shown without --corrected only"
                                         : "record the program again, by CPU time";
}

}  // namespace

Result<HostCorrection> MeasuredCorrection(const Profile& profile) {
  if (profile.sources.size() > 1) {
    return Error{"--corrected goes with one recording: each has a cost of its own",
                 "name one profile"};
  }
  const OwnCostFigures cost = OwnCostFiguresOf(profile);
  if (cost.state != OwnCostState::kKnown) {
    return Error{std::string("--corrected needs what recording cost: ") + WhyNoOwnCost(cost.state),
                 WayOut(cost.state)};
  }
  return HostCorrection{cost.ppm, cost.low_ppm, cost.high_ppm};
}

}  // namespace gprofx
