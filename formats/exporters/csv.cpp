// Writes CSV. Each source line of each function in each thread has a row, with its self values in
// one column per metric. The sum of a column is the profile's total. The format is RFC 4180, but
// lines end in LF. Control characters in texts are written as \xNN, so each row is one line. A text
// that a spreadsheet would take for a formula gets a leading blank.
#include <algorithm>
#include <tuple>

#include "core/base/arithmetic.h"
#include "core/base/csv_field.h"
#include "core/views/naming/names.h"
#include "formats/exporters/exporter.h"
#include "formats/exporters/stacks.h"
#include "formats/exporters/text.h"
#include "formats/exporters/values.h"
#include "formats/exporters/who.h"

namespace gprofx::exporters {
namespace {

void AppendCell(std::string& out, std::string_view text) { out += CsvField(LineText(text)); }

struct CsvRow {
  ThreadId thread;
  uint32_t call = 0;
  bool has_call = false;
  MetricId metric;
  int64_t self = 0;
  auto Key() const { return std::tuple(thread, has_call, call); }
};

std::vector<CsvRow> RowsByCall(const Profile& profile, const Stacks& stacks) {
  std::vector<CsvRow> rows;
  for (const StackValue& value : ValuesByStack(profile, stacks)) {
    const uint32_t call = stacks.stacks()[value.stack].call;
    rows.push_back({value.thread, call, value.stack != 0, value.metric, value.self});
  }
  std::sort(rows.begin(), rows.end(),
            [](const CsvRow& a, const CsvRow& b) { return a.Key() < b.Key(); });
  return rows;
}

void WriteHeader(std::string& out, const Profile& profile) {
  out += "process,pid,thread,tid,kind,function,file,line,module";
  for (const Metric& metric : profile.metrics) {
    out += ',';
    const bool says_unit = metric.unit == "count" || metric.name.ends_with("_" + metric.unit);
    AppendCell(out, says_unit ? metric.name : metric.name + "_" + metric.unit);
  }
  out += '\n';
}

void WriteCall(std::string& out, const Stacks& stacks, const CsvRow& row) {
  if (!row.has_call) {
    out += "?,[outside of any function],,,";
    return;
  }
  const Stacks::Call& call = stacks.calls()[row.call];
  const Stacks::Function& function = stacks.functions()[call.function];
  const std::string name = stacks.Name(function);
  AppendCell(out, KindWord(stacks.Kind(function), name));
  out += ',';
  AppendCell(out, name);
  out += ',';
  AppendCell(out, stacks.File(call));
  out += ',';
  if (const uint32_t line = stacks.Line(call)) AppendNumber(out, line);
  out += ',';
  AppendCell(out, stacks.Module(function));
}

}  // namespace

Status WriteCsv(const ExportJob& job, ByteSink& out) {
  const Profile& profile = job.profile;
  const Stacks stacks(profile, Stacks::Detail::kLines, job.all_frames);
  const Who who = WhoIsWho(profile);
  const std::vector<CsvRow> rows = RowsByCall(profile, stacks);
  std::vector<int64_t> sums(profile.metrics.size());
  std::string& text = out.text();
  WriteHeader(text, profile);
  for (size_t i = 0; i < rows.size();) {
    const CsvRow& first = rows[i];
    std::fill(sums.begin(), sums.end(), 0);
    for (; i < rows.size() && rows[i].Key() == first.Key(); ++i) {
      int64_t& sum = sums[rows[i].metric.index()];
      sum = AddSaturated(sum, rows[i].self);
    }
    const ShownThread& thread = who.Thread(first.thread.value);
    const ShownProcess& process = who.ProcessOf(thread);
    AppendCell(text, process.name);
    text += ',';
    AppendNumber(text, process.pid);
    text += ',';
    AppendCell(text, thread.name);
    text += ',';
    AppendNumber(text, thread.tid);
    text += ',';
    WriteCall(text, stacks, first);
    for (const int64_t sum : sums) {
      text += ',';
      AppendNumber(text, sum);
    }
    text += '\n';
    out.Step();
  }
  return Ok();
}

}  // namespace gprofx::exporters
