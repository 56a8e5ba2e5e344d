// Makes the data of a page in the form that data.js reads. All texts are shortened and made
// printable here (Printable). The script inserts them only as text.
#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "cli/json_text.h"
#include "cli/report/html/packed.h"
#include "cli/report/html/page.h"
#include "cli/report/html/page_text.h"
#include "cli/report/html/source.h"
#include "cli/report/number.h"
#include "cli/report/quality_text.h"
#include "cli/report/text/text.h"
#include "cli/terminal/shorten.h"
#include "cli/terminal/text.h"
#include "core/base/arithmetic.h"
#include "core/views/naming/names.h"
#include "core/views/ranks.h"
#include "core/views/steps.h"

namespace gprofx {
namespace {

constexpr int kLongestMarker = 200, kShortKernel = 80;
constexpr int kHeadColumns = 1'000;  // max columns of a line of the header, which the browser wraps
constexpr size_t kMaxKernels = 400, kMaxTrains = 64;

bool IsKernel(const Label& label) { return label.kind == FrameKind::kGpuKernel; }

class Writer {
 public:
  explicit Writer(const PageInput& input)
      : view_(input.view),
        tree_(input.tree),
        time_(input.timeline),
        input_(input),
        kernels_(input.view.kernel_labels.ByFullName(input.view.profile)) {}

  PageData Write() {
    Json json = {{"schema", "gprof-x.page/1"},
                 {"version", GPROFX_VERSION},
                 {"files", FilesJson()},
                 {"program", PageText(view_.recording.program)},
                 {"duration_ns", time_.duration},
                 {"length_ns", view_.Length({0, time_.duration})},
                 {"start_realtime_ns", view_.recording.start_realtime_ns},
                 {"processes_total", view_.recording.processes},
                 {"threads_total", view_.recording.threads},
                 {"degraded", !view_.quality.flaws.empty()},
                 {"flaws", FlawTexts(view_.quality, view_.gpu)},
                 {"head", HeadJson()},
                 {"metrics", MetricsJson()},
                 {"processes", ProcessesJson()},
                 {"threads", ThreadsJson()},
                 {"streams", StreamsJson()},
                 {"left_out_nodes", tree_.left_out},
                 {"slice_nodes", time_.folded_nodes},
                 {"has_events", time_.has_events || !input_.markers.markers.empty()},
                 {"markers", MarkersJson()},
                 {"window", {time_.window_begin, time_.window_end}},
                 {"buckets", PageTimeline::kBuckets}};
    if (view_.profile.corrected) {
      json["corrected"] = 1 + static_cast<double>(view_.profile.corrected->ppm) / 1e6;
      json["corrected_samples"] =
          1 + static_cast<double>(SampledPpm(*view_.profile.corrected)) / 1e6;
    }
    if (view_.gpu.present) json["wall"] = WallJson(view_.wall);
    WritePhases(json);
    json["kernels"] = KernelsJson();
    json["sources"] = SourcesJson(input_.kernels, kernels_, input_.no_sass);
    json["file_texts"] = FileTextsJson(input_.sources, view_.profile, tree_);
    json["verdict"] = VerdictJson();
    json["lanes"] = LanesJson(view_.lanes);
    if (input_.start.ranks) json["ranks"] = PageRanksJson(*input_.start.ranks);
    if (input_.start.findings) {
      json["findings"] = PageFindingsJson(*input_.start.findings, tree_);
    }
    if (input_.analyses) json["analyses"] = PageAnalysesJson(*input_.analyses, kernels_);
    if (input_.forecast) json["forecast"] = PageAnalysesJson(*input_.forecast, kernels_);
    WriteTree();
    WriteTime();
    WriteMarkers();
    WriteEstimates();
    json["texts"] = std::move(texts_.list());
    json["columns"] = columns_.directory();
    return {json.dump(-1, ' ', false, Json::error_handler_t::replace), columns_.bytes()};
  }

