#include "cli/report/html/command.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <limits>

#include "cli/annotate/read.h"
#include "cli/command.h"
#include "cli/report/html/page.h"
#include "core/base/file_io.h"
#include "formats/output_file.h"
#include "formats/profile_reader.h"

namespace gprofx {
namespace {

constexpr size_t kMostSources = 10;  // kernels whose code is in the page
constexpr HostNs kEver = std::numeric_limits<HostNs>::max();

// The hottest kernels with PC samples, annotated.
Status AddSources(const ProfileReader& file, const View& view, std::vector<Annotation>& kernels,
                  std::string& no_sass) {
  if (!view.kernels) return Ok();
  std::vector<std::string> names;
  for (const GpuRow& row : view.kernels->rows) {
    if (names.size() == kMostSources) break;
    if (row.samples > 0 && row.frame) names.push_back(OperationName(view.profile, row.frame));
  }
  if (names.empty()) return Ok();
  Result<std::vector<AnnotateInput>> inputs = ReadKernelSamples(file, view.profile, names);
  if (!inputs) return inputs.error();
  for (AnnotateInput& input : *inputs) {
    no_sass = AddSass(input);
    kernels.push_back(Annotate(input));
  }
  return Ok();
}

Result<PageTimeline> ReadTimeline(const ProfileReader& file, const View& view,
                                  const PageTree& tree, const PageBudget& budget) {
  const HostNs duration = view.recording.duration_ns;
  const int64_t expected = view.profile.sample_rows + view.Sum(kMetricGpuOps);
  PageTimelineBuilder builder(view.profile, tree, duration, {0, duration}, expected, budget);
  const Result<int64_t> samples = file.Samples(
      std::numeric_limits<HostNs>::min(), kEver,
      [&](std::span<const SampleRow> rows) { builder.AddSamples(rows); });
  if (!samples) return samples.error();
  for (const Stream stream : {Stream::kKernels, Stream::kCopies, Stream::kSets, Stream::kCalls}) {
    const Result<int64_t> rows = file.Events(
        stream, PageTimelineBuilder::ColumnsOf(stream), std::numeric_limits<HostNs>::min(), kEver,
        [&](const EventTable& events) {
          stream == Stream::kCalls ? builder.AddCalls(events) : builder.AddWork(events);
        });
    if (!rows) return rows.error();
  }
  return builder.Finish();
}

Result<std::string> MakePage(const ReportCommand& command) {
  ProgressLine progress(STDERR_FILENO);
  progress.Show("reading " + command.file);
  const Result<ProfileReader> file = ProfileReader::Open(command.file);
  if (!file) return file.error();
  // Never destroyed, see RunReport.
  const auto* profile = new Result<Profile>(file->Load());
  if (!*profile) return profile->error();
  Query query = command.options.query;
  const Result<MetricId> metric = ChooseMetric(**profile, query.metric);
  if (!metric) return metric.error();
  const Result<Filters> filters = CompileFilters(query);
  if (!filters) return filters.error();
  query.metric.clear();  // the page has all of them; it begins with this one
  const Result<View> view = BuildView(**profile, query);
  if (!view) return view.error();

  const PageBudget budget;
  const PageTree tree = MakePageTree(**profile, KeptStacks(**profile, *filters), *metric,
                                     query.all_frames, budget);
  const Result<PageTimeline> timeline = ReadTimeline(*file, *view, tree, budget);
  if (!timeline) return timeline.error();
  PageInput input{*view, tree, *timeline, {}, "", {}, command.file};
  progress.Show("annotating kernels");
  if (Status read = AddSources(*file, *view, input.kernels, input.no_sass); !read) {
    return read.error();
  }
  const Result<std::vector<Finding>> findings = file->Findings();
  if (!findings) return findings.error();
  input.findings = *findings;
  return RenderPage(input);
}

Error CannotWrite(const std::string& path) {
  return {"cannot write " + path + ": " + strerror(errno), "name another file after --html"};
}

}  // namespace

Status WriteHtml(const ReportCommand& command) {
  const std::string& path = command.html;
  // 'report --html run.gprofx' asks for a page of profile.gprofx in the place of a recording.
  if (path != "-" && IsProfile(path)) {
    return Error{path + " is a profile, not a page", "gprof-x report --html run.html " + path};
  }
  const Result<std::string> page = MakePage(command);
  if (!page) return page.error();
  if (path == "-") {
    return WriteAll(STDOUT_FILENO, page->data(), page->size()) ? Ok() : CannotWrite("the output");
  }
  const UniqueFd file(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!file) return CannotWrite(path);
  if (!WriteAll(file.get(), page->data(), page->size())) {
    const Error error = CannotWrite(path);
    unlink(path.c_str());  // half a page is none
    return error;
  }
  return Ok();
}

}  // namespace gprofx
