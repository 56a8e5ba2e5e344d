// Writes the Chrome trace JSON of PyTorch's Kineto, which Holistic Trace Analysis (HTA) reads. It
// holds kernels, copies and memsets with their streams, the calls that launched them, arrows from
// these to the work, other calls that took time, and the program's own ranges. HTA treats ranges
// named ProfilerStep#N as iterations. CPU samples are in the tables "samples" and "stackFrames" of
// the Trace Event Format.
//
// Times are microseconds since the start of the recording, with three decimals, for which a double
// has enough digits. The duration of a launching call is not recorded, so it is written as 0. Work
// that overlaps on one stream gets rows of its own. Correlation ids are assigned anew, because
// those of several processes would collide.
#include <map>
#include <set>
#include <unordered_map>

#include "core/cost/profiling_time.h"
#include "core/model/sources.h"
#include "core/views/recording.h"
#include "core/views/wall.h"
#include "formats/exporters/exporter.h"
#include "formats/exporters/gpu_work.h"
#include "formats/exporters/text.h"
#include "formats/exporters/values.h"

namespace gprofx::exporters {
namespace {

// Returns Kineto's name for a CUpti_ActivityMemoryKind.
const char* MemoryName(uint32_t kind) {
  static constexpr const char* kNames[] = {"Unknown",       "Pageable",      "Pinned",
                                           "Device",        "Array",         "Managed",
                                           "Device Static", "Managed Static"};
  return kind < std::size(kNames) ? kNames[kind] : "Unknown";
}

const char* CopyDirection(uint32_t kind) {
  static constexpr const char* kNames[] = {"Unknown", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA",
                                           "AtoD",    "DtoA", "DtoD", "HtoH", "PtoP"};
  return kind < std::size(kNames) ? kNames[kind] : "Unknown";
}

// Returns the name of GPU work. HTA recognizes copies and memsets by these names.
std::string KinetoName(const Profile& profile, const GpuWork& work) {
  switch (work.kind) {
    case GpuWork::Kind::kCopy:
      return std::string("Memcpy ") + CopyDirection(work.copy_kind) + " (" +
             MemoryName(work.source) + " -> " + MemoryName(work.target) + ")";
    case GpuWork::Kind::kSet:
      return std::string("Memset (") + MemoryName(work.target) + ")";
    default:
      return WorkName(profile, work);
  }
}

struct WorkWords {
  const char* category;
  const char* call;  // the call that launched it
};
WorkWords WordsOf(GpuWork::Kind kind) {
  switch (kind) {
    case GpuWork::Kind::kCopy:
      return {"gpu_memcpy", "cudaMemcpyAsync"};
    case GpuWork::Kind::kSet:
      return {"gpu_memset", "cudaMemsetAsync"};
    default:
      return {"kernel", "cudaLaunchKernel"};
  }
}

class KinetoWriter {
 public:
  KinetoWriter(const ExportJob& job, ByteSink& sink)
      : job_(job),
        profile_(job.profile),
        sink_(sink),
        out_(sink.text()),
        stacks_(job.profile, Stacks::Detail::kFunctions, job.all_frames),
        who_(WhoIsWho(job.profile)),
        streams_(ShownStreams(job.profile, who_)) {}

  Status Write() {
    WriteHead();
    out_ += "\"traceEvents\":[";
    WriteNames();
    if (Status work = ForEachGpuWork(job_, [&](const GpuWork& w) { WriteWork(w); }); !work) {
      return work;
    }
    Status marks = ForEachHostMark(job_, [&](const HostMark& mark) { WriteMark(mark); });
    if (!marks) return marks;
    out_ += "\n],\"samples\":[";
    if (Status samples = WriteSamples(); !samples) return samples;
    out_ += "\n],\"stackFrames\":{";
    WriteStackFrames();
    out_ += "\n}}\n";
    return Ok();
  }

