#include "core/views/view.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "core/base/arithmetic.h"
#include "core/views/callers.h"
#include "core/views/code/code_view.h"
#include "core/views/code/owners.h"
#include "core/views/gpu/kernel_operators.h"
#include "core/views/naming/quoted.h"
#include "core/views/row_number.h"

namespace gprofx {
namespace {

constexpr size_t kMaxCallerNodes = 10'000;
constexpr size_t kMaxSampledTried = 5;
// True if the rows of the view have numbers. Row numbers are those of the report without options,
// so views with other rows must not show them.
bool IsNumbered(const Profile& profile, const Query& query) {
  const bool by =
      query.by == RowsBy::kDefault || query.by == RowsBy::kFunction || query.by == RowsBy::kKernel;
  const PartQuery& part = query.part;
  const bool default_part = !part.all && !part.IsPart();
  const bool default_code = !query.code || *query.code == ChooseCode(profile, Query{});
  return query.kind == ViewKind::kTop && by && query.metric.empty() && query.focus.empty() &&
         query.ignore.empty() && !query.all_frames && !query.own && default_code && default_part;
}

// True for the default view: the whole time of the recording, without filters.
bool IsDefault(const Query& query) {
  return query.kind == ViewKind::kTop && query.by == RowsBy::kDefault && query.metric.empty() &&
         query.focus.empty() && query.ignore.empty() && !query.all_frames;
}

// Branches below this fraction of the whole are merged in an outline, unless the query sets a
// limit.
constexpr double kSmallestShare = 0.01;

std::vector<int64_t> SumMetrics(const Profile& profile) {
  std::vector<int64_t> sums(profile.metrics.size());
  for (const Value& value : profile.values) {
    if (!value.metric) continue;
    int64_t& sum = sums[value.metric.index()];
    sum = AddSaturated(sum, value.self);
  }
  return sums;
}

// Corrects the lengths of host times (busy times and named ranges) for the profiling overhead.
// Positions on the time axis and the busy share of each bin stay as recorded.
TimelineBins Corrected(const HostCorrection& correction, TimelineBins bins) {
  for (TimelineBins::Row& row : bins.rows) {
    if (!row.is_gpu) row.busy_ns = SampledTime(correction, row.busy_ns);
  }
  for (MarkerSum& row : bins.markers) {
    for (int64_t MarkerSum::*field :
         {&MarkerSum::total_ns, &MarkerSum::mean_ns, &MarkerSum::largest_ns}) {
      row.*field = HostTime(correction, row.*field);
    }
    row.cpu_ns = SampledTime(correction, row.cpu_ns);
  }
  return bins;
}

// Returns the flags of own frames if the view shows only own code; otherwise an empty vector.
std::vector<uint8_t> OwnOnly(const View& view) {
  return view.query.own ? OwnFrames(view.profile) : std::vector<uint8_t>();
}

class Builder {
 public:
  Builder(View& view, const Room& room, MetricId metric, Filters filters,
          std::span<const LayerShare> shares)
      : view_(view),
        profile_(view.profile),
        query_(view.query),
        room_(room),
        metric_(metric),
        shares_(shares),
        kept_(KeptStacks(view.profile, filters)),
        tree_(BuildCallTree(view.profile, metric, kept_, view.query.all_frames, &holder_of_,
                            view.code, OwnOnly(view))) {}

  Status Build() {
    view_.kept = tree_.nodes[0].total;
    if (view_.gpu.present) {
      view_.wall = ShareWall(profile_);
      view_.lanes = ShareLanes(profile_);
    }
    view_.ranks = FindRanks(profile_);
    switch (query_.kind) {
      case ViewKind::kTop:
        BuildTop();
        break;
      case ViewKind::kRanks:
        return BuildRanks();
      case ViewKind::kLines:
        BuildRows(room_.rows);
        BuildGpuLines();
        break;
      case ViewKind::kTree:
      case ViewKind::kCallers:
        return BuildTree();
      case ViewKind::kThreads:
        BuildThreads();
        break;
      case ViewKind::kTimeline:
      case ViewKind::kMarkers:
      case ViewKind::kMemory:
        break;  // built from events and not from the profile
    }
    return Ok();
  }