 private:
  std::string ShortName(const Label& label) const {
    const auto kernel = kernels_.find(label.name);
    if (IsKernel(label) && kernel != kernels_.end()) return PageText(kernel->second);
    const std::string name = PageText(label.name);
    return label.kind == FrameKind::kPython ? name : ShortenName(name, kShortKernel);
  }

  Json HeadJson() const {
    ReportSurroundings around;
    around.screen.columns = kHeadColumns;
    around.files = input_.files;
    const std::string head = HeadText({view_, around, true});
    Json lines = Json::array();
    for (size_t begin = 0; begin < head.size();) {
      const size_t end = std::min(head.find('\n', begin), head.size());
      if (end > begin) lines.push_back(PageText(std::string_view(head).substr(begin, end - begin)));
      begin = end + 1;
    }
    return lines;
  }

  Json FilesJson() const {
    Json list = Json::array();
    for (const std::string& file : input_.files) list.push_back(PageText(file));
    return list;
  }

  // Returns the number by which times in a range are divided (core/cost/host_correction.h), or
  // null. The times of the whole run are already divided.
  Json DividedBy(const Metric& metric) const {
    const std::optional<HostCorrection>& corrected = view_.profile.corrected;
    if (!corrected || !IsHostTime(metric)) return nullptr;
    const bool sampled = metric.kind == MetricKind::kSampled;
    return 1 + static_cast<double>(sampled ? SampledPpm(*corrected) : corrected->ppm) / 1e6;
  }

  Json MetricsJson() const {
    Json list = Json::array();
    for (const PageMetric& metric : tree_.metrics) {
      const Metric& row = view_.profile.metrics[metric.id.index()];
      list.push_back({{"name", PageText(row.name)},
                      {"unit", PageText(row.unit)},
                      {"what", WholeName(row)},
                      {"events", static_cast<int>(metric.events)},
                      {"divided_by", DividedBy(row)},
                      {"sum", metric.sum}});
    }
    return list;
  }

  Json ProcessesJson() const {
    Json list = Json::array();
    for (const PageProcess& process : tree_.processes) {
      list.push_back(
          {{"name", PageText(process.name)}, {"pid", process.pid}, {"rank", process.rank}});
    }
    return list;
  }

  Json ThreadsJson() const {
    Json list = Json::array();
    for (const PageThread& thread : tree_.threads) {
      list.push_back({{"name", PageText(thread.name)},
                      {"tid", thread.tid},
                      {"process", thread.process},
                      {"others", thread.others}});
    }
    return list;
  }

  Json StreamsJson() const {
    Json list = Json::array();
    for (const PageStream& stream : time_.streams) {
      list.push_back({{"gpu", stream.gpu_known ? Json(stream.gpu) : Json(nullptr)},
                      {"number", stream.number},
                      {"process", stream.process}});
    }
    return list;
  }

  // Returns the lanes of the ranges that the program has named. WriteMarkers() writes the ranges in
  // them.
  Json MarkersJson() const {
    Json lanes = Json::array();
    for (const PageMarkerLane& lane : input_.markers.lanes) {
      lanes.push_back({{"thread", PageText(lane.thread)}, {"tid", lane.tid}, {"rows", lane.rows}});
    }
    return {{"left_out", input_.markers.left_out}, {"lanes", std::move(lanes)}};
  }

  void WriteMarkers() {
    const std::vector<PageMarker>& markers = input_.markers.markers;
    const Profile& profile = view_.profile;
    columns_.AddDeltas("marker.start", markers, [](const PageMarker& m) { return m.start; });
    columns_.Add("marker.duration", markers, [](const PageMarker& m) { return m.duration; });
    columns_.Add("marker.lane", markers, [](const PageMarker& m) { return m.lane; });
    columns_.Add("marker.row", markers, [](const PageMarker& m) { return m.row; });
    columns_.Add("marker.name", markers, [&](const PageMarker& m) {
      return texts_.Of(
          FitEnd(Printable(profile.Text(m.name).substr(0, 4 * kLongestMarker)), kLongestMarker));
    });
    columns_.Add("marker.domain", markers, [&](const PageMarker& m) {
      return texts_.Of(
          FitEnd(Printable(profile.Text(m.domain).substr(0, 4 * kLongestMarker)), kLongestMarker));
    });
  }

