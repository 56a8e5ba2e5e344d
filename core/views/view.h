// Builds a view from a profile and a query. A view holds rows, trees, sums and units, ready to
// print.
//
// The printers (text, JSON, page) walk over the view and turn codes and numbers into words. They do
// not compute sums. Members that the query does not ask for are unset. Names stay in the profile,
// which must outlive the view; LabelOf() and similar functions make them when a row is printed.
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

// A table of rows, which are named by `groups`. Groups::of_node is empty, because the tree to which
// it refers no longer exists.
struct RowTable {
  Groups groups;
  std::vector<Row> rows;  // all rows; the first `shown` are printed
  size_t shown = 0;
  Rest rest;          // sum of self
  int64_t whole = 0;  // sum of the metric, whatever the filters; 100 % of percentages
  std::vector<std::vector<int64_t>> by_rank;  // --ranks: self of each shown row, by rank
};

struct TreeTable {
  Groups groups;
  CallTree tree;                     // keys are groups; inverted for callers
  std::vector<uint32_t> targets;     // callers: the groups that were asked for
  std::vector<OutlineLine> outline;  // empty if the whole tree fits
  size_t most_lines = 0;             // maximum number of lines in the outline
};

struct View {
  const Profile& profile;
  Query query;
  CodeView code = CodeView::kMixed;  // the code that rows and trees show
  Metric metric;               // the metric that rows and trees count; no name in an empty profile
  std::vector<int64_t> sums;   // of each metric over the shown range, by MetricId::index()
  std::vector<int64_t> whole;  // sums of each metric over the whole recording
  int64_t base = 0;            // 100 % of `metric`
  int64_t kept = 0;            // part of `base` in the stacks that the filters keep
  Recording recording;
  GpuQuality gpu;
  DataQuality quality;
  std::optional<StepNumbers> steps;
  // How much of the shown range has records of GPU work; unset if all of it has.
  std::optional<RecordsMade> records;
  KernelLabels kernel_labels;  // short names of all kernels and copies
  Imported imported;           // from: "" = recorded by gprof-x
  // Set only in the default view. It counts all stacks, in the time of the recording's clock.
  std::optional<TimeVerdict> verdict;

  // Wall time of the run and of each lane. Empty without a GPU.
  WallShares wall;
  std::vector<LaneShares> lanes;

  // Set if there are several recordings, or several processes that use a GPU.
  std::optional<Ranks> ranks;

  // True for the combined report of wall time, GPU and CPU, the default of --top: kernels, waits
  // and rows.
  bool is_picture = false;
  std::optional<GpuTable> kernels;     // kernels and copies
  std::vector<std::string> operators;  // of the shown rows of kernels; see OperatorsOfRows()
  std::optional<LevelTable> levels;    // GPU time by layer, operator or library
  std::optional<RowTable> waits;       // calls in which host threads wait for the GPU
  std::optional<RowTable> rows;        // functions, modules or lines
  std::optional<GpuTable> gpu_lines;   // source lines of kernels
  // True if rows of kernels and functions have numbers, see core/views/row_number.h.
  bool is_numbered = false;
  std::vector<SampledKernel> sampled;  // kernels to annotate next, see SampledKernels()
  std::optional<ThreadTable> threads;
  std::optional<TreeTable> tree;
  std::optional<Timeline> timeline;
  std::optional<MemoryTable> memory;
  std::optional<MarkerTable> markers;  // set if there is a timeline with named ranges

  // Returns the length of a range of the recording. It is corrected if host times are.
  int64_t Length(TimeRange range) const;

  // Return the sum of a metric over the shown range, and over the whole recording; 0 if the profile
  // does not have it.
  int64_t Sum(const char* metric_name) const;
  int64_t WholeSum(const char* metric_name) const;
};

// Returns the name of a row of View::waits: the CUDA call.
std::string WaitName(const Profile& profile, const RowTable& waits, const Row& row);

// Interpret a query for a profile. ChooseMetric returns the metric that rows and trees count, or 0
// if there is none. CompileFilters returns which stacks pass the filters. Errors are not escaped.
Result<MetricId> ChooseMetric(const Profile& profile, const std::string& asked);
Result<Filters> CompileFilters(const Query& query);

// Data from the profile's event streams, which a Profile does not contain.
struct ViewEvents {
  const TimelineBins* bins = nullptr;   // for timelines and named ranges; null = there are none
  std::span<const LayerShare> shares;   // backward work, for rows by layer
  std::span<const MemoryEvent> memory;  // for --memory
  size_t memory_bins = 1;
};

// Builds the view. The error is that of ChooseMetric or CompileFilters, or says that the profile
// cannot answer the query.
Result<View> BuildView(const Profile& profile, const Query& query, const Room& room = {},
                       const ViewEvents& events = {});
Result<View> BuildView(Profile&& profile, const Query& query, const Room& room = {},
                       const ViewEvents& events = {}) = delete;

}  // namespace gprofx