 private:
  void WriteHead() {
    out_ += "{\"schemaVersion\":1,\"displayTimeUnit\":\"ms\",\"baseTimeNanoseconds\":";
    AppendNumber(out_, RealtimeOfZero(profile_));
    out_ += ",\"traceName\":";
    AppendJson(out_, DescribeRecording(profile_).program);
    const std::vector<Source> sources = SourcesOf(profile_);
    if (sources.size() == 1 && sources[0].rank >= 0) {
      // HTA searches for exactly this text, blanks included, to find the rank.
      out_ += ",\"distributedInfo\": {\"rank\": ";
      AppendNumber(out_, sources[0].rank);
      out_ += '}';
    }
    out_ += ",\"deviceProperties\":[";
    const std::vector<uint32_t> numbers = GpuNumbers(profile_);
    for (size_t i = 0; i < numbers.size(); ++i) {
      const GpuDevice& device = profile_.gpu.devices[i];
      out_ += i == 0 ? "{\"id\":" : ",{\"id\":";
      AppendNumber(out_, numbers[i]);
      out_ += ",\"name\":";
      AppendJson(out_, profile_.Text(device.name));
      out_ += ",\"totalGlobalMem\":" + std::to_string(device.memory_bytes) +
              ",\"computeMajor\":" + std::to_string(device.compute_major) +
              ",\"computeMinor\":" + std::to_string(device.compute_minor) +
              ",\"numSms\":" + std::to_string(device.multiprocessors) + "}";
    }
    out_ += "],\n";
  }

  // Writes an event up to the value of its "name".
  void BeginEvent(const char* phase, int64_t pid, int64_t tid) {
    out_ += first_event_ ? "\n{\"ph\":\"" : ",\n{\"ph\":\"";
    first_event_ = false;
    out_ += phase;
    out_ += "\",\"pid\":";
    AppendNumber(out_, pid);
    out_ += ",\"tid\":";
    AppendNumber(out_, tid);
    out_ += ",\"name\":";
  }

  void WriteNames() {
    const auto name = [&](const char* what, int64_t pid, int64_t tid, const std::string& text) {
      BeginEvent("M", pid, tid);
      out_ += '"';
      out_ += what;
      out_ += "\",\"args\":{\"name\":";
      AppendJson(out_, text);
      out_ += "}}";
    };
    for (size_t i = 1; i < who_.processes.size(); ++i) {
      name("process_name", who_.processes[i].pid, 0, who_.processes[i].name);
    }
    for (uint32_t i = 1; i < who_.threads.size(); ++i) {
      if (IsLeftOut(profile_, ThreadId{i})) continue;
      const ShownThread& thread = who_.threads[i];
      name("thread_name", who_.ProcessOf(thread).pid, thread.tid, thread.name);
    }
    for (const uint32_t gpu : GpuNumbers(profile_)) {
      name("process_name", gpu, 0, "GPU " + std::to_string(gpu));
    }
  }

  void Arrow(const char* phase, const char* more, int64_t pid, int64_t tid, HostNs time,
             uint64_t number) {
    BeginEvent(phase, pid, tid);
    out_ += "\"ac2g\",\"cat\":\"ac2g\",\"id\":";
    AppendNumber(out_, number);
    out_ += ",\"ts\":";
    AppendUs(out_, time);
    out_ += more;
    out_ += '}';
  }

