// Groups the GPU work of a recording's forecast by layer or operator, with the time on both
// devices.
//
// The rows add up to all kernels of the forecast: work in no layer (in no operator) has a row, too.
// Backward work counts for its layer if the layer is known (core/levels/backward.h). Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/events/replay_events.h"
#include "core/forecast/run_forecast.h"
#include "core/levels/level_sums.h"

namespace gprofx::forecast {

struct RunLevel {    // a layer or operator, per step
  std::string name;  // "" = work in no layer (in no operator)
  int64_t now_ns = 0, then_ns = 0;
};

class RunLevels {
 public:
  // `profile` must outlive the object; `events` need not.
  RunLevels(const Profile& profile, const ReplayEvents& events,
            std::span<const LevelWindow> windows);

  // Returns the rows, largest time on the target first. Work that belongs to no layer (or no
  // operator, as `level` says) has the last row. Empty if no work belongs to any.
  std::vector<RunLevel> Of(const RecordedForecast& forecast, Level level) const;

 private:
  const Profile& profile_;
  Levels levels_;
  std::vector<LayerShare> shares_;
};

}  // namespace gprofx::forecast
