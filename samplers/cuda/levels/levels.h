// Determines the present level of recording: the one that the recorder requests, otherwise the one
// that the schedule chooses (level_schedule.h).
//
// The windows of the schedule contain only working time of the program. A pause without launches,
// such as between the requests of a server, belongs to no window. Otherwise the change of the
// launch rate would look like an effect of records, and the long window would allow too many
// records for the next burst. Gaps up to kGap count as work, because one launch may keep the GPU
// busy for that long. For our own thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "samplers/cuda/levels/level_schedule.h"
#include "samplers/cuda/levels/level_switch.h"
#include "samplers/cuda/levels/seldom.h"

namespace gprofx::cuda {

class Levels {
 public:
  Levels();
  // Switches the level if a change of level is due.
  void Follow();
  wire::GpuLevel level() const { return switch_.level(); }
  // Returns how long our thread may sleep before the level must change. The result is at most
  // `most`.
  std::chrono::nanoseconds Until(std::chrono::nanoseconds most) const;

 private:
  struct Counts {
    int64_t time = 0, working_ns = 0;
    uint64_t launches = 0, own_ns = 0;
  };
  Counts Look() const;
  void CountWork();
  int64_t Left() const { return change_at_ - working_ns_; }
  bool Works() const { return looked_ - seen_.time < kGap; }
  wire::GpuLevel Wanted();
  void Obey(wire::GpuLevel wanted);
  LevelSchedule::Step End();
  void Enter(LevelSchedule::Step step);
  void TryToEnter();

  LevelSwitch switch_;
  LevelSchedule schedule_;
  static constexpr int64_t kGap = 250'000'000;
  int64_t working_ns_ = 0;
  Counts seen_;                               // counts at the latest reading that found launches
  int64_t looked_ = 0;                        // time of the latest reading
  Counts begin_;                              // counts at the start of the window
  int64_t change_at_ = 0;                     // working time at which the window ends
  std::optional<LevelSchedule::Step> waits_;  // a window that could not start yet
  bool scheduled_ = true;
  bool sampled_ = false;  // the recording has started
  wire::GpuLevel obeyed_ = wire::kLevelAuto;
  Seldom tries_;  // when to try the requested level or the next window again
};

}  // namespace gprofx::cuda
