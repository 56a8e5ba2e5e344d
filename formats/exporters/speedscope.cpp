// Writes speedscope's file format, https://www.speedscope.app/file-format-schema.json: one sampled
// profile for each thread and metric, with weights in ns.
//
// CPU samples stay in time order, and equal consecutive ones are joined. GPU work, and CPU samples
// if there are more than speedscope can show, have one sample per stack with the sum of its
// weights. The format cannot link CPU and GPU.
#include <algorithm>

#include "core/base/arithmetic.h"
#include "core/views/recording.h"
#include "formats/exporters/exporter.h"
#include "formats/exporters/lane_rows.h"
#include "formats/exporters/stacks.h"
#include "formats/exporters/text.h"
#include "formats/exporters/values.h"
#include "formats/exporters/who.h"

namespace gprofx::exporters {
namespace {

constexpr size_t kMaxInOrder = 500'000;  // maximum number of samples that stay in time order

struct Weighted {
  uint32_t stack = 0;
  int64_t weight = 0;
};

const char* UnitOf(const Metric& metric) { return metric.unit == "ns" ? "nanoseconds" : "none"; }

class SpeedscopeWriter {
 public:
  SpeedscopeWriter(const ExportJob& job, ByteSink& sink)
      : job_(job),
        sink_(sink),
        out_(sink.text()),
        stacks_(job.profile, Stacks::Detail::kLines, job.all_frames),
        who_(WhoIsWho(job.profile)),
        samples_(SampleLanes(job)) {}

  Status Write() {
    const Result<MetricId> chosen = ChosenMetric(job_);
    if (!chosen) return chosen.error();
    out_ += "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"exporter\":";
    AppendJson(out_, "gprof-x " + job_.version);
    out_ += ",\"name\":";
    AppendJson(out_, DescribeRecording(job_.profile).program);
    out_ += ",\"activeProfileIndex\":0,\"shared\":{\"frames\":[";
    WriteFrames();
    out_ += "]},\"profiles\":[";
    if (Status main = WriteMetric(*chosen); !main) return main;
    const MetricId gpu = job_.profile.FindMetric(kMetricGpu);
    if (gpu && job_.metric.empty() && gpu != *chosen) WriteSums(gpu);
    if (profiles_ == 0) WriteProfile("nothing", "none", {});
    out_ += "]}\n";
    return Ok();
  }

 private:
  void WriteFrames() {
    bool first = true;
    for (const Stacks::Call& call : stacks_.calls()) {
      out_ += first ? "\n{\"name\":" : ",\n{\"name\":";
      first = false;
      AppendJson(out_, stacks_.Name(stacks_.functions()[call.function]));
      if (const std::string_view file = stacks_.File(call); !file.empty()) {
        out_ += ",\"file\":";
        AppendJson(out_, file);
      }
      if (const uint32_t line = stacks_.Line(call)) {
        out_ += ",\"line\":";
        AppendNumber(out_, line);
      }
      out_ += '}';
      sink_.Step();
    }
  }

  Status WriteMetric(MetricId metric) {
    if (metric && metric == ClockMetric(job_.profile)) {
      if (Status counted = samples_.Count(); !counted) return counted;
      size_t count = 0;
      for (uint32_t i = 0; i < samples_.lanes(); ++i) count += samples_.rows(i);
      if (count > 0 && count <= kMaxInOrder) return WriteInOrder(metric);
    }
    if (metric) WriteSums(metric);
    return Ok();
  }

  Status WriteInOrder(MetricId metric) {
    for (uint32_t i = 0; i < samples_.lanes(); ++i) {
      if (samples_.rows(i) == 0) continue;
      std::vector<Weighted> rows;
      Status read = samples_.Each(i, [&](const TimedRow& row) {
        const uint32_t stack = stacks_.OfNode(row.node);
        if (rows.empty() || rows.back().stack != stack) rows.push_back({stack});
        rows.back().weight += row.duration;
      });
      if (!read) return read;
      WriteProfile(NameOf(i, metric), UnitOf(job_.profile.metrics[metric.index()]), rows);
    }
    return Ok();
  }

  void WriteSums(MetricId metric) {
    std::vector<Weighted> rows;
    uint32_t thread = 0;
    const auto flush = [&] {
      if (rows.empty()) return;
      WriteProfile(NameOf(thread, metric), UnitOf(job_.profile.metrics[metric.index()]), rows);
      rows.clear();
    };
    for (const StackValue& value : ValuesByStack(job_.profile, stacks_)) {
      if (value.metric != metric) continue;
      if (value.thread.value != thread) flush();
      thread = value.thread.value;
      rows.push_back({value.stack, value.self});
    }
    flush();
  }

  std::string NameOf(uint32_t thread, MetricId metric) const {
    const ShownThread& shown = who_.Thread(thread);
    const ShownProcess& process = who_.ProcessOf(shown);
    return Numbered(process.name, process.pid) + " " + Numbered(shown.name, shown.tid) + ": " +
           job_.profile.metrics[metric.index()].name;
  }

  void WriteProfile(const std::string& name, const char* unit, const std::vector<Weighted>& rows) {
    int64_t sum = 0;
    for (const Weighted& row : rows) sum = AddSaturated(sum, row.weight);
    out_ += profiles_++ == 0 ? "\n" : ",\n";
    out_ += "{\"type\":\"sampled\",\"name\":";
    AppendJson(out_, name);
    out_ += ",\"unit\":\"" + std::string(unit) + "\",\"startValue\":0,\"endValue\":";
    AppendNumber(out_, sum);
    out_ += ",\"samples\":[";
    std::vector<uint32_t> path;
    for (size_t i = 0; i < rows.size(); ++i) {
      out_ += i == 0 ? "[" : ",[";
      stacks_.Path(rows[i].stack, path);
      for (size_t k = path.size(); k-- > 0;) {
        AppendNumber(out_, path[k]);
        if (k > 0) out_ += ',';
      }
      out_ += ']';
      sink_.Step();
    }
    out_ += "],\"weights\":[";
    for (size_t i = 0; i < rows.size(); ++i) {
      if (i > 0) out_ += ',';
      AppendNumber(out_, rows[i].weight);
    }
    out_ += "]}";
    sink_.Step();
  }

  const ExportJob& job_;
  ByteSink& sink_;
  std::string& out_;
  Stacks stacks_;
  Who who_;
  LaneRows samples_;
  size_t profiles_ = 0;
};

}  // namespace

Status WriteSpeedscope(const ExportJob& job, ByteSink& out) {
  return SpeedscopeWriter(job, out).Write();
}

}  // namespace gprofx::exporters