 private:
  size_t Most(size_t usual) const { return query_.limit.value_or(usual); }

  void BuildTop() {
    if (query_.by == RowsBy::kThread || query_.by == RowsBy::kProcess) return BuildThreads();
    if (query_.by == RowsBy::kKernel) return BuildKernels(room_.rows);
    if (LevelOf(query_.by)) return BuildLevels();
    view_.is_picture = view_.gpu.present && query_.by == RowsBy::kDefault && query_.metric.empty();
    if (view_.is_picture) {
      BuildKernels(room_.picture_rows);
      BuildWaits();
    }
    BuildRows(view_.is_picture ? room_.picture_rows : room_.rows);
    if (IsDefault(query_) && metric_)
      view_.verdict = MakeVerdict(profile_, metric_, view_.base, Shown(), view_.ranks);
  }

  // Returns how much of the shown range was recorded, ns; 0 = unknown.
  int64_t Shown() const {
    const Recording& run = view_.recording;
    if (!view_.imported.from.empty() || !run.flight_rule.empty() || run.recordings > 1) return 0;
    if (profile_.part) return view_.Length(profile_.part->range);
    const int64_t length =
        run.has_window ? run.window_end_ns - run.window_begin_ns : run.duration_ns;
    return std::max<int64_t>(length - run.paused_ns, 0);
  }

  RowTable TableOf(const CallTree& tree, By by) const {
    RowTable table;
    table.groups = GroupNodes(profile_, tree, by);
    table.rows = FlatRows(profile_, tree, table.groups);
    table.groups.of_node = {};
    return table;
  }

  static void Cut(RowTable& table, size_t most) {
    table.shown = std::min(table.rows.size(), most);
    table.rest = RestOf(table.rows, table.shown, [](const Row& row) { return row.self; });
  }

  void BuildRows(size_t usual) {
    view_.rows = TableOf(tree_, GroupingOf(query_));
    view_.rows->whole = view_.base;
    Cut(*view_.rows, Most(usual));
  }

  Status BuildRanks() {
    if (!view_.ranks) {
      return Error{ErrorId::kWrongRecordings,
                   "there is only one rank: one recording with at most one process that uses a GPU",
                   "name the profiles of all ranks"};
    }
    RowTable& table = view_.rows.emplace();
    table.groups = GroupNodes(profile_, tree_, GroupingOf(query_));
    table.rows = FlatRows(profile_, tree_, table.groups);
    table.whole = view_.base;
    Cut(table, Most(room_.rows));
    table.by_rank = SelfByRank(profile_, metric_, holder_of_, table.groups, table.rows, table.shown,
                               *view_.ranks);
    table.groups.of_node = {};
    return Ok();
  }

  static void Cut(GpuTable& table, size_t most, int64_t GpuRow::*value) {
    table.shown = std::min(table.rows.size(), most);
    table.rest = RestOf(table.rows, table.shown, [&](const GpuRow& row) { return row.*value; });
  }

  void BuildKernels(size_t usual) {
    view_.kernels = GpuRows(profile_, kept_, GpuBy::kKernel);
    Cut(*view_.kernels, Most(usual), &GpuRow::self_ns);
    view_.sampled = SampledKernels(profile_, *view_.kernels, kMaxSampledTried);
    if (room_.operators) view_.operators = OperatorsOfRows(profile_, kept_, *view_.kernels);
  }

  void BuildLevels() {
    LevelTable& table = view_.levels.emplace(LevelRows(profile_, kept_, query_.by, shares_));
    table.shown = std::min(table.rows.size(), Most(room_.rows));
    table.rest =
        RestOf(table.rows, table.shown, [](const LevelRow& row) { return row.sum.gpu_ns; });
  }

  void BuildWaits() {
    const MetricId waited = profile_.FindMetric(kMetricGpuWait);
    if (!waited) return;
    const CallTree tree = BuildCallTree(profile_, waited, kept_, query_.all_frames, nullptr,
                                        query_.code.value_or(CodeView::kMixed));
    RowTable& table = view_.waits.emplace(TableOf(tree, By::kFunction));
    table.whole = view_.Sum(kMetricGpuWait);
    std::erase_if(table.rows, [](const Row& row) { return row.self <= 0; });
    Cut(table, room_.waits.value_or(Most(room_.rows)));
  }