  void WriteWork(const GpuWork& work) {
    const ShownStream& stream = streams_[work.stream < streams_.size() ? work.stream : 0];
    const WorkWords words = WordsOf(work.kind);
    const ShownThread& thread = who_.Thread(work.thread);
    const int64_t pid = who_.ProcessOf(thread).pid;
    const bool has_launch = work.launch != 0 && work.launch >= job_.begin;
    const uint64_t number = NumberOf(work, has_launch, pid, thread.tid, words.call);
    const int64_t row = RowOf(work, stream);
    BeginEvent("X", stream.gpu, row);
    AppendName(work);
    out_ += ",\"cat\":\"";
    out_ += words.category;
    out_ += "\",\"ts\":";
    AppendUs(out_, work.start);
    out_ += ",\"dur\":";
    AppendUs(out_, work.duration);
    out_ += ",\"args\":{\"device\":";
    AppendNumber(out_, stream.gpu);
    out_ += ",\"context\":";
    AppendNumber(out_, stream.context);
    out_ += ",\"stream\":";
    AppendNumber(out_, stream.number);
    out_ += ",\"correlation\":";
    AppendNumber(out_, number);
    AppendDetails(work);
    out_ += "}}";
    if (has_launch) Arrow("f", ",\"bp\":\"e\"", stream.gpu, row, work.start, number);
    sink_.Step();
  }

  // Appends the name of GPU work as JSON. Kernels have few distinct but long names, so each name is
  // escaped only once.
  void AppendName(const GpuWork& work) {
    if (work.node == 0 || work.kind != GpuWork::Kind::kKernel) {
      return AppendJson(out_, KinetoName(profile_, work));
    }
    const FrameId frame = profile_.node(NodeId{work.node}).frame;
    std::string& name = names_[frame.value];
    if (name.empty()) AppendJson(name, KinetoName(profile_, work));
    out_ += name;
  }

  void AppendDetails(const GpuWork& work) {
    if (work.kind != GpuWork::Kind::kKernel) {
      out_ += ",\"bytes\":";
      AppendNumber(out_, work.bytes);
      return;
    }
    if (work.config == 0) return;
    const GpuKernelConfig& config = profile_.gpu.configs[work.config - 1];
    const auto extent = [&](const char* name, const uint32_t(&size)[3]) {
      out_ += name;
      for (int i = 0; i < 3; ++i) {
        AppendNumber(out_, size[i]);
        out_ += i < 2 ? ',' : ']';
      }
    };
    extent(",\"grid\":[", config.grid);
    extent(",\"block\":[", config.block);
    out_ += ",\"registers per thread\":";
    AppendNumber(out_, config.registers);
    out_ += ",\"shared memory\":";
    AppendNumber(out_, uint64_t{config.static_shared} + config.dynamic_shared);
  }

  // Returns the correlation id of the launch of `work`. Before the first work of a launch, writes
  // the launch. The kernels of a graph share one launch and follow one another.
  uint64_t NumberOf(const GpuWork& work, bool has_launch, int64_t pid, int64_t tid,
                    const char* call) {
    if (!has_launch) return ++correlation_;
    Launch& last = launches_[work.thread];
    if (last.number != 0 && last.time == work.launch && last.correlation == work.correlation) {
      return last.number;
    }
    last = {work.launch, work.correlation, ++correlation_};
    BeginEvent("X", pid, tid);
    out_ += '"';
    out_ += call;
    out_ += "\",\"cat\":\"cuda_runtime\",\"ts\":";
    AppendUs(out_, work.launch);
    out_ += ",\"dur\":0,\"args\":{\"correlation\":";
    AppendNumber(out_, last.number);
    out_ += "}}";
    Arrow("s", "", pid, tid, work.launch, last.number);
    return last.number;
  }

  // Returns the row of `work` in the viewer: the number of its stream, if possible. A multiple of
  // 1000 is added for work that overlaps in its stream, and for a stream whose number another
  // stream of this GPU has.
  int64_t RowOf(const GpuWork& work, const ShownStream& stream) {
    const size_t row = stream_rows_[work.stream].Place(work.start, work.start + work.duration);
    const auto [found, made] = rows_.try_emplace({work.stream, row}, stream.number);
    if (made) {
      while (!taken_.insert({stream.gpu, found->second}).second) found->second += 1000;
    }
    return found->second;
  }