  static Json ConfigJson(const KernelLaunches& launches) {
    if (launches.first == nullptr) return nullptr;
    const GpuKernelConfig& config = *launches.first;
    return {{"grid", config.grid},
            {"block", config.block},
            {"registers", config.registers},
            {"shared", int64_t{config.static_shared} + config.dynamic_shared},
            {"configurations", launches.configurations}};
  }

  // Returns the steps of each process.
  Json TrainsJson(const std::vector<StepTrain>& trains) const {
    Json list = Json::array();
    for (size_t i = 0; i < std::min(trains.size(), kMaxTrains); ++i) {
      const StepNumbers numbers = NumbersOf(view_.profile, trains[i]);
      const bool known = static_cast<bool>(trains[i].process);
      const Process* process = known ? &view_.profile.process(trains[i].process) : nullptr;
      list.push_back({{"process", known ? PageText(view_.profile.Text(process->name)) : "?"},
                      {"pid", known ? process->pid : 0},
                      {"rank", known ? RankOf(view_.profile, trains[i].process) : -1},
                      {"count", numbers.count},
                      {"median_ns", numbers.median_ns},
                      {"mean_ns", numbers.mean_ns},
                      {"p95_ns", numbers.p95_ns}});
    }
    return list;
  }

  void WritePhases(Json& json) {
    const Phases& phases = view_.profile.phases;
    if (!phases.phases.empty()) {
      json["phases"] = Json::array();
      for (const Phase& phase : phases.phases) {
        json["phases"].push_back({{"name", PhaseName(phase.kind)},
                                  {"begin", phase.range.begin},
                                  {"end", phase.range.end}});
      }
    }
    if (!phases.trains.empty()) {
      const StepTrain& train = phases.trains.front();
      const StepNumbers numbers = NumbersOf(view_.profile, train);
      json["steps"] = {{"found_by", StepSourceName(train.source)},
                       {"warm_up", train.warm_up},
                       {"text", StepsInWords(numbers)}};
      json["trains"] = TrainsJson(phases.trains);
      columns_.AddDeltas("step.begin", train.steps, [](TimeRange step) { return step.begin; });
      columns_.AddDeltas("step.end", train.steps, [](TimeRange step) { return step.end; });
    }
    if (!input_.part) return;
    const ShownPart& part = *input_.part;
    std::string name = part.phase ? PhaseName(*part.phase) : "";
    if (!part.phase && part.steps > 0) {
      name = "steps " + std::to_string(part.first_step) + " to " +
             std::to_string(part.first_step + part.steps - 1);
    }
    json["range"] = {{"begin", part.range.begin}, {"end", part.range.end}, {"name", name}};
    if (view_.gpu.present) {
      json["range"]["wall"] = WallJson(input_.start.wall);
      json["range"]["lanes"] = LanesJson(input_.start.lanes);
    }
  }

  void WriteEstimates() {
    const auto& [gaps, launches, work] = input_.estimates;
    columns_.AddDeltas("gap.begin", gaps, [](const auto& gap) { return gap.begin; });
    columns_.AddDeltas("gap.end", gaps, [](const auto& gap) { return gap.end; });
    columns_.Add("gap.launches", gaps, [](const auto& gap) { return gap.launches; });
    columns_.AddDeltas("gap.group", gaps, [](const auto& gap) { return gap.group; });
    columns_.AddDeltas("unseen.path", launches, [](const auto& row) { return row.path; });
    columns_.AddDeltas("unseen.group", launches, [](const auto& row) { return row.group; });
    columns_.Add("unseen.launches", launches, [](const auto& row) { return row.count; });
    columns_.AddDeltas("estimate.thread", work, [](const auto& row) { return row.thread; });
    columns_.AddDeltas("estimate.node", work, [](const auto& row) { return row.node; });
    columns_.AddDeltas("estimate.path", work, [](const auto& row) { return row.path; });
    columns_.Add("estimate.ns", work, [](const auto& row) { return row.ns; });
    columns_.Add("estimate.runs", work, [](const auto& row) { return row.runs; });
  }

