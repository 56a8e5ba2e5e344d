// Writes pprof's profile.proto, https://github.com/google/pprof/blob/main/proto/profile.proto:
// every stack of every thread, with one sample type per metric. The format has no times. Processes
// and threads are labels of samples.
#include <cstdlib>
#include <unordered_map>

#include "core/model/sources.h"
#include "core/views/recording.h"
#include "formats/exporters/exporter.h"
#include "formats/exporters/protobuf.h"
#include "formats/exporters/stacks.h"
#include "formats/exporters/text.h"
#include "formats/exporters/values.h"
#include "formats/exporters/who.h"

namespace gprofx::exporters {
namespace {

namespace pb = protobuf;

enum ProfileField : uint32_t {
  kSampleType = 1,
  kSample = 2,
  kMapping = 3,
  kLocation = 4,
  kFunction = 5,
  kStringTable = 6,
  kTimeNanos = 9,
  kDurationNanos = 10,
  kPeriodType = 11,
  kPeriod = 12,
  kComment = 13,
  kDefaultSampleType = 14,
};

class PprofWriter {
 public:
  PprofWriter(const ExportJob& job, ByteSink& sink)
      : job_(job),
        profile_(job.profile),
        sink_(sink),
        stacks_(job.profile, Stacks::Detail::kLines, job.all_frames),
        who_(WhoIsWho(job.profile)) {}

  void Write(MetricId chosen) {
    String("");  // string 0 must be empty
    WriteHead(chosen);
    WriteSamples();
    WriteLocations();
    WriteFunctions();
    WriteMappings();
    for (const std::string& text : texts_) Field(kStringTable, text);
  }

 private:
  void Field(uint32_t field, std::string_view message) {
    pb::Bytes(sink_.text(), field, message);
    sink_.Step();
  }

  uint64_t String(std::string_view text) {
    std::string key;
    AppendUtf8(key, text);
    const auto [found, made] = strings_.try_emplace(key, texts_.size());
    if (made) texts_.push_back(std::move(key));
    return found->second;
  }

  std::string ValueType(const Metric& metric) {
    std::string type;
    pb::Number(type, 1, String(metric.name));
    pb::Number(type, 2, String(metric.unit == "ns" ? "nanoseconds" : metric.unit));
    return type;
  }

  void WriteHead(MetricId chosen) {
    std::string& out = sink_.text();
    for (const Metric& metric : profile_.metrics) Field(kSampleType, ValueType(metric));
    const Recording recording = DescribeRecording(profile_);
    pb::Signed(out, kTimeNanos, RealtimeOfZero(profile_));
    pb::Signed(out, kDurationNanos, recording.duration_ns);
    const double rate = recording.rate_reached_hz.value_or(0);
    const MetricId clock = ClockMetric(profile_);
    if (clock && rate > 0 && rate < 1e9) {
      Field(kPeriodType, ValueType(profile_.metrics[clock.index()]));
      pb::Signed(out, kPeriod, static_cast<int64_t>(1e9 / rate));
    }
    pb::Number(out, kComment, String("gprof-x " + job_.version));
    if (chosen) {
      pb::Number(out, kDefaultSampleType, String(profile_.metrics[chosen.index()].name));
    }
  }

  std::string Label(const char* key, std::string_view text) {
    std::string label;
    pb::Number(label, 1, String(key));
    pb::Number(label, 2, String(text));
    return label;
  }

  std::string Label(const char* key, int64_t number) {
    std::string label;
    pb::Number(label, 1, String(key));
    pb::Signed(label, 3, number);
    return label;
  }

  std::string LabelsOf(uint32_t thread) {
    const ShownThread& shown = who_.Thread(thread);
    const ShownProcess& process = who_.ProcessOf(shown);
    std::string labels;
    for (const std::string& label : {Label("process", process.name), Label("pid", process.pid),
                                     Label("thread", shown.name), Label("tid", shown.tid)}) {
      pb::Bytes(labels, 3, label);
    }
    return labels;
  }

