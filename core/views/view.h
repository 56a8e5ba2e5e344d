// Builds a view from a profile and a query: rows, trees, sums, units and remainders, ready to
// print.
//
// The printers (text, JSON, page) walk over the view and turn codes and numbers into words; none of
// them computes sums. Members that the query does not ask for are unset. Names stay in the profile,
// which must outlive the view: LabelOf() and similar functions make them when a row is printed.
// Linear in nodes and values, except for sorting. Pure; one thread.
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
#include "core/views/verdict/verdict.h"
#include "core/views/wall.h"

namespace gprofx {

// The groups name the rows or nodes of a table. Groups::of_node is empty, because the tree of
// frames is gone.
struct RowTable {
  Groups groups;
  std::vector<Row> rows;  // all of them; the first `shown` are for printing
  size_t shown = 0;
  Rest rest;          // sum of self
  int64_t whole = 0;  // sum of the metric regardless of filters: the base of percentages
  std::vector<std::vector<int64_t>> by_rank;  // --ranks: self of each shown row
};

struct TreeTable {
  Groups groups;
  CallTree tree;                     // keys are groups; upside down for callers
  std::vector<uint32_t> targets;     // callers: the groups that were asked for
  std::vector<OutlineLine> outline;  // empty if the whole tree fits
  size_t most_lines = 0;             // maximum number of outline lines
};

struct View {
  const Profile& profile;
  Query query;
  CodeView code = CodeView::kMixed;  // of rows and trees
  Metric metric;                     // of rows and trees; without a name in an empty profile
  std::vector<int64_t> sums;         // of each metric over the shown range, by MetricId::index()
  std::vector<int64_t> whole;        // over the whole recording
  int64_t base = 0;                  // 100 % of `metric`
  int64_t kept = 0;                  // of `base`, in stacks that the filters keep
  Recording recording;
  GpuQuality gpu;
  DataQuality quality;
  std::optional<StepNumbers> steps;
  // Fraction of the shown range for which GPU work was traced; unset if all of it.
  std::optional<RecordsMade> records;
  KernelLabels kernel_labels;  // short names of all kernels and copies
  Imported imported;           // from: "" = recorded by gprof-x
  // Set in the default view: functions of all stacks, by the clock of the recording.
  std::optional<TimeVerdict> verdict;

  // Profiles with a GPU only.
  WallShares wall;
  std::vector<LaneShares> lanes;

  // Several recordings, or several processes with a GPU.
  std::optional<Ranks> ranks;

  // The combined report of wall, GPU and CPU: kernels, waits and rows. The default of --top.
  bool is_picture = false;
  std::optional<GpuTable> kernels;     // kernels and copies
  std::vector<std::string> operators;  // of the shown rows of kernels; see OperatorsOfRows()
  std::optional<LevelTable> levels;    // GPU time by layer, operator or library
  std::optional<RowTable> waits;       // calls in which host threads wait for the GPU
  std::optional<RowTable> rows;        // functions, modules or lines
  std::optional<GpuTable> gpu_lines;   // source lines of kernels
  // Rows of kernels and functions have numbers, see core/views/row_number.h.
  bool is_numbered = false;
  std::vector<SampledKernel> sampled;  // kernels to look at next, see SampledKernels()
  std::optional<ThreadTable> threads;
  std::optional<TreeTable> tree;
  std::optional<Timeline> timeline;
  std::optional<MemoryTable> memory;
  std::optional<MarkerTable> markers;  // with a timeline only if there are any

  // Length of a range of the recording; corrected if host times are.
  int64_t Length(TimeRange range) const;

  // 0 if the profile has no such metric.
  int64_t Sum(const char* metric_name) const;
  int64_t WholeSum(const char* metric_name) const;
};

// Returns the name of a row of View::waits.
std::string WaitName(const Profile& profile, const RowTable& waits, const Row& row);

// Interpret a query for a profile: the metric that rows and trees count (0: there is none), and the
// stacks that count. The error says what does not fit; it is not escaped.
Result<MetricId> ChooseMetric(const Profile& profile, const std::string& asked);
Result<Filters> CompileFilters(const Query& query);

// Data from the profile's events, which the profile itself does not hold.
struct ViewEvents {
  const TimelineBins* bins = nullptr;   // for a timeline and markers; null = both are empty
  std::span<const LayerShare> shares;   // backward work, for rows by layer
  std::span<const MemoryEvent> memory;  // for --memory
  size_t memory_bins = 1;
};

// Returns the view. Errors are those of ChooseMetric and CompileFilters, and of a query that the
// profile cannot answer.
Result<View> BuildView(const Profile& profile, const Query& query, const Room& room = {},
                       const ViewEvents& events = {});
Result<View> BuildView(Profile&& profile, const Query& query, const Room& room = {},
                       const ViewEvents& events = {}) = delete;

}  // namespace gprofx