  // Returns the rows of kernels and copies of the whole run. The member "text" is the full name, as
  // in the rows of functions.
  Json KernelsJson() {
    if (!view_.kernels) return nullptr;
    const GpuTable& table = *view_.kernels;
    Json rows = Json::array();
    for (size_t i = 0; i < std::min(table.rows.size(), kMaxKernels); ++i) {
      const GpuRow& row = table.rows[i];
      Json json = {{"text", texts_.Of(OperationName(view_.profile, row.frame))},
                   {"ns", row.self_ns},
                   {"calls", row.calls},
                   {"samples", row.samples},
                   {"latency", row.latency},
                   {"stalls", row.stalls},
                   {"config", ConfigJson(LaunchesOf(view_.profile, row.frame))}};
      if (table.estimated) json["error_ns"] = StandardErrorNs(row);
      rows.push_back(std::move(json));
    }
    Json classes = Json::array();
    for (const char* name : kStallClassNames) classes.push_back(name);
    return {{"estimated", table.estimated},
            {"whole_ns", table.whole.self_ns},
            {"rows_total", table.rows.size()},
            {"stall_classes", std::move(classes)},
            {"rows", std::move(rows)}};
  }

  // Returns the sentences of the verdict and the function that they name.
  Json VerdictJson() const {
    const PageStart& start = input_.start;
    Json sentences = Json::array();
    for (const std::string& each : start.verdict) sentences.push_back(PageText(each));
    Json own;
    if (start.own_line) {
      const Frame& frame = view_.profile.frame(start.own_line);
      own = {{"name", PageText(FrameName(view_.profile, frame))},
             {"file", PageText(FrameFile(view_.profile, frame))}};
    }
    return {{"sentences", std::move(sentences)}, {"own", std::move(own)}};
  }

  void WriteTree() {
    const auto& nodes = tree_.nodes;
    columns_.AddDeltas("node.parent", nodes, [](const PageNode& node) { return node.parent; });
    columns_.Add("node.site", nodes, [](const PageNode& node) { return node.site; });
    columns_.Add("node.seen", nodes, [](const PageNode& node) { return node.seen_as; });
    const auto short_of = [&](const Label& label) { return ShortName(label); };
    AddLabels(
        "site", tree_.sites, [](const PageSite& site) -> const Label& { return site.label; },
        short_of, texts_, columns_);
    columns_.Add("site.function", tree_.sites, [](const PageSite& site) { return site.function; });
    columns_.Add("site.own", tree_.sites, [](const PageSite& site) { return site.own ? 1 : 0; });
    columns_.Add("site.library", tree_.sites,
                 [&](const PageSite& site) { return texts_.Of(site.library); });
    AddLabels(
        "function", tree_.functions, [](const Label& label) -> const Label& { return label; },
        short_of, texts_, columns_);
    for (size_t i = 0; i < tree_.metrics.size(); ++i) {
      const std::string name = "value" + std::to_string(i) + ".";
      const auto& values = tree_.metrics[i].values;
      columns_.AddDeltas((name + "thread").c_str(), values,
                         [](const PageValue& value) { return value.thread; });
      columns_.AddDeltas((name + "node").c_str(), values,
                         [](const PageValue& value) { return value.node; });
      columns_.Add((name + "self").c_str(), values,
                   [](const PageValue& value) { return value.self; });
    }
  }

