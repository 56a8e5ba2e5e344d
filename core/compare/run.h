// One recorded run as what can be compared: its functions and kernels with their time, exact counts
// of what it did, and the facts that must be equal for a comparison to mean anything.
//
// Functions are those that `report` lists, with the same time (work.h): matched over versions by
// language, module and name, so that moved lines and other folders change nothing. Pure; one
// thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/events/events.h"
#include "core/model/profile.h"
#include "core/steps/phases.h"
#include "core/views/query.h"

namespace gprofx::compare {

struct Part {
  FrameKind kind = FrameKind::kRoot;
  std::string name;           // in full
  std::string file;           // where it is defined, or runs; may be empty
  uint32_t line = 0;          // 0 = unknown
  std::string module;         // path; empty for Python
  double ns = 0;              // self
  double samples = 0;         // 0 where the time is exact
  double relative_error = 0;  // standard error of an estimated time, as a part of it
  // Of functions: with everything that they call, and the key of the one that calls them most.
  double total_ns = 0, total_samples = 0;
  std::string parent;
  std::string of;         // of a line: the key of its function
  std::string seen_file;  // the user's line that causes most of it; may be empty
  uint32_t seen_line = 0;
  bool only_inlined = false;  // it was never called, only inlined into its callers
  bool waits = false;         // its own time is waiting
};

// Key of a part -> the part; keys of two runs that are equal mean the same thing.
using Parts = std::map<std::string, Part>;

// What was done in a whole run, or in its steady steps.
struct WorkDone {
  double total_ns = 0;                  // of what functions count
  double gpu_ns = 0;                    // of kernels, copies and memsets
  double gpu_error = 0;                 // relative standard error of gpu_ns where it is estimated
  double wall_ns = 0, gpu_idle_ns = 0;  // of processes that use a GPU; 0 = not known
  double step_spread = 0;  // p95 of the step times by their median; 0 = fewer than 20 steps
  Parts functions, kernels, lines, operators;
  std::map<std::string, int64_t> counts;  // "launches: gemm [1x1x1, 32x1x1]", "bytes: copy ..."
  std::map<std::string, int64_t> sums;    // over all names: "launches", "copies", "bytes H2D", ...
  std::set<std::string> varying;          // names of both whose number is not that of every step
};

struct RunSteps {
  StepSource source = StepSource::kMarkers;
  int64_t steps = 0;   // without the warm-up
  double step_ns = 0;  // of the one in the middle; of uneven ones the mean
  WorkDone work;       // times of all these steps together; counts are those of one step
};

// What `gprof-x analyze` found (core/findings), with what a step would be shorter without it at
// most.
struct RunFinding {
  std::string rule;      // its stable name
  std::string function;  // of the place; "" = unknown, or the whole run
  std::string file;
  uint32_t line = 0;
  int64_t saving_ns = 0;
  double share = 0;  // of a step
};

struct Run : WorkDone {
  std::string metric;                        // "cpu" or "wall": what functions count
  double measured_ns = 0, accounted_ns = 0;  // see DataQuality
  bool complete = true;
  bool has_whole = true;                        // false: WorkDone here has counts alone
  std::map<std::string, std::string> machine;   // facts that must be equal: "GPU", "driver", ...
  std::map<std::string, std::string> workload;  // facts that should be: "command", ...
  std::optional<RunSteps> steps;
  bool counts_are_exact = true;  // every launch, copy and call of a GPU has its record
  std::string recording;         // its id; "" = none
  std::optional<std::vector<RunFinding>> findings;  // nothing: `no_findings` says why
  std::string no_findings = "findings were not looked for";
};

class EventCounts;

// What is known of a profile, put together: first what it says as it was loaded, then its steps,
// then its events.
class RunReader {
 public:
  // Whether a profile without values says all that is needed of its whole, if only its steps are
  // compared.
  static bool StepsSuffice(const Profile& profile);

  // The profile must outlive the reader, and shows the whole recording.
  explicit RunReader(const Profile& profile, CodeView code = CodeView::kMixed);

  // What was done in the whole run, which the profile still shows. Without it nothing is known but
  // of steps.
  void TakeWhole();
  RunReader(RunReader&&) noexcept;
  ~RunReader();

  // The profile shows the steady phase now (Profile::part); before the first Add(). False: it has
  // no steps that can be compared.
  bool TakeSteps();

  // The streams that counts are made of, and the columns that are needed of them.
  static std::span<const Stream> Streams();
  static std::vector<size_t> Columns(Stream stream);
  void Add(const EventTable& rows);

  Run Finish();

 private:
  const Profile& profile_;
  const CodeView code_;
  Run run_;
  std::unique_ptr<EventCounts> counts_;
};

}  // namespace gprofx::compare
