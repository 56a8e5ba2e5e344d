// Describes the recorded run for the header of every view. Pure; the texts are views into the
// profile.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

#include "core/model/profile.h"

namespace gprofx {

struct Recording {
  size_t recordings = 1;
  bool are_ranks = false;    // the recordings are different ranks of one job
  std::string_view program;  // the last program, after all execs; "" = unknown
  int64_t duration_ns = 0;   // time in which at least one recording ran; 0 = unknown
  // True if only part of the run was sampled (--delay and --duration).
  bool has_window = false;
  int64_t window_begin_ns = 0, window_end_ns = 0;
  int64_t paused_ns = 0;  // time that --control excluded from the recording
  // The rule by which the flight recorder (record --last) wrote the file; "" = it was not used.
  std::string_view flight_rule;
  int64_t flight_begin_ns = 0;  // nothing before this is recorded
  size_t processes = 0, threads = 0;
  // How many processes and threads belong to brief processes, such as the commands of a script that
  // starts the program. All brief processes together have hardly any of the time; otherwise both
  // numbers are 0.
  size_t brief_processes = 0, brief_threads = 0;
  std::optional<double> rate_asked_hz, rate_reached_hz;
  std::optional<double> rate_possible_hz;  // maximum rate that the available clocks allow
  bool rate_was_lowered = false;           // the budget lowered the rate for a while
  bool kernel_time_excluded = false;
  int64_t start_realtime_ns = 0;                // 0 = unknown
  std::map<std::string_view, int64_t> devices;  // GPUs of each name
};

Recording DescribeRecording(const Profile& profile);

std::string_view MetaText(const Profile& profile, const char* name);  // "" where there is none
int64_t MetaNumber(const Profile& profile, const char* name, int64_t otherwise = 0);

}  // namespace gprofx
