#include "cli/import/check_text.h"

#include <vector>

#include "cli/report/number.h"
#include "cli/terminal/table.h"
#include "cli/terminal/text.h"
#include "core/base/arithmetic.h"
#include "core/events/events.h"
#include "core/views/imported.h"

namespace gprofx {
namespace {

struct Row {
  std::string what;
  int64_t taken = 0, left_out = 0;
};

int64_t CounterOf(const Profile& profile, const char* name) {
  const auto found = profile.quality.find(name);
  return found == profile.quality.end() ? 0 : found->second;
}

int64_t SumOf(const Profile& profile, MetricId metric) {
  int64_t sum = 0;
  for (const Value& value : profile.values) {
    if (value.metric == metric) sum = AddSaturated(sum, value.self);
  }
  return sum;
}

// Returns the number of samples. Uses counters and sums, because samples without a time are not in
// the event stream.
int64_t SamplesOf(const Profile& profile) {
  if (const int64_t samples = CounterOf(profile, "import_samples"); samples > 0) return samples;
  const MetricId metric = profile.FindMetric("samples");
  return metric ? SumOf(profile, metric) : CounterOf(profile, "samples");
}

std::vector<Row> RowsOf(const importers::ImportedTrace& trace) {
  std::vector<Row> rows;
  const int64_t stacks = CounterOf(trace.profile, "import_stacks");
  if (stacks > 0) rows.push_back({"stacks", stacks});
  if (const int64_t samples = SamplesOf(trace.profile); samples > 0 && stacks == 0) {
    rows.push_back({"samples", samples});
  }
  for (const EventStream& stream : EventStreams()) {
    const auto found = trace.rows.find(stream.id);
    if (found != trace.rows.end()) rows.push_back({stream.name, found->second});
  }
  for (const LeftOut& left : DescribeImport(trace.profile).left_out) {
    rows.push_back({Printable(left.what), 0, left.count});
  }
  return rows;
}

std::string CountText(int64_t count) { return count == 0 ? "-" : Grouped(count); }

std::string TableOfEvents(const std::vector<Row>& rows, const Screen& screen) {
  if (rows.empty()) return "";
  Table table({{"what", Align::kLeft, 1, &FitEnd},
               {"in the file", Align::kRight},
               {"imported", Align::kRight},
               {"left out", Align::kRight}});
  for (const Row& row : rows) {
    table.Add({row.what, Grouped(row.taken + row.left_out), CountText(row.taken),
               CountText(row.left_out)});
  }
  return table.Render(screen, false) + "\n";
}

std::string TableOfMetrics(const Profile& profile, const Screen& screen) {
  std::vector<int64_t> sums(profile.metrics.size());
  for (const Value& value : profile.values) {
    int64_t& sum = sums[value.metric.index()];
    sum = AddSaturated(sum, value.self);
  }
  Table table({{"metric", Align::kLeft, 1, &FitEnd}, {"total", Align::kRight}});
  for (size_t i = 0; i < sums.size(); ++i) {
    const Metric& metric = profile.metrics[i];
    if (sums[i] == 0) continue;
    table.Add({Printable(metric.name), Amount(sums[i], metric.unit)});
  }
  return table.Render(screen, false);
}

std::string Counted(size_t count, const char* one, const char* many) {
  return Grouped(static_cast<int64_t>(count)) + " " + (count == 1 ? one : many);
}

}  // namespace

std::string CheckText(const importers::ImportedTrace& trace, const std::string& input,
                      const Screen& screen) {
  const Profile& profile = trace.profile;
  return Printable(input) + ": " + Printable(DescribeImport(profile).from) + "\n" +
         Counted(profile.processes.size(), "process", "processes") + ", " +
         Counted(profile.threads.size(), "thread", "threads") + ", " +
         Counted(profile.nodes.size() - 1, "call path", "call paths") + "\n\n" +
         TableOfEvents(RowsOf(trace), screen) + TableOfMetrics(profile, screen);
}

}  // namespace gprofx
