// Predicts the length of a step after a change of the program, by replay:
//
//   pin_memory        copies from pageable host memory run at the rate of pinned ones, and
//                     no thread waits for them
//   no-sync [PLACE]   calls that wait for the GPU return at once: all of them, or those under
//                     a line (file.py:12) or a function
//   fuse NAME         kernels that follow each other on a stream and lie in the function,
//                     operator or layer NAME become one kernel, which takes as long as the
//                     longest of them
//   graphs            all launches of a step become one launch of a CUDA graph
//   scale NAME F      kernels of that name, or in that function, operator or layer, take F
//                     times as long
//
// core/replay/step_graphs.h chooses the replayed steps; core/replay/step_run.h defines their time.
// Pure; linear in the events except for sorting them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/events/replay_events.h"
#include "core/gpu/level_windows.h"
#include "core/model/profile.h"
#include "core/replay/host_times.h"

namespace gprofx {

struct WhatIfChange {
  enum Kind : uint8_t { kPinMemory, kNoSync, kFuse, kGraphs, kScale };
  Kind kind = kNoSync;
  std::string name;   // what the change applies to; "" = everything
  double factor = 1;  // for kScale: factor on the duration
};

// Parses one change as users write it: "fuse GELU". The error lists the possible changes.
Result<WhatIfChange> ParseWhatIf(std::string_view text);
std::string WhatIfText(const WhatIfChange& change);

// A part of the critical path, per step.
struct WhatIfPart {
  const char* id;  // stable name for programs: "kernels"
  const char* title;
  int64_t now_ns = 0, then_ns = 0;
};

struct WhatIfAnswer {
  std::vector<std::string> changes;
  int64_t steps = 0;
  int64_t recorded_ns = 0;  // recorded length of a step
  struct Side {
    int64_t step_ns = 0;
    double busy = 0;  // fraction of the time in which the GPU works
    // What limits a step: "gpu", "host" or "sync" (GPU and host wait for each other). These words
    // never change.
    std::string limit;
  };
  Side now, then;  // `now`: without the cost of recording, if known; `then`: also with the changes
  std::vector<WhatIfPart> parts;
  std::vector<std::string> changed;  // what was changed: "120 waiting calls"
  std::vector<std::string> assumed;  // assumptions that the answer depends on
  std::vector<std::string> not_modelled;
  std::string reason;  // why there is no answer, and what to do; "" if there is one
};

// Predicts the effect of `changes` together. `windows` says where records were made; empty =
// always.
WhatIfAnswer AnswerWhatIf(const Profile& profile, const ReplayEvents& events,
                          std::span<const LevelWindow> windows,
                          std::span<const WhatIfChange> changes, const HostTimes& host = {});

}  // namespace gprofx
