// Writes the processed profile format of the Firefox profiler, version 57. All later versions of
// profiler.firefox.com can read it: github.com/firefox-devtools/profiler,
// docs-developer/CHANGELOG-formats.md.
//
// Host threads and GPU streams become threads. The samples of a stream are its kernels and copies.
// Each sample is at the end of its operation, has the launching stack, and is weighted by the
// duration. The call tree of the thread therefore shows GPU time. The operations are also markers,
// for the chart. Weights are milliseconds, exact to the nanosecond. threadCPUDelta says how much of
// the time since the last sample the thread used. The graph is therefore empty while the thread
// slept.
//
// The tables of a thread are written column by column. Its events are read once per column
// (LaneRows).
#include <algorithm>
#include <unordered_map>

#include "core/model/sources.h"
#include "core/views/recording.h"
#include "formats/exporters/exporter.h"
#include "formats/exporters/firefox_tables.h"
#include "formats/exporters/gpu_work.h"
#include "formats/exporters/lane_rows.h"
#include "formats/exporters/text.h"
#include "formats/exporters/values.h"

namespace gprofx::exporters {
namespace {

constexpr int kVersion = 57;

constexpr char kSchemas[] =
    R"([{"name":"gpu","display":["marker-chart","marker-table","timeline-overview"],)"
    R"("tooltipLabel":"{marker.name}","tableLabel":"{marker.name}","chartLabel":"{marker.name}",)"
    R"("fields":[{"key":"launched","label":"Launched as","format":"unique-string"}]},)"
    R"({"name":"wait","display":["marker-chart","marker-table"],"tooltipLabel":"{marker.name}",)"
    R"("tableLabel":"waiting for the GPU","chartLabel":"{marker.name}","fields":[]},)"
    R"({"name":"call","display":["marker-chart","marker-table"],"tooltipLabel":"{marker.name}",)"
    R"("tableLabel":"CUDA call","chartLabel":"{marker.name}","fields":[]},)"
    R"({"name":"range","display":["marker-chart","marker-table","timeline-overview"],)"
    R"("tooltipLabel":"{marker.name}","tableLabel":"range","chartLabel":"{marker.name}",)"
    R"("fields":[]}])";

struct LaneInfo {
  std::string name;
  const ShownProcess* process = nullptr;
  int64_t tid = 0;
  bool is_main = false;
  HostNs start = 0, end = 0;  // end 0 = unknown
};

class FirefoxWriter {
 public:
  FirefoxWriter(const ExportJob& job, ByteSink& sink)
      : job_(job),
        sink_(sink),
        out_(sink.text()),
        stacks_(job.profile, Stacks::Detail::kLines, job.all_frames),
        strings_(stacks_),
        tables_(stacks_, strings_, libs_),
        who_(WhoIsWho(job.profile)),
        samples_(SampleLanes(job)),
        work_(WorkLanes(job)),
        marks_(MarkLanes(job)) {}

  Status Write() {
    for (LaneRows* lanes : {&samples_, &work_, &marks_}) {
      if (Status counted = lanes->Count(); !counted) return counted;
    }
    WriteMeta();
    out_ += ",\"threads\":[";
    for (uint32_t i = 0; i < samples_.lanes(); ++i) {
      if (samples_.rows(i) + marks_.rows(i) == 0) continue;
      if (Status written = WriteThread(i); !written) return written;
    }
    const std::vector<ShownStream> streams = ShownStreams(job_.profile, who_);
    for (uint32_t i = 0; i < work_.lanes(); ++i) {
      if (work_.rows(i) == 0) continue;
      if (Status written = WriteStream(i, streams[i]); !written) return written;
    }
    out_ += "],\"libs\":";
    libs_.Write(out_);
    out_ += ",\"pages\":[],\"counters\":[],\"profilerOverhead\":[],\"shared\":{\"stringArray\":";
    strings_.Write(out_);
    out_ += "}}\n";
    sink_.Step();
    return Ok();
  }

