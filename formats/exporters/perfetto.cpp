// Writes TrackEvents for ui.perfetto.dev and trace_processor.
//
// A CPU sample is an instant event with its call stack, weighted in ns. For a range that the user
// selects, the viewer shows a flame graph of CPU time. A piece of GPU work is a slice on the track
// of its stream. It has the launching stack, weighted by its duration. An arrow leads to it from
// its launch, which is an instant event of the launching thread. Calls in which a thread waited,
// other calls that took time, and the program's own ranges are slices of the thread. Stacks and
// names are defined where they are first used, so the trace is written in one pass.
#include <map>

#include "core/cost/profiling_time.h"
#include "formats/exporters/exporter.h"
#include "formats/exporters/gpu_work.h"
#include "formats/exporters/perfetto_writer.h"
#include "formats/exporters/values.h"

namespace gprofx::exporters {
namespace {

class PerfettoExport {
 public:
  PerfettoExport(const ExportJob& job, ByteSink& sink)
      : job_(job),
        stacks_(job.profile, Stacks::Detail::kLines, job.all_frames),
        trace_(sink, stacks_),
        who_(WhoIsWho(job.profile)),
        streams_(ShownStreams(job.profile, who_)) {}

  Status Write() {
    process_tracks_.resize(who_.processes.size());
    if (Status samples = WriteSamples(); !samples) return samples;
    if (Status work = WriteWork(); !work) return work;
    return ForEachHostMark(job_, [&](const HostMark& mark) { WriteMark(mark); });
  }

 private:
  enum Kind { kSamples, kLaunches, kWaits, kCalls, kRanges };  // tracks of a thread

  Status WriteSamples() {
    const uint64_t name = trace_.Name("CPU sample");
    const auto write = [&](std::span<const SampleRow> rows) {
      for (const SampleRow& row : rows) {
        perfetto::Writer::Event event;
        event.time = row.time;
        event.track = TrackOf(row.thread.value, kSamples, 0);
        event.name = name;
        event.stack = stacks_.OfNode(row.node.value);
        event.weight = row.weight;
        trace_.Instant(event);
      }
    };
    const Result<int64_t> read =
        job_.reader.Samples(job_.begin, job_.end, WithoutLeftOut(job_.profile, write));
    return read ? Ok() : Status(read.error());
  }

  Status WriteWork() {
    uint64_t flow = 0;
    return ForEachGpuWork(job_, [&](const GpuWork& work) {
      const uint32_t stack = stacks_.OfNode(work.node);
      const uint64_t name = trace_.Name(WorkName(job_.profile, work));
      const bool has_launch = work.launch != 0 && work.launch >= job_.begin;
      if (has_launch) {
        perfetto::Writer::Event launch;
        launch.time = work.launch;
        launch.track = TrackOf(work.thread, kLaunches, 0);
        launch.name = name;
        launch.flow = ++flow;
        trace_.Instant(launch);
      }
      perfetto::Writer::Event event;
      event.time = work.start;
      event.track = StreamTrack(work);
      event.name = name;
      event.stack = stack;
      event.weight = work.duration;
      event.flow = has_launch ? flow : 0;
      trace_.Begin(event, NotesOf(work));
      trace_.End(work.start + work.duration, event.track);
    });
  }

  void WriteMark(const HostMark& mark) {
    perfetto::Writer::Event event;
    event.time = mark.start;
    const Kind kind = mark.kind == HostMark::Kind::kWait   ? kWaits
                      : mark.kind == HostMark::Kind::kCall ? kCalls
                                                           : kRanges;
    Rows& rows = mark_rows_[{mark.thread, kind}];
    event.track = TrackOf(mark.thread, kind, rows.Place(mark.start, mark.start + mark.duration));
    event.name = trace_.Name(job_.profile.Text(mark.name));
    trace_.Begin(event, {});
    trace_.End(mark.start + mark.duration, event.track);
  }

  const std::vector<perfetto::Writer::Note>& NotesOf(const GpuWork& work) {
    notes_.clear();
    const auto note = [&](const char* key, const std::string& text) {
      notes_.push_back({trace_.Key(key), trace_.Text(text)});
    };
    if (work.kind != GpuWork::Kind::kKernel) {
      note("bytes", std::to_string(work.bytes));
    } else if (work.config != 0) {
      note("launched as", ConfigText(job_.profile.gpu.configs[work.config - 1]));
    }
    return notes_;
  }

  uint64_t ProcessTrack(uint32_t process) {
    uint64_t& track = process_tracks_[process];
    if (track == 0) {
      track = ++tracks_;
      const ShownProcess& shown = who_.processes[process];
      trace_.ProcessTrack(track, shown.pid, shown.name, shown.command);
    }
    return track;
  }

  uint64_t ThreadTrack(uint32_t thread) {
    const ShownThread& shown = who_.threads[thread];
    // One track for all programs that the process executes.
    uint64_t& track = thread_tracks_[{shown.process, shown.tid}];
    if (track == 0) {
      const uint64_t process = ProcessTrack(shown.process);
      track = ++tracks_;
      trace_.ThreadTrack(track, process, who_.ProcessOf(shown).pid, shown.tid, shown.name);
    }
    return track;
  }

  uint64_t TrackOf(uint32_t thread, Kind kind, size_t row) {
    if (thread >= who_.threads.size()) thread = 0;
    const Last key{thread, kind, row};
    // Rows of one thread follow one another.
    if (last_track_ != 0 && key == last_) return last_track_;
    uint64_t& track = parts_[key];
    if (track == 0) {
      static constexpr const char* kNames[] = {"CPU samples", "GPU launches", "waiting for the GPU",
                                               "other CUDA calls", "ranges"};
      const uint64_t parent = ThreadTrack(thread);
      track = ++tracks_;
      trace_.Track(track, parent, kNames[kind]);
    }
    last_ = key;
    return last_track_ = track;
  }

  uint64_t StreamTrack(const GpuWork& work) {
    const uint32_t stream = work.stream < streams_.size() ? work.stream : 0;
    const size_t row = stream_rows_[stream].Place(work.start, work.start + work.duration);
    uint64_t& track = stream_tracks_[{stream, row}];
    if (track == 0) {
      const uint64_t parent = ProcessTrack(streams_[stream].process);
      track = ++tracks_;
      trace_.Track(track, parent, streams_[stream].name);
    }
    return track;
  }

  struct Last {
    uint32_t thread;
    Kind kind;
    size_t row;
    auto operator<=>(const Last&) const = default;
  };

  const ExportJob& job_;
  Stacks stacks_;
  perfetto::Writer trace_;
  Who who_;
  std::vector<ShownStream> streams_;
  uint64_t tracks_ = 0;
  std::vector<uint64_t> process_tracks_;  // 0 = track not written yet
  std::map<std::pair<uint32_t, int64_t>, uint64_t> thread_tracks_;
  std::map<Last, uint64_t> parts_;
  Last last_{};
  uint64_t last_track_ = 0;
  std::map<std::pair<uint32_t, size_t>, uint64_t> stream_tracks_;
  std::map<uint32_t, Rows> stream_rows_;
  std::map<std::pair<uint32_t, Kind>, Rows> mark_rows_;
  std::vector<perfetto::Writer::Note> notes_;
};

}  // namespace

Status WritePerfetto(const ExportJob& job, ByteSink& out) {
  return PerfettoExport(job, out).Write();
}

}  // namespace gprofx::exporters
