// One recording, from the start of the program to the finished file.
//
// Prints nothing itself: what people should read goes to the callbacks. The only thread is the one
// that writes the profile (formats/profile_db.h); it ends before symbolizing forks.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cli/record/output_name.h"
#include "samplers/collector/plan.h"

namespace gprofx {

constexpr int kStatusFailed = 125;  // gprof-x itself failed, as env(1)
constexpr int kStatusNotExecutable = 126;
constexpr int kStatusNotFound = 127;

struct RecordOptions {
  std::vector<std::string> command;
  std::string output = kUsualName;
  bool named = false;  // by the user; else a numbered name will do while another recording has this
  bool force = false;  // replace a file that is not a profile
  std::string agent;  // path of libgprofx-agent.so
  PlanRequest plan;
  GpuRequest gpu;
  double delay_s = 0;
  double duration_s = 0;  // 0 = to the end of the program
  std::string control;     // of samplers/collector/control_channel.h; "" = none
  bool timeline = true;
  bool use_cache = true;
  bool use_debuginfod = false;
  bool verbose = false;
  std::function<void(const std::string&)> say;       // a line that the user must see
  std::function<void(const std::string&)> tell;      // a line that -q leaves out
  std::function<void(const std::string&)> progress;  // state of the recording
  std::function<void(bool)> program_runs;            // it begins, it has ended
};

// Returns the exit status for gprof-x: the program's own, 128 + N when signal N ended it; 125, 126
// or 127 when it could not be started; 125 when it succeeded but the profile could not be written.
int Record(const RecordOptions& options);

}  // namespace gprofx
