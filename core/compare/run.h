// Holds the data of a recorded run that comparisons use: its functions and kernels with their
// times, exact counts of its work, and facts such as the machine.
//
// Functions are those that `report` lists, with the same times (work.h). They are matched across
// versions by language, module and name: moved lines and different folders do not matter. Pure; one
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
  std::string name;           // the full name
  std::string file;           // file that defines it or in which it runs; may be empty
  uint32_t line = 0;          // 0 = unknown
  std::string module;         // path; empty for Python
  double ns = 0;              // self time
  double samples = 0;         // 0 if the time is exact
  double relative_error = 0;  // standard error relative to the time, if that is estimated
  // Set only for functions: time including callees, and the key of the main caller.
  double total_ns = 0, total_samples = 0;
  std::string parent;
  std::string of;         // set only for lines: key of the function
  std::string seen_file;  // file of the user's line that causes most of its time; may be empty
  uint32_t seen_line = 0;
  bool only_inlined = false;  // never called, only inlined into its callers
  bool waits = false;         // most of its self time is waiting
};

// The parts of a run, by key. Equal keys in two runs mean the same part.
using Parts = std::map<std::string, Part>;

// The work of a whole run, or of its steady steps.
struct WorkDone {
  double total_ns = 0;                  // time in the metric of functions
  double gpu_ns = 0;                    // time of kernels, copies and memsets
  double gpu_error = 0;                 // standard error relative to gpu_ns, if that is estimated
  double wall_ns = 0, gpu_idle_ns = 0;  // of processes that use a GPU; 0 = unknown
  double step_spread = 0;               // p95 / median of the step times; 0 = fewer than 20 steps
  Parts functions, kernels, lines, operators;
  std::map<std::string, int64_t> counts;  // "launches: gemm [1x1x1, 32x1x1]", "bytes: copy ..."
  // Totals over all names, such as "launches", "copies" or "bytes H2D".
  std::map<std::string, int64_t> sums;
  std::set<std::string> varying;  // names in `counts` and `sums` whose numbers differ between steps
};

struct RunSteps {
  StepSource source = StepSource::kMarkers;
  int64_t steps = 0;   // number of steps without the warm-up
  double step_ns = 0;  // median; mean if steps are uneven
  WorkDone work;       // times of all these steps together; counts per step
};

// A finding of `gprof-x analyze` (core/findings). `saving_ns` is the maximum time that a step would
// save without it.
struct RunFinding {
  std::string rule;      // stable name of the rule
  std::string function;  // function in which it is; "" = unknown, or the whole run
  std::string file;
  uint32_t line = 0;
  int64_t saving_ns = 0;
  double share = 0;  // share of a step
};

struct Run : WorkDone {
  std::string metric;  // "cpu" or "wall": the metric of the functions' times
  // In ns of `metric`; as in DataQuality (core/views/quality.h).
  double measured_ns = 0, accounted_ns = 0;
  double duration_ns = 0;  // wall time of the recording; 0 = unknown
  bool complete = true;
  bool has_whole = true;                        // false: only counts are known of the whole run
  std::map<std::string, std::string> machine;   // facts that must be equal: "GPU", "driver", ...
  std::map<std::string, std::string> workload;  // facts that should be equal: "command", ...
  std::optional<RunSteps> steps;
  bool counts_are_exact = true;                     // every GPU launch, copy and call has a record
  std::string recording;                            // id of the recording; "" = none
  std::optional<std::vector<RunFinding>> findings;  // unset: `no_findings` says why
  std::string no_findings = "findings were not computed";
};

class EventCounts;

// Builds a Run from a profile. Call in this order: TakeWhole() while the profile shows the whole
// recording, TakeSteps() when it shows the steady phase, Add() for each block of events, Finish().
// The first two may be omitted.
class RunReader {
 public:
  // True if steps are enough for a comparison. TakeWhole() is then not needed, and the profile may
  // be loaded without the values of the whole recording.
  static bool StepsSuffice(const Profile& profile);

  // `profile` must outlive the reader and must show the whole recording.
  explicit RunReader(const Profile& profile, CodeView code = CodeView::kMixed);

  // Reads the work of the whole run, while the profile still shows the whole recording. Without
  // this call, the Run has only the times of its steps.
  void TakeWhole();
  RunReader(RunReader&&) noexcept;
  ~RunReader();

  // Reads the work of the steps. The profile must now show the steady phase (Profile::part). Call
  // before the first Add(). Returns false if there are no comparable steps.
  bool TakeSteps();

  // Return the event streams that counts need, and the columns of each that must be read.
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
