// Imports the output of `perf script`, whichever fields it contains.
//
// Each event becomes a metric named after it, such as perf_cycles:u. The first CPU clock event
// (cpu-clock, task-clock) that has periods is the metric "cpu", in ns. The value of a sample is its
// period, or 1 if it has none. Events are never added up, so the metric "samples" exists only if
// there is a single event. Samples of events beyond kMaxEvents are left out and counted.
//
// Fields other than names, ids, time, period, event and frames are left out and counted
// (import_left_out_further_fields). Input comes in pieces of bytes, cut anywhere. Memory: the call
// paths. Each sample with a time is passed to `sink` as a row. Pure except for `sink`; one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "core/model/profile.h"
#include "formats/importers/lines.h"
#include "formats/importers/perf/perf_header.h"

namespace gprofx::importers {

class PerfScriptReader {
 public:
  using SampleSink = std::function<void(const SampleRow&)>;
  static constexpr size_t kMaxEvents = 1024;

  PerfScriptReader(Profile& profile, SampleSink sink);
  void Add(std::span<const char> piece) { lines_.Add(piece); }
  void Finish();
  int64_t samples() const { return samples_count_; }

  // True for a line of a sample or of a stack, which only perf script writes.
  static bool IsSampleLine(std::string_view line);

 private:
  using ThreadKey = std::tuple<int64_t, int64_t, int64_t>;  // machine, pid, tid
  struct Event {
    MetricId metric;
    bool is_time = false, has_stacks = false;
    int64_t samples = 0;
  };

  void Take(std::string_view line);
  void TakeWithinSample(std::string_view line);
  void TakeOutside(std::string_view line);
  bool IsStackLine(std::string_view line) const;
  void TakeFrame(std::string_view line);
  FrameId FrameOf(std::string_view text);
  void Begin(const PerfHeader& header);
  void EndSample();
  void ForgetLineAbove();
  void FindFrameBehindEvent();
  void AddSample();
  void AddRow(NodeId node);
  NodeId NodeOfStack();
  ThreadId Thread(const PerfHeader& header);
  ProcessId Process(const PerfHeader& header);
  ModuleId Module(std::string_view path);
  Event* EventOf(const PerfHeader& header);
  void AddSamples();
  void ChooseClock();

  Profile& profile_;
  SampleSink sink_;
  std::map<std::string, Event, std::less<>> events_;
  Event* cpu_ = nullptr;   // event of the metric "cpu"
  std::string cpu_event_;  // name of that event
  // Samples of the only event; not kept if there are several.
  std::map<std::pair<NodeId, ThreadId>, int64_t> samples_;
  std::map<ThreadKey, ThreadId> threads_;
  std::map<std::pair<int64_t, int64_t>, ProcessId> processes_;  // by machine and pid
  std::map<std::string, ModuleId, std::less<>> modules_;
  std::map<std::string, FrameId, std::less<>> frames_;
  std::vector<FrameId> stack_;  // stack of the current sample, innermost frame first
  std::string tail_;            // text after the event of the current sample
  std::string above_;  // last line outside of samples; if a stack follows, it is its header
  bool in_sample_ = false, has_tabs_ = false;
  ThreadId thread_;
  Event* event_ = nullptr;  // event of the current sample; null = the sample is left out
  int64_t weight_ = 0, time_ns_ = 0, first_ns_ = -1, last_ns_ = 0;
  int64_t samples_count_ = 0, unread_ = 0, records_ = 0, further_ = 0, other_events_ = 0;
  int64_t cut_frames_ = 0;
  Lines lines_;
};

}  // namespace gprofx::importers
