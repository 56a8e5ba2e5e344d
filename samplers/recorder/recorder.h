// One recording, from the start of the program to the finished file.
//
// Prints nothing: what people should know goes to the listener as values (events.h). The calling
// thread drains; the only other one writes the profile (formats/profile/profile_db.h). That one
// starts after the program did and ends before symbolizing forks.
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

constexpr int kStatusFailed = 125;  // gprof-x itself failed, as env(1)
constexpr int kStatusNotExecutable = 126;
constexpr int kStatusNotFound = 127;

struct RecordOptions {
  std::vector<std::string> command;  // with `pid`: what that process runs, for the profile
  int64_t pid = 0;                   // a process that runs already; 0 = `command` is started
  std::shared_ptr<const attach::ProcessHandle>
      process;  // the one that `pid` was chosen for; may be null
  std::string output = kUsualName;
  bool named = false;  // by the user; else a numbered name will do while another recording has this
  bool force = false;  // replace a file that is not a profile
  std::string agent;   // path of libgprofx-agent.so
  PlanRequest plan;
  GpuRequest gpu;
  double delay_s = 0;
  double duration_s = 0;                     // 0 = to the end of the program
  std::string rank;                          // in a parallel job, a number; "" = unknown
  Arguments arguments = Arguments::kMasked;  // of the commands that the profile has
  std::string label;                         // of this run among others; "" = none
  std::string control;                       // of samplers/collector/control_channel.h; "" = none
  HostNs last = 0;                           // only so much of the end is kept; 0 = everything
  std::vector<WhenRule> when;  // with `last`: when it is written, beside SIGUSR2 and the end
  bool timeline = true;
  bool memory = false;  // blocks of GPU memory that frameworks give out are recorded
  bool use_cache = true;
  bool use_debuginfod = false;
  // Not owned. With one nothing is written to `output`: rows go to it, and profiles where it wants
  // them.
  Watcher* watcher = nullptr;
  std::array<int, 3> program_stdio = {-1, -1,
                                      -1};  // of a started program, in place of ours; -1 = ours
};

// With a `pid` the agent enters that process, and leaves it when the duration is over, at an
// interrupt, or with the process; 0 then, or 125.
// Returns the exit status for gprof-x: the program's own, 128 + N when signal N ended it; 125, 126
// or 127 when it could not be started; 125 when it succeeded but the profile could not be written.
int Record(const RecordOptions& options, Listener& listener);

}  // namespace gprofx::recorder
