// A profile and a query in, a view out: rows, trees, sums, units and remainders, ready to print.
//
// Whoever prints one (text, JSON, a page) walks over it and makes words of codes and numbers; no
// face adds anything up. What a query does not ask for is not there. Names stay in the profile,
// which must outlive the view: LabelOf() and its like make them when a row is printed. Linear in
// nodes and values, but for sorting. Pure; one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/events/event_rows.h"
#include "core/gpu/level_windows.h"
#include "core/model/profile.h"
#include "core/views/call_tree.h"
#include "core/views/gpu/gpu_rows.h"
#include "core/views/gpu/kernel_labels.h"
#include "core/views/gpu/level_rows.h"
#include "core/views/gpu/memory.h"
#include "core/views/group.h"
#include "core/views/imported.h"
#include "core/views/page/outline.h"
#include "core/views/page/timeline.h"
#include "core/views/quality.h"
#include "core/views/query.h"
#include "core/views/ranks.h"
#include "core/views/recording.h"
#include "core/views/rest.h"
#include "core/views/rows.h"
#include "core/views/steps.h"
#include "core/views/threads.h"
#include "core/views/wall.h"

namespace gprofx {

// The groups of a table name its rows or nodes; of which nodes they were made is gone with the tree
// of frames (Groups::of_node is empty).
struct RowTable {
  Groups groups;
  std::vector<Row> rows;  // all of them; the first `shown` are for printing
  size_t shown = 0;
  Rest rest;          // of self
  int64_t whole = 0;  // of the metric, whatever the filters keep: the base of percentages
  std::vector<std::vector<int64_t>> by_rank;  // of --ranks: self of each row that is shown
};

struct TreeTable {
  Groups groups;
  CallTree tree;                     // keys are groups; of callers it stands upside down
  std::vector<uint32_t> targets;     // of callers: the groups that were asked for
  std::vector<OutlineLine> outline;  // empty where there is room for the whole tree
  size_t most_lines = 0;             // that the outline could have
};

struct View {
  const Profile& profile;
  Query query;
  Metric metric;               // what rows and trees count; without a name in an empty profile
  std::vector<int64_t> sums;   // of each metric over what is shown, by MetricId::index()
  std::vector<int64_t> whole;  // over the whole recording: the same unless a part of it is shown
  int64_t base = 0;            // of `metric`: 100 %
  int64_t kept = 0;            // of it, in stacks that the filters keep
  Recording recording;
  GpuQuality gpu;
  DataQuality quality;
  std::optional<StepNumbers> steps;
  // Where records of GPU work were made for a part of the time only: for what of what is shown.
  std::optional<RecordsMade> records;
  KernelLabels kernel_labels;  // short names of all kernels and copies
  Imported imported;           // from: "" = recorded by gprof-x

  // Of a profile with a GPU.
  WallShares wall;
  std::vector<LaneShares> lanes;

  // Of several recordings, or of several processes with a GPU.
  std::optional<Ranks> ranks;

  // The one picture of wall, GPU and CPU: kernels, waits and rows. --top without a choice.
  bool is_picture = false;
  std::optional<GpuTable> kernels;    // kernels and copies
  std::optional<LevelTable> levels;   // GPU time by layer, operator or library
  std::optional<RowTable> waits;      // calls in which host threads wait for the GPU
  std::optional<RowTable> rows;       // functions, modules or lines
  std::optional<GpuTable> gpu_lines;  // source lines of kernels
  // Rows of kernels and functions have numbers by which core/views/row_number.h finds them.
  bool is_numbered = false;
  std::vector<SampledKernel> sampled;  // kernels to go on with, see SampledKernels()
  std::optional<ThreadTable> threads;
  std::optional<TreeTable> tree;
  std::optional<Timeline> timeline;
  std::optional<MemoryTable> memory;
  std::optional<MarkerTable> markers;  // beside a timeline only where there are any

  // Of a range of the recording; where times of the host are corrected, as long as it then were.
  int64_t Length(TimeRange range) const;

  // 0 where the profile has no such metric.
  int64_t Sum(const char* metric_name) const;
  int64_t WholeSum(const char* metric_name) const;
};

// What a row of View::waits is called.
std::string WaitName(const Profile& profile, const RowTable& waits, const Row& row);

// What a query means for a profile: the metric that rows and trees count (0: there is none), and
// the stacks that count. The error says what does not fit; it is not escaped.
Result<MetricId> ChooseMetric(const Profile& profile, const std::string& asked);
Result<Filters> CompileFilters(const Query& query);

// What a profile itself does not hold, read from its events.
struct ViewEvents {
  const TimelineBins* bins = nullptr;   // of a timeline and of markers; without them they are empty
  std::span<const LayerShare> shares;   // of backward work, for rows by layer
  std::span<const MemoryEvent> memory;  // of --memory
  size_t memory_bins = 1;
};

// Errors as above.
Result<View> BuildView(const Profile& profile, const Query& query, const Room& room = {},
                       const ViewEvents& events = {});
Result<View> BuildView(Profile&& profile, const Query& query, const Room& room = {},
                       const ViewEvents& events = {}) = delete;

}  // namespace gprofx
