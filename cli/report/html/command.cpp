#include "cli/report/html/command.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <span>
#include <utility>

#include "cli/analyze/findings.h"
#include "cli/annotate/read.h"
#include "cli/command.h"
#include "cli/forecast/run_tables.h"
#include "cli/report/html/page.h"
#include "cli/text_file.h"
#include "core/base/file_io.h"
#include "core/cost/profiling_time.h"
#include "core/slice/choose_part.h"
#include "core/slice/part_builder.h"
#include "formats/profile/profile_reader.h"
#include "formats/reading/analysis_read.h"
#include "formats/reading/part_read.h"
#include "formats/sqlite/output_file.h"

namespace gprofx {
namespace {

constexpr size_t kMaxSources = 10;  // max kernels whose code the page contains

// Annotates those kernels with PC samples that take the most time. Sets `no_sass` if there is no
// disassembly.
Status AddSources(const ProfileSource& source, const View& view, std::vector<Annotation>& kernels,
                  std::string& no_sass) {
  if (!view.kernels) return Ok();
  std::vector<std::string> names;
  for (const GpuRow& row : view.kernels->rows) {
    if (names.size() == kMaxSources) break;
    if (row.samples > 0 && row.frame) names.push_back(OperationName(view.profile, row.frame));
  }
  if (names.empty()) return Ok();
  Result<std::vector<AnnotateInput>> inputs = ReadKernelSamples(source, view.profile, names);
  if (!inputs) return inputs.error();
  for (AnnotateInput& input : *inputs) {
    no_sass = AddSass(input);
    kernels.push_back(Annotate(input));
  }
  return Ok();
}

Result<PageTimeline> ReadEvents(const ProfileSource& source, const View& view, TimeRange focus,
                                PageTree& tree, const PageBudget& budget) {
  const int64_t expected = view.profile.sample_rows + view.Sum(kMetricGpuOps);
  PageTimelineBuilder builder(view.profile, tree, EndOfRecording(view.profile),
                              {focus.begin, focus.end}, expected, budget);
  const Result<int64_t> samples = source.Samples(
      kEarliest, kLatest, WithoutLeftOut(view.profile, [&](std::span<const SampleRow> rows) {
        builder.AddSamples(rows);
      }));
  if (!samples) return samples.error();
  for (const Stream stream : {Stream::kKernels, Stream::kCopies, Stream::kSets, Stream::kCalls}) {
    const Result<int64_t> rows = source.Events(stream, PageTimelineBuilder::ColumnsOf(stream),
                                               kEarliest, kLatest, [&](const EventTable& events) {
                                                 stream == Stream::kCalls ? builder.AddCalls(events)
                                                                          : builder.AddWork(events);
                                               });
    if (!rows) return rows.error();
  }
  return builder.Finish();
}

// Reads the ranges that the program has named.
Result<PageMarkers> ReadMarkers(const ProfileSource& source, const Profile& profile) {
  static constexpr std::array<size_t, 5> kColumns = {column::kMarkerStart, column::kMarkerDuration,
                                                     column::kMarkerThread, column::kMarkerName,
                                                     column::kMarkerDomain};
  PageMarkersBuilder builder(profile, EndOfRecording(profile));
  const Result<int64_t> rows =
      source.Events(Stream::kMarkers, kColumns, kEarliest, kLatest,
                    [&](const EventTable& events) { builder.Add(events); });
  if (!rows) return rows.error();
  return std::move(builder).Finish();
}

Status ReadEstimates(const ProfileSource& source, const Profile& profile, PageInput& input) {
  if (!HasGaps(profile)) return Ok();
  const Result<std::vector<LevelWindow>> windows = ReadWindows(source, profile);
  if (!windows) return windows.error();
  PageEstimatesBuilder estimates(profile, *windows);
  const Status read = ReadLaunches(source, kEarliest, kLatest,
                                   [&](const PhaseLaunch& launch) { estimates.Add(launch); });
  input.estimates = std::move(estimates).Finish(input.tree);
  return read;
}

// During the lifetime of this object, the profile is restricted to a range. The destructor restores
// the whole profile.
class PartShown {
 public:
  PartShown(Profile& profile, PartValues values, const ShownPart& part)
      : profile_(profile),
        values_(profile.values),
        wall_(profile.gpu.wall),
        lanes_(profile.gpu.lanes),
        quality_(profile.quality) {
    ShowPart(std::move(values), part, profile);
  }
  ~PartShown() {
    profile_.values = std::move(values_);
    profile_.gpu.wall = std::move(wall_);
    profile_.gpu.lanes = std::move(lanes_);
    profile_.quality = std::move(quality_);
    profile_.part.reset();
  }
  PartShown(const PartShown&) = delete;
  PartShown& operator=(const PartShown&) = delete;