  void WriteTime() {
    columns_.AddDeltas("part.begin", time_.parts, [](const auto& part) { return part.first; });
    columns_.AddDeltas("part.end", time_.parts, [](const auto& part) { return part.second; });
    columns_.AddDeltas("sample.time", time_.samples, [](const PageSample& s) { return s.time; });
    columns_.Add("sample.thread", time_.samples, [](const PageSample& s) { return s.thread; });
    columns_.Add("sample.node", time_.samples, [](const PageSample& s) { return s.node; });
    columns_.Add("sample.weight", time_.samples, [](const PageSample& s) { return s.weight; });
    columns_.AddDeltas("work.start", time_.work, [](const PageWork& w) { return w.start; });
    columns_.Add("work.duration", time_.work, [](const PageWork& w) { return w.duration; });
    // Time from the launch of an operation to its start; -1 = unknown. It differs little between
    // successive operations.
    columns_.AddDeltas("work.delay", time_.work, [](const PageWork& w) {
      return w.launch == 0 ? int64_t{-1}
                           : std::max<int64_t>(SubtractSaturated(w.start, w.launch), 0);
    });
    columns_.Add("work.thread", time_.work, [](const PageWork& w) { return w.thread; });
    columns_.AddDeltas("work.node", time_.work, [](const PageWork& w) { return w.node; });
    columns_.Add("work.stream", time_.work, [](const PageWork& w) { return w.stream; });
    columns_.AddDeltas("wait.start", time_.waits, [](const PageWait& w) { return w.start; });
    columns_.Add("wait.duration", time_.waits, [](const PageWait& w) { return w.duration; });
    columns_.Add("wait.thread", time_.waits, [](const PageWait& w) { return w.thread; });
    columns_.Add("wait.node", time_.waits, [](const PageWait& w) { return w.node; });
    WriteSlices("slice1", time_.sample_slices);
    WriteSlices("slice2", time_.work_slices);
    WriteSlices("slice3", time_.wait_slices);
    WriteLanes("thread", time_.thread_lanes);
    WriteLanes("stream", time_.stream_lanes);
  }

  void WriteSlices(const std::string& name, const std::vector<PageSlice>& slices) {
    columns_.AddDeltas((name + ".part").c_str(), slices, [](const PageSlice& s) { return s.part; });
    columns_.AddDeltas((name + ".thread").c_str(), slices,
                       [](const PageSlice& s) { return s.thread; });
    columns_.AddDeltas((name + ".node").c_str(), slices, [](const PageSlice& s) { return s.node; });
    columns_.Add((name + ".count").c_str(), slices, [](const PageSlice& s) { return s.count; });
    columns_.Add((name + ".self").c_str(), slices, [](const PageSlice& s) { return s.self; });
  }

  // Writes how busy a lane was in each bucket, as a number from 0 (idle) to 255 (always busy). Any
  // activity counts as at least 1.
  void WriteLanes(const std::string& name, const std::vector<PageLane>& lanes) {
    const double bucket =
        static_cast<double>(time_.duration) / static_cast<double>(PageTimeline::kBuckets);
    for (size_t i = 0; i < lanes.size(); ++i) {
      for (size_t k = 0; k < kLaneClasses; ++k) {
        const std::string column = "lane." + name + std::to_string(i) + "." + std::to_string(k);
        columns_.Add(column.c_str(), lanes[i].ns[k], [&](int64_t ns) {
          const double share = std::clamp(static_cast<double>(ns) / bucket, 0.0, 1.0);
          return ns > 0 ? std::max(1, static_cast<int>(share * 255 + 0.5)) : 0;
        });
      }
    }
  }

  const View& view_;
  const PageTree& tree_;
  const PageTimeline& time_;
  const PageInput& input_;
  const std::unordered_map<std::string, std::string> kernels_;  // short name by full name
  PageTexts texts_;
  PackedColumns columns_;
};

}  // namespace

PageData MakePageData(const PageInput& input) { return Writer(input).Write(); }

}  // namespace gprofx