 private:
  void WriteMeta() {
    const Recording recording = DescribeRecording(job_.profile);
    const double rate = recording.rate_reached_hz.value_or(0);
    const int64_t interval = rate > 0 && rate < 1e6 ? static_cast<int64_t>(1e9 / rate) : 1'000'000;
    out_ += "{\"meta\":{\"version\":24,\"preprocessedProfileVersion\":";
    AppendNumber(out_, kVersion);
    out_ += ",\"product\":";
    AppendJson(out_, recording.program.empty() ? "gprof-x" : recording.program);
    out_ += ",\"importedFrom\":\"gprof-x " + job_.version + "\",\"interval\":";
    AppendMs(out_, interval);
    out_ += ",\"startTime\":";
    AppendMs(out_, RealtimeOfZero(job_.profile));
    out_ +=
        ",\"processType\":0,\"stackwalk\":1,\"debug\":false,\"symbolicated\":true,"
        "\"sourceCodeIsNotOnSearchfox\":true,\"usesOnlyOneStackType\":true,"
        "\"extensions\":{\"id\":[],\"name\":[],\"baseURL\":[],\"length\":0},"
        "\"sampleUnits\":{\"time\":\"ms\",\"eventDelay\":\"ms\",\"threadCPUDelta\":\"ns\"},"
        "\"categories\":";
    out_ += firefox::kCategoriesJson;
    out_ += ",\"markerSchema\":";
    out_ += kSchemas;
    out_ += '}';
  }

  void BeginThread(const LaneInfo& info) {
    out_ += first_ ? "\n{" : ",\n{";
    first_ = false;
    tables_.Clear();
    out_ += "\"processType\":\"default\",\"processName\":";
    AppendJson(out_, info.process->name);
    out_ += ",\"pid\":\"";
    AppendNumber(out_, info.process->pid);
    out_ += "\",\"tid\":";
    AppendNumber(out_, info.tid);
    out_ += ",\"name\":";
    AppendJson(out_, info.name);
    out_ += info.is_main ? ",\"isMainThread\":true" : ",\"isMainThread\":false";
    out_ += ",\"processStartupTime\":";
    AppendMs(out_, info.process->start);
    out_ += ",\"processShutdownTime\":";
    AppendEnd(info.process->end);
    out_ += ",\"registerTime\":";
    AppendMs(out_, info.start);
    out_ += ",\"unregisterTime\":";
    AppendEnd(info.end);
    out_ += ",\"pausedRanges\":[],";
  }

  void AppendEnd(HostNs end) {
    if (end <= 0) {
      out_ += "null";
    } else {
      AppendMs(out_, end);
    }
  }

  // Writes a column with one value per event of a lane.
  template <class Value>
  Status EventColumn(LaneRows& lanes, uint32_t lane, const char* name, const Value& value) {
    bool first = true;
    out_ += '"';
    out_ += name;
    out_ += "\":[";
    Status read = lanes.Each(lane, [&](const TimedRow& row) {
      if (!first) out_ += ',';
      first = false;
      value(row);
      sink_.Step();
    });
    out_ += "],";
    return read;
  }

  // Writes the samples of a lane. If `ends` is true, a sample is at the end of its event, otherwise
  // at TimedRow::time.
  Status WriteSamples(LaneRows& lanes, uint32_t lane, bool ends) {
    const auto time = [ends](const TimedRow& row) {
      return ends ? row.time + row.duration : row.time;
    };
    HostNs last = 0;
    out_ += "\"samples\":{\"weightType\":\"tracing-ms\",";
    Status stack = EventColumn(lanes, lane, "stack", [&](const TimedRow& row) {
      const int64_t place = tables_.Stack(stacks_.OfNode(row.node));
      if (place < 0) {
        out_ += "null";
      } else {
        AppendNumber(out_, place);
      }
    });
    if (!stack) return stack;
    // Times must not decrease, but those in the file may.
    Status deltas = EventColumn(lanes, lane, "timeDeltas", [&](const TimedRow& row) {
      const HostNs now = std::max(last, time(row));
      AppendMs(out_, now - last);
      last = now;
    });
    if (!deltas) return deltas;
    Status weight = EventColumn(lanes, lane, "weight",
                                [&](const TimedRow& row) { AppendMs(out_, row.duration); });
    if (!weight) return weight;
    Status delta = EventColumn(lanes, lane, "threadCPUDelta",
                               [&](const TimedRow& row) { AppendNumber(out_, row.duration); });
    if (!delta) return delta;
    out_ += "\"length\":" + std::to_string(lanes.rows(lane)) + "},";
    return Ok();
  }