  void BuildGpuLines() {
    if (!profile_.FindMetric(kMetricPcSamples)) return;
    view_.gpu_lines = GpuRows(profile_, kept_, GpuBy::kLine);
    Cut(*view_.gpu_lines, Most(room_.rows), &GpuRow::samples);
    if (view_.gpu_lines->rows.empty()) return;
    view_.sampled =
        SampledKernels(profile_, GpuRows(profile_, kept_, GpuBy::kKernel), kMaxSampledTried);
  }

  void BuildThreads() {
    view_.threads = ThreadRows(profile_, metric_, kept_, query_.by);
    if (room_.fold_threads && !query_.all_frames) FoldThreads(*view_.threads);
    CutThreads(*view_.threads, Most(room_.threads));
  }

  bool IsFunction(std::string_view name) const {
    return std::any_of(
        profile_.functions.begin(), profile_.functions.end(),
        [&](const Function& function) { return profile_.Text(function.name) == name; });
  }

  // Returns the error for a function that the view does not contain. It may exist and only be
  // hidden.
  Error NoFunction() const {
    const std::string quoted = Quoted(query_.callers_of);
    if (!IsFunction(query_.callers_of) || (query_.all_frames && view_.code == CodeView::kMixed)) {
      return {ErrorId::kNotFound, "there is no function " + quoted + " in this profile",
              "'gprof-x report --top' lists the names"};
    }
    return {ErrorId::kNotFound, "this view leaves out the function " + quoted,
            "add --view mixed --all-frames to see all functions"};
  }

  // Returns the groups of the kernel with the short name that the user gave. Tables show short
  // names.
  std::vector<uint32_t> KernelsOfShortName(const Groups& groups) const {
    for (size_t i = 0; i < profile_.frames.size(); ++i) {
      const FrameId frame{static_cast<uint32_t>(i + 1)};
      if (profile_.frames[i].kind == FrameKind::kGpuKernel &&
          view_.kernel_labels.Short(profile_, frame) == query_.callers_of)
        return GroupsLike(profile_, groups, frame);
    }
    return {};
  }

  Status BuildTree() {
    TreeTable& table = view_.tree.emplace();
    table.groups = GroupNodes(profile_, tree_, GroupingOf(query_));
    if (query_.kind == ViewKind::kTree) {
      table.tree = Regroup(tree_, table.groups.of_node);
    } else {
      const std::optional<RowNumber> row = ParseRowNumber(query_.callers_of);
      if (row) {
        const Result<FrameId> frame = FrameOfRow(profile_, *row);
        if (!frame) return frame.error();
        table.targets = GroupsLike(profile_, table.groups, *frame);
      } else {
        if (!IsFunction(query_.callers_of)) table.targets = KernelsOfShortName(table.groups);
        if (table.targets.empty())
          table.targets = FindGroups(profile_, table.groups, query_.callers_of);
      }
      if (table.targets.empty()) {
        return NoFunction();
      }
      table.tree = CallerTree(tree_, table.groups, table.targets, kMaxCallerNodes);
    }
    table.groups.of_node = {};
    if (room_.outline) {
      const auto smallest =
          query_.limit ? int64_t{1}
                       : static_cast<int64_t>(kSmallestShare * static_cast<double>(view_.base));
      table.most_lines = Most(*room_.outline);
      table.outline = MakeOutline(table.tree, table.most_lines, smallest);
    }
    return Ok();
  }