  // Writes the samples. Rows of one thread and stack are adjacent and become one sample.
  void WriteSamples() {
    const std::vector<StackValue> rows = ValuesByStack(profile_, stacks_);
    std::vector<int64_t> values(profile_.metrics.size());
    std::string labels, sample, packed;
    std::vector<uint32_t> path;
    for (size_t i = 0; i < rows.size();) {
      const StackValue& first = rows[i];
      if (i == 0 || rows[i - 1].thread != first.thread) labels = LabelsOf(first.thread.value);
      std::fill(values.begin(), values.end(), 0);
      for (; i < rows.size() && rows[i].thread == first.thread && rows[i].stack == first.stack;
           ++i) {
        values[rows[i].metric.index()] = rows[i].self;
      }
      stacks_.Path(first.stack, path);
      sample.clear();
      packed.clear();
      for (const uint32_t call : path) PutVarint(packed, call + 1);
      pb::Bytes(sample, 1, packed);
      packed.clear();
      for (const int64_t value : values) PutVarint(packed, static_cast<uint64_t>(value));
      pb::Bytes(sample, 2, packed);
      sample += labels;
      Field(kSample, sample);
    }
  }

  void WriteLocations() {
    for (size_t i = 0; i < stacks_.calls().size(); ++i) {
      const Stacks::Call& call = stacks_.calls()[i];
      std::string line, location;
      pb::Number(line, 1, call.function + 1);
      pb::Number(line, 2, stacks_.Line(call));
      pb::Number(location, 1, i + 1);
      if (const uint64_t mapping = Mapping(stacks_.functions()[call.function])) {
        pb::Number(location, 2, mapping);
      }
      pb::Bytes(location, 4, line);
      Field(kLocation, location);
    }
  }

  void WriteFunctions() {
    for (size_t i = 0; i < stacks_.functions().size(); ++i) {
      const Stacks::Function& function = stacks_.functions()[i];
      const uint64_t name = String(stacks_.Name(function));
      std::string message;
      pb::Number(message, 1, i + 1);
      pb::Number(message, 2, name);
      pb::Number(message, 3, name);
      pb::Number(message, 4, String(stacks_.File(function)));
      pb::Number(message, 5, stacks_.FirstLine(function));
      Field(kFunction, message);
    }
  }

  uint64_t Mapping(const Stacks::Function& function) {
    const std::string_view path = stacks_.Module(function);
    if (path.empty()) return 0;
    const auto [found, made] = mappings_.try_emplace(std::string(path), modules_.size() + 1);
    if (made) modules_.push_back(found->first);
    return found->second;
  }

  void WriteMappings() {
    for (size_t i = 0; i < modules_.size(); ++i) {
      std::string message;
      pb::Number(message, 1, i + 1);
      // The profile does not know the address ranges of modules. Write invented ranges that are
      // distinct, because pprof merges mappings with equal ranges.
      pb::Number(message, 2, (i + 1) << 40);
      pb::Number(message, 3, (i + 2) << 40);
      pb::Number(message, 5, String(modules_[i]));
      // The fields has_functions to has_inline_frames are true, because everything is symbolized.
      for (uint32_t has = 7; has <= 10; ++has) pb::Number(message, has, 1);
      Field(kMapping, message);
    }
  }

  const ExportJob& job_;
  const Profile& profile_;
  ByteSink& sink_;
  Stacks stacks_;
  Who who_;
  std::unordered_map<std::string, uint64_t> strings_, mappings_;
  std::vector<std::string> texts_, modules_;
};

}  // namespace

Status WritePprof(const ExportJob& job, ByteSink& out) {
  const Result<MetricId> chosen = ChosenMetric(job);
  if (!chosen) return chosen.error();
  PprofWriter(job, out).Write(*chosen);
  return Ok();
}

}  // namespace gprofx::exporters