  void WriteMark(const HostMark& mark) {
    const ShownThread& thread = who_.Thread(mark.thread);
    BeginEvent("X", who_.ProcessOf(thread).pid, thread.tid);
    AppendJson(out_, profile_.Text(mark.name));
    const bool is_range = mark.kind == HostMark::Kind::kRange;
    out_ += is_range ? ",\"cat\":\"user_annotation\",\"ts\":" : ",\"cat\":\"cuda_driver\",\"ts\":";
    AppendUs(out_, mark.start);
    out_ += ",\"dur\":";
    AppendUs(out_, mark.duration);
    const bool waits = mark.kind == HostMark::Kind::kWait;
    out_ += waits ? ",\"args\":{\"waits for the GPU\":1}}" : ",\"args\":{}}";
    sink_.Step();
  }

  Status WriteSamples() {
    used_.resize(stacks_.stacks().size());
    bool first = true;
    const auto write = [&](std::span<const SampleRow> rows) {
      for (const SampleRow& row : rows) {
        const ShownThread& thread = who_.Thread(row.thread.value);
        const uint32_t stack = stacks_.OfNode(row.node.value);
        used_[stack] = true;
        out_ += first ? "\n{\"name\":\"cpu\",\"pid\":" : ",\n{\"name\":\"cpu\",\"pid\":";
        first = false;
        AppendNumber(out_, who_.ProcessOf(thread).pid);
        out_ += ",\"tid\":";
        AppendNumber(out_, thread.tid);
        out_ += ",\"ts\":";
        AppendUs(out_, row.time);
        out_ += ",\"weight\":";
        AppendNumber(out_, row.weight);
        if (stack != 0) {
          out_ += ",\"sf\":";
          AppendNumber(out_, stack);
        }
        out_ += '}';
        sink_.Step();
      }
    };
    const Result<int64_t> read =
        job_.reader.Samples(job_.begin, job_.end, WithoutLeftOut(profile_, write));
    return read ? Ok() : Status(read.error());
  }

  // Writes the table of stacks. Children come after their parents, so one pass from the end marks
  // all ancestors of used stacks.
  void WriteStackFrames() {
    const std::vector<Stacks::Stack>& all = stacks_.stacks();
    for (size_t i = all.size(); i-- > 1;) {
      if (used_[i]) used_[all[i].parent] = true;
    }
    bool first = true;
    for (size_t i = 1; i < all.size(); ++i) {
      if (!used_[i]) continue;
      const Stacks::Function& function = stacks_.functions()[stacks_.calls()[all[i].call].function];
      out_ += first ? "\n\"" : ",\n\"";
      first = false;
      AppendNumber(out_, i);
      out_ += "\":{\"name\":";
      AppendJson(out_, stacks_.Name(function));
      out_ += ",\"category\":";
      AppendJson(out_, stacks_.Module(function));
      if (all[i].parent != 0) {
        out_ += ",\"parent\":\"";
        AppendNumber(out_, all[i].parent);
        out_ += '"';
      }
      out_ += '}';
      sink_.Step();
    }
  }

  struct Launch {
    HostNs time = 0;
    uint32_t correlation = 0;
    uint64_t number = 0;
  };

  const ExportJob& job_;
  const Profile& profile_;
  ByteSink& sink_;
  std::string& out_;
  Stacks stacks_;
  Who who_;
  std::vector<ShownStream> streams_;
  bool first_event_ = true;
  uint64_t correlation_ = 0;
  std::unordered_map<uint32_t, std::string> names_;      // by FrameId::value; escaped
  std::unordered_map<uint32_t, Launch> launches_;        // the latest launch, by thread
  std::unordered_map<uint32_t, Rows> stream_rows_;       // by GpuStreamId::value
  std::map<std::pair<uint32_t, size_t>, int64_t> rows_;  // by (stream, row)
  std::set<std::pair<uint32_t, int64_t>> taken_;         // (GPU, row) pairs in use
  std::vector<bool> used_;                               // by stack: samples use it
};

}  // namespace

Status WriteKineto(const ExportJob& job, ByteSink& out) { return KinetoWriter(job, out).Write(); }

}  // namespace gprofx::exporters