  // Writes the markers of a lane. `name` and `data` append the name and the data of a marker.
  template <class Name, class Data>
  Status WriteMarkers(LaneRows& lanes, uint32_t lane, firefox::Category category, const Name& name,
                      const Data& data) {
    out_ += "\"markers\":{";
    if (Status done = EventColumn(lanes, lane, "name", name); !done) return done;
    if (Status done = EventColumn(lanes, lane, "data", data); !done) return done;
    Status start = EventColumn(lanes, lane, "startTime",
                               [&](const TimedRow& row) { AppendMs(out_, row.time); });
    if (!start) return start;
    Status end = EventColumn(lanes, lane, "endTime",
                             [&](const TimedRow& row) { AppendMs(out_, row.time + row.duration); });
    if (!end) return end;
    Status phase = EventColumn(lanes, lane, "phase", [&](const TimedRow&) { out_ += '1'; });
    if (!phase) return phase;
    Status column = EventColumn(lanes, lane, "category", [&](const TimedRow&) {
      AppendNumber(out_, static_cast<uint32_t>(category));
    });
    if (!column) return column;
    out_ += "\"length\":" + std::to_string(lanes.rows(lane)) + "},";
    return Ok();
  }

  void EndThread() {
    tables_.Write(out_);
    out_ += '}';
    sink_.Step();
  }

  Status WriteThread(uint32_t id) {
    const ShownThread& thread = who_.Thread(id);
    BeginThread({thread.name, &who_.ProcessOf(thread), thread.tid, thread.is_main, thread.start,
                 thread.end});
    if (Status samples = WriteSamples(samples_, id, false); !samples) return samples;
    Status markers = WriteMarkers(
        marks_, id, firefox::kCudaCall,
        [&](const TimedRow& row) {
          AppendNumber(out_, strings_.Add(job_.profile.Text(StringId{row.about})));
        },
        [&](const TimedRow& row) {
          // By HostMark::Kind.
          static constexpr const char* kTypes[] = {"wait", "call", "range"};
          out_ += "{\"type\":\"";
          out_ += kTypes[row.node];
          out_ += "\"}";
        });
    if (!markers) return markers;
    EndThread();
    return Ok();
  }

  Status WriteStream(uint32_t id, const ShownStream& stream) {
    BeginThread({stream.name, &who_.processes[stream.process], kStreamTids + id, false, 0, 0});
    if (Status samples = WriteSamples(work_, id, true); !samples) return samples;
    Status markers = WriteMarkers(
        work_, id, firefox::kGpu, [&](const TimedRow& row) { AppendNumber(out_, NameOf(row)); },
        [&](const TimedRow& row) {
          out_ += "{\"type\":\"gpu\"";
          if (row.about != 0) {
            out_ += ",\"launched\":";
            AppendNumber(out_, ConfigString(row.about));
          }
          out_ += '}';
        });
    if (!markers) return markers;
    EndThread();
    return Ok();
  }

  // Returns the index in strings_ of the name of the innermost call, which is the kernel or copy.
  uint32_t NameOf(const TimedRow& row) {
    const uint32_t stack = stacks_.OfNode(row.node);
    if (stack != 0) return stacks_.calls()[stacks_.stacks()[stack].call].function;
    GpuWork work;
    work.config = row.about;
    return strings_.Add(WorkName(job_.profile, work));
  }

  uint32_t ConfigString(uint32_t config) {
    const auto [found, made] = config_strings_.try_emplace(config, 0);
    if (made) found->second = strings_.Add(ConfigText(job_.profile.gpu.configs[config - 1]));
    return found->second;
  }

  static constexpr int64_t kStreamTids = 1'000'000'000;  // above all thread ids of the system

  const ExportJob& job_;
  ByteSink& sink_;
  std::string& out_;
  Stacks stacks_;
  firefox::Strings strings_;
  firefox::Libs libs_;
  firefox::ThreadTables tables_;
  Who who_;
  LaneRows samples_, work_, marks_;
  std::unordered_map<uint32_t, uint32_t> config_strings_;
  bool first_ = true;
};

}  // namespace

Status WriteFirefox(const ExportJob& job, ByteSink& out) { return FirefoxWriter(job, out).Write(); }

}  // namespace gprofx::exporters
