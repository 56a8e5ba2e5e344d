// The run that a profile is of: facts for the head of every view. Pure; the texts are views into
// the profile.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

#include "core/model/profile.h"

namespace gprofx {

struct Recording {
  size_t recordings = 1;
  bool are_ranks = false;    // each recording is another rank of one job
  std::string_view program;  // what ran, after every exec; "" = unknown
  int64_t duration_ns = 0;   // 0 = unknown; of several recordings the time in which one of them ran
  // With --delay and --duration only a part of the run was sampled.
  bool has_window = false;
  int64_t window_begin_ns = 0, window_end_ns = 0;
  int64_t paused_ns = 0;  // nothing was recorded, because --control said so
  std::string_view
      flight_rule;  // why the last minutes were written (record --last); "" = all is here
  int64_t flight_begin_ns = 0;  // what was before is not here
  size_t processes = 0, threads = 0;
  std::optional<double> rate_asked_hz, rate_reached_hz;
  std::optional<double> rate_possible_hz;  // with the clocks that could be had
  bool rate_was_lowered = false;           // for a while, because the budget asked for it
  bool kernel_time_excluded = false;
  int64_t start_realtime_ns = 0;                // 0 = unknown
  std::map<std::string_view, int64_t> devices;  // GPUs of each name
};

Recording DescribeRecording(const Profile& profile);

std::string_view MetaText(const Profile& profile, const char* name);  // "" where there is none
int64_t MetaNumber(const Profile& profile, const char* name, int64_t otherwise = 0);

}  // namespace gprofx
