// Writes collapsed stacks, one line for each stack of each thread. A line has the frames, outermost
// first and separated by ';', then a blank and the weight. The two outermost frames are the process
// and the thread. Characters that would break a line (';', line ends and other control characters,
// backslashes) are written as \xNN.
#include "formats/exporters/exporter.h"
#include "formats/exporters/stacks.h"
#include "formats/exporters/text.h"
#include "formats/exporters/values.h"
#include "formats/exporters/who.h"

namespace gprofx::exporters {

Status WriteCollapsed(const ExportJob& job, ByteSink& out) {
  const Result<MetricId> metric = ChosenMetric(job);
  if (!metric) return metric.error();
  const Stacks stacks(job.profile, Stacks::Detail::kFunctions, job.all_frames);
  const Who who = WhoIsWho(job.profile);
  std::vector<std::string> names;
  for (const Stacks::Function& function : stacks.functions()) {
    names.push_back(LineText(stacks.Name(function), ";"));
  }
  std::vector<uint32_t> path;
  std::string start;
  uint32_t thread_of_start = UINT32_MAX;
  for (const StackValue& row : ValuesByStack(job.profile, stacks)) {
    if (row.metric != *metric) continue;
    if (row.thread.value != thread_of_start) {
      thread_of_start = row.thread.value;
      const ShownThread& thread = who.Thread(row.thread.value);
      const ShownProcess& process = who.ProcessOf(thread);
      start = LineText(Numbered(process.name, process.pid), ";") + ";" +
              LineText(Numbered(thread.name, thread.tid), ";");
    }
    std::string& text = out.text();
    text += start;
    stacks.Path(row.stack, path);
    for (auto call = path.rbegin(); call != path.rend(); ++call) {
      text += ';';
      text += names[stacks.calls()[*call].function];
    }
    text += ' ';
    AppendNumber(text, row.self);
    text += '\n';
    out.Step();
  }
  return Ok();
}

}  // namespace gprofx::exporters
