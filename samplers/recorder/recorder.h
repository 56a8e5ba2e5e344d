// Makes one recording, from the start of the program to the finished file.
//
// Prints nothing: messages go to the listener as values (events.h). The calling thread drains the
// rings. There is only one other thread, which writes the profile (formats/profile/profile_db.h).
// It starts after the program and ends before symbolizing, which forks.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/redact/mask_arguments.h"
#include "samplers/attach/process_handle.h"
#include "samplers/collector/drain/plan.h"
#include "samplers/recorder/claim_profile.h"
#include "samplers/recorder/events.h"
#include "samplers/recorder/flight/watcher.h"
#include "samplers/recorder/flight/when_rule.h"

namespace gprofx::recorder {

constexpr int kStatusFailed = 125;  // gprof-x itself failed, as in env(1)
constexpr int kStatusNotExecutable = 126;
constexpr int kStatusNotFound = 127;

struct RecordOptions {
  std::vector<std::string> command;  // command line of the program; with `pid`, that of the process
  int64_t pid = 0;                   // a running process to attach to; 0 = start `command`
  std::shared_ptr<const attach::ProcessHandle>
      process;  // the process that `pid` was chosen for; may be null
  std::string output = kUsualName;
  // True if the user named the output file. Otherwise a numbered name is used if another recording
  // writes that file.
  bool named = false;
  bool force = false;  // an existing output file may be replaced even if it is not a profile
  std::string agent;   // path of libgprofx-agent.so
  PlanRequest plan;
  GpuRequest gpu;
  double delay_s = 0;
  double duration_s = 0;  // 0 = until the program ends
  std::string rank;       // number of this process in a parallel job; "" = unknown
  // How the arguments of commands are stored in the profile.
  Arguments arguments = Arguments::kMasked;
  std::string label;    // distinguishes this run from others; "" = none
  std::string control;  // where commands come from (control_channel.h); "" = nowhere
  HostNs last = 0;  // ns; keep only the last part of the recording, of this length; 0 = keep all
  // If `last` is set: rules at which a file is written, in addition to SIGUSR2 and the end.
  std::vector<WhenRule> when;
  bool timeline = true;
  bool memory = false;  // record the GPU memory blocks that frameworks hand out
  bool use_cache = true;
  bool use_debuginfod = false;
  // If set, nothing is written to `output`. The watcher receives the rows, and profiles are written
  // when it asks for them. Not owned.
  Watcher* watcher = nullptr;
  // Descriptors that a started program uses instead of ours; -1 = ours.
  std::array<int, 3> program_stdio = {-1, -1, -1};
};

// Records one run. Returns the exit status for gprof-x.
//
// That is the program's own status, or 128 + N if signal N ended the program. It is 125, 126 or 127
// if the program could not be started, and 125 if the program succeeded but the profile could not
// be written.
//
// With a `pid`, attaches to that process, and leaves it when the duration has elapsed, on an
// interrupt, or when the process ends. The status is then 0 or 125.
int Record(const RecordOptions& options, Listener& listener);

}  // namespace gprofx::recorder