 private:
  Profile& profile_;
  decltype(Profile::values) values_;
  decltype(GpuTables::wall) wall_;
  decltype(GpuTables::lanes) lanes_;
  decltype(Profile::quality) quality_;
};

std::string RunName(const Profile& profile, const ReportCommand& command) {
  const auto label = profile.meta.find("label");
  if (label != profile.meta.end() && !label->second.empty()) return label->second;
  const std::vector<std::string>& files = command.files;
  return files.size() == 1 ? files[0] : std::to_string(files.size()) + " recordings";
}

// The data of a page that are about its first range.
struct PageOfPart {
  PageStart start;
  std::optional<PageAnalyses> analyses;
};

// Runs the analyses of a page. `shown` is the profile, restricted to the range that `gprof-x
// analyze` would analyze by default.
Status ReadAnalyses(const ProfileSource& source, const Profile& shown, const ReportCommand& command,
                    PageOfPart& out) {
  const Result<GpuWorkEvents> events = ReadGpuWork(source, shown);
  if (!events) return events.error();
  Levels levels = FindLevels(shown);
  const bool has_model = HasModel(levels);
  const analyses::AnalysisContext context(shown, *events, RunName(shown, command),
                                          std::move(levels));
  if (command.files.size() == 1 && !command.options.redact) {
    Result<findings::FindingReport> findings = ReadFindings(source, context);
    if (!findings) return findings.error();
    out.start.findings = std::move(*findings);
  }
  if (!has_model) return Ok();
  out.analyses = MakePageAnalyses(context);
  const Query& query = command.options.query;
  out.analyses->filtered = !query.focus.empty() || !query.ignore.empty();
  return Ok();
}

Status ReadStart(const Profile& shown, const Query& query, const ReportCommand& command,
                 PageOfPart& out) {
  const Result<View> view = BuildView(shown, query);
  if (!view) return view.error();
  std::optional<findings::FindingReport> findings = std::move(out.start.findings);
  out.start = MakePageStart(*view, command.files);
  out.start.findings = std::move(findings);
  return Ok();
}

Result<PageOfPart> ReadPageOfPart(const ProfileSource& source, Profile& profile,
                                  const std::optional<ShownPart>& part,
                                  const ReportCommand& command, const Query& query) {
  PageOfPart out;
  // If CPU samples have no times, the default range would contain no host code. Start with the
  // whole run then, unless the user chose a range.
  const bool of_whole = !command.options.query.part.IsPart() && OnlyEventsHaveTimes(profile);
  std::optional<PartValues> values;
  if (part) {
    Result<std::optional<PartValues>> read = ReadPart(source, part->range, profile);
    if (!read) return read.error();
    values = std::move(*read);
  }
  const bool has_gpu = HasGpuData(profile);
  if (values) {
    const PartShown shown(profile, std::move(*values), *part);
    if (has_gpu && !of_whole) {
      if (Status done = ReadAnalyses(source, profile, command, out); !done) return done.error();
    }
    if (Status done = ReadStart(profile, query, command, out); !done) return done.error();
    if (!of_whole) return out;
  } else if (Status done = ReadStart(profile, query, command, out); !done) {
    return done.error();
  }
  if (!has_gpu) return out;
  if (Status done = ReadAnalyses(source, profile, command, out); !done) return done.error();
  return out;
}

Result<std::optional<PageAnalyses>> ReadForecast(const ReportCommand& command) {
  if (command.forecast.empty()) return std::optional<PageAnalyses>();
  if (command.files.size() > 1) {
    return Error{ErrorId::kWrongRecordings,
                 "option '--forecast' needs exactly one recording, but " +
                     std::to_string(command.files.size()) + " are given",
                 "make one page for each"};
  }
  ForecastCommand forecast;
  forecast.recording = command.files[0];
  forecast.compare = command.forecast;
  forecast.part = command.options.query.part;
  const Result<RecordingReport> report = ForecastRecording(forecast, forecast::BuiltInDevices());
  if (!report) return report.error();
  PageAnalyses page;
  page.part = report->part;
  page.analyses = RunForecastTables(*report);
  return std::optional<PageAnalyses>(std::move(page));
}

Result<std::string> MakePage(const ProfileSource& source, Profile& profile,
                             const ReportCommand& command) {
  ProgressLine progress(STDERR_FILENO);
  progress.Show("making the page");
  Result<std::optional<PageAnalyses>> forecast = ReadForecast(command);
  if (!forecast) return forecast.error();
  Query query = command.options.query;
  const Result<MetricId> metric = ChooseMetric(profile, query.metric);
  if (!metric) return metric.error();
  const Result<Filters> filters = CompileFilters(query);
  if (!filters) return filters.error();
  query.metric.clear();  // the page has all metrics, and shows `metric` first
  const Result<std::optional<ShownPart>> part = ChoosePart(profile, query.part);
  if (!part) return part.error();
  Result<PageOfPart> of_part = ReadPageOfPart(source, profile, *part, command, query);
  if (!of_part) return of_part.error();
  const Result<View> view = BuildView(profile, query);
  if (!view) return view.error();

  const TimeRange focus = *part ? (*part)->range : TimeRange{0, EndOfRecording(profile)};

  const PageBudget budget;
  PageTree tree =
      MakePageTree(profile, KeptStacks(profile, *filters), *metric, query.all_frames, budget);
  const Result<PageTimeline> timeline = ReadEvents(source, *view, focus, tree, budget);
  if (!timeline) return timeline.error();
  PageInput input{.view = *view,
                  .tree = tree,
                  .timeline = *timeline,
                  .part = *part,
                  .start = std::move(of_part->start),
                  .files = command.files};
  if (Status read = AddSources(source, *view, input.kernels, input.no_sass); !read) {
    return read.error();
  }
  Result<std::vector<SourceText>> sources = source.Sources();
  if (!sources) return sources.error();
  input.sources = std::move(*sources);
  Result<PageMarkers> markers = ReadMarkers(source, profile);
  if (!markers) return markers.error();
  input.markers = std::move(*markers);
  if (Status read = ReadEstimates(source, profile, input); !read) return read.error();
  input.analyses = std::move(of_part->analyses);
  input.forecast = std::move(*forecast);
  return RenderPage(input);
}

}  // namespace

Status CheckHtml(const ReportCommand& command) {
  const std::string& path = command.html;
  // Fails for 'report --html run.gprofx', which would replace a recording by a page of
  // profile.gprofx.
  if (path == "-") return Ok();
  if (!IsProfile(path)) {
    const Status fits = CheckTextFile(path, "--html");
    if (fits) return fits;
    return Error{fits.error().id, fits.error().what,
                 "name a file after --html, or - for standard output"};
  }
  return Error{ErrorId::kOutputExists, "'" + path + "' is a profile, not a page",
               "name the page first: gprof-x report --html run.html " + path};
}

Status WriteHtml(const ProfileSource& source, Profile& profile, const ReportCommand& command) {
  const std::string& path = command.html;
  const Result<std::string> page = MakePage(source, profile, command);
  if (!page) return page.error();
  if (path != "-") return ReplaceTextFile(path, *page, "--html");
  if (WriteAll(STDOUT_FILENO, page->data(), page->size())) return Ok();
  return Error{ErrorId::kCannotWrite, std::string("cannot write the output: ") + strerror(errno),
               "name another file after --html"};
}

}  // namespace gprofx
