#include "cli/report/corrected.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "cli/report/quality_text.h"
#include "core/views/quality.h"

namespace gprofx {
namespace {

const char* WayOut(OwnCostState state) {
  return state == OwnCostState::kBounded ? "its times are shown without --corrected only"
                                         : "record the program again, by CPU time";
}

int64_t LeftOutPpm(const Profile& profile) {
  const auto counted = [&](const char* name) {
    const auto found = profile.quality.find(name);
    return found == profile.quality.end() ? 0.0 : static_cast<double>(found->second);
  };
  const double whole = counted("cpu_accounted_ns"), left_out = counted("profiling_ns");
  if (profile.left_out.empty() || !(whole > 0)) return 0;
  return std::llround(std::clamp(1e6 * left_out / whole, 0.0, 999'999.0));
}

}  // namespace

Result<HostCorrection> MeasuredCorrection(const Profile& profile) {
  if (profile.sources.size() > 1) {
    return Error{ErrorId::kWrongRecordings, "option '--corrected' needs exactly one recording",
                 "name one profile"};
  }
  const OwnCostFigures cost = OwnCostFiguresOf(profile);
  if (cost.state != OwnCostState::kKnown) {
    return Error{
        ErrorId::kNotRecorded,
        std::string("cannot correct for the cost of recording: ") + WhyNoOwnCost(cost.state),
        WayOut(cost.state)};
  }
  return HostCorrection{cost.ppm, cost.low_ppm, cost.high_ppm, LeftOutPpm(profile)};
}

}  // namespace gprofx
