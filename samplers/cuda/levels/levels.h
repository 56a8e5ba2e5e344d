// What level the recording is at, from moment to moment: the recorder's word where it gives one,
// else the schedule's (level_schedule.h). Its windows are as long as the program works: a pause in
// which nothing is launched, as between the requests of a server, is in none of them. It would be
// taken for a gain or a loss, and would earn records for the next burst. Gaps up to kGap are work:
// a launch may keep the GPU busy for so long. Our own thread only.
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
  // Switches if it is time to.
  void Follow();
  wire::GpuLevel level() const { return switch_.level(); }
  // How long our thread may sleep, at most `most`.
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
  Counts seen_;                               // at the latest look that found launches
  int64_t looked_ = 0;                        // the latest look
  Counts begin_;                              // of the window
  int64_t change_at_ = 0;                     // of the time that it works
  std::optional<LevelSchedule::Step> waits_;  // the window that could not begin yet
  bool scheduled_ = true;
  bool sampled_ = false;  // the recording has begun
  wire::GpuLevel obeyed_ = wire::kLevelAuto;
  Seldom tries_;  // of what is obeyed, or waits
};

}  // namespace gprofx::cuda
