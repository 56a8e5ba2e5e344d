// The GPU work of a recording's forecast by layer or operator: the time of each on both devices.
//
// Sums are those of the forecast's kernels; work in no layer (operator) gets a row, too. Backward
// work counts for its layer if that is known (core/levels/backward.h). Pure.
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

  // Largest on the target first; work in no layer (operator) last. Empty if all work is in none.
  std::vector<RunLevel> Of(const RecordedForecast& forecast, Level level) const;

 private:
  const Profile& profile_;
  Levels levels_;
  std::vector<LayerShare> shares_;
};

}  // namespace gprofx::forecast
