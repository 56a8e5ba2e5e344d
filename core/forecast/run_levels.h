// The GPU work of a recording's forecast by layer or operator: the time of each on both devices.
//
// The sums cover the kernels of the forecast. Work in no layer (or, by operator, in no operator)
// gets a row, too. Backward work counts for its layer if that is known (core/levels/backward.h).
// Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/events/replay_events.h"
#include "core/forecast/run_forecast.h"
#include "core/levels/level_sums.h"

namespace gprofx::forecast {

struct RunLevel {    // per step
  std::string name;  // "" = in no layer (operator)
  int64_t now_ns = 0, then_ns = 0;
};

class RunLevels {
 public:
  // `profile` must outlive it; `events` need not.
  RunLevels(const Profile& profile, const ReplayEvents& events,
            std::span<const LevelWindow> windows);

  // Returns the rows: largest time on the target first; work in no layer (operator) last. Empty if
  // no work is in a layer (operator).
  std::vector<RunLevel> Of(const RecordedForecast& forecast, Level level) const;

 private:
  const Profile& profile_;
  Levels levels_;
  std::vector<LayerShare> shares_;
};

}  // namespace gprofx::forecast
