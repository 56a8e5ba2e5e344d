// The GPU work of a forecast of a recording by layer or operator: what each takes here and there.
//
// Sums are those of the forecast's kernels; what lies in no layer (operator) is a row, too.
// Backward work is with its layer where that is known (core/levels/backward.h). Pure.
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

  // The largest there first, what has no place last. Empty where nothing has one.
  std::vector<RunLevel> Of(const RecordedForecast& forecast, Level level) const;

 private:
  const Profile& profile_;
  Levels levels_;
  std::vector<LayerShare> shares_;
};

}  // namespace gprofx::forecast