  View& view_;
  const Profile& profile_;
  const Query& query_;
  const Room& room_;
  const MetricId metric_;
  const std::span<const LayerShare> shares_;
  const Kept kept_;
  std::vector<uint32_t> holder_of_;  // profile node -> node of tree_
  const CallTree tree_;              // keys are frames
};

}  // namespace

Result<MetricId> ChooseMetric(const Profile& profile, const std::string& asked) {
  if (!asked.empty()) {
    if (const MetricId found = profile.FindMetric(asked)) return found;
    std::string known;
    for (const Metric& metric : profile.metrics) {
      if (known.size() > 200) break;
      known += (known.empty() ? "" : ", ") + metric.name;
    }
    return Error{ErrorId::kNotFound, "there is no metric '" + asked + "' in this profile",
                 known.empty() ? "it has no metrics" : "its metrics are " + known};
  }
  const std::string clock(MetaText(profile, "clock"));
  for (const std::string& name : {clock, std::string("cpu"), std::string("samples")}) {
    if (const MetricId found = profile.FindMetric(name)) return found;
  }
  return MetricId{profile.metrics.empty() ? 0u : 1u};
}

Result<Filters> CompileFilters(const Query& query) {
  Filters filters;
  for (const auto& [name, expression, pattern] :
       {std::tuple{"--focus", &query.focus, &filters.focus},
        std::tuple{"--ignore", &query.ignore, &filters.ignore}}) {
    if (expression->empty()) continue;
    Result<Pattern> compiled = Pattern::Compile(name, *expression);
    if (!compiled) return compiled.error();
    *pattern = std::move(*compiled);
  }
  return filters;
}

int64_t View::Length(TimeRange range) const { return HostTime(profile, range.end - range.begin); }

int64_t View::Sum(const char* metric_name) const {
  const MetricId id = profile.FindMetric(metric_name);
  return id ? sums[id.index()] : 0;
}

int64_t View::WholeSum(const char* metric_name) const {
  const MetricId id = profile.FindMetric(metric_name);
  return id ? whole[id.index()] : 0;
}

std::string WaitName(const Profile& profile, const RowTable& waits, const Row& row) {
  return row.group == 0 ? "[no call]" : LabelOf(profile, waits.groups, row.group).name;
}

Result<View> BuildView(const Profile& profile, const Query& query, const Room& room,
                       const ViewEvents& events) {
  const Result<MetricId> metric = ChooseMetric(profile, query.metric);
  if (!metric) return metric.error();
  Result<Filters> filters = CompileFilters(query);
  if (!filters) return filters.error();
  View view{.profile = profile, .query = query};
  view.code = ChooseCode(profile, query);
  view.is_numbered = IsNumbered(profile, query);
  if (*metric) view.metric = profile.metrics[metric->index()];
  view.sums = SumMetrics(profile);
  view.whole = profile.part ? profile.part->whole : view.sums;
  view.whole.resize(profile.metrics.size());
  view.steps = StepsOf(profile);
  view.base = *metric ? view.sums[metric->index()] : 0;
  view.recording = DescribeRecording(profile);
  view.gpu = AssessGpu(profile);
  if (view.gpu.present) view.kernel_labels = KernelLabels(profile);
  if (profile.part) {
    view.records = profile.part->records;
  } else if (view.gpu.counted_ns > 0) {
    view.records = RecordsMade{view.gpu.launches, view.gpu.traced_launches, view.gpu.traced_ns,
                               view.gpu.counted_ns};
  }
  view.quality = AssessQuality(profile, view.gpu);
  view.imported = DescribeImport(profile);
  const Status built = Builder(view, room, *metric, std::move(*filters), events.shares).Build();
  if (!built) return built.error();
  TimelineBins corrected;
  if (events.bins != nullptr && profile.corrected) {
    corrected = Corrected(*profile.corrected, *events.bins);
  }
  const TimelineBins& time =
      events.bins != nullptr && !profile.corrected ? *events.bins : corrected;
  if (query.kind == ViewKind::kTimeline) {
    view.timeline = MakeTimeline(profile, time,
                                 {.rows = query.limit.value_or(room.threads),
                                  .markers = query.limit.value_or(room.picture_rows),
                                  .fold_streams = room.fold_streams && !query.all_frames});
    if (!time.markers.empty()) {
      view.markers = MakeMarkerTable(time, query.limit.value_or(room.picture_rows));
    }
  }
  if (query.kind == ViewKind::kMemory) {
    view.memory = MakeMemoryTable(profile, events.memory, events.memory_bins,
                                  query.limit.value_or(room.rows));
  }
  if (query.kind == ViewKind::kMarkers) {
    view.markers = MakeMarkerTable(time, query.limit.value_or(room.rows));
  }
  return view;
}

}  // namespace gprofx
