// Importers of sampled stacks as text: collapsed stacks (flame graphs, py-spy --format raw, austin)
// and `perf script`.
//
// Collapsed stacks count samples (metric "samples"); austin gives microseconds (metric "wall",
// "cpu" or "memory"). perf script has a metric for each event: CPU time for the CPU clock events
// (metric "cpu"), otherwise perf_EVENT. A sample weighs its period, or 1 without one. Events are
// never added up: the metric "samples" is there for a single event only.
//
// Input comes in pieces of bytes, cut anywhere. Unreadable lines are counted. Memory: the call
// paths; each sample of perf script with a time is passed to `sink` as a row. Pure except for
// `sink`; one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/model/profile.h"
#include "formats/importers/lines.h"

namespace gprofx::importers {

// Reads "main (app.py:10);work (app.py:3) 12": root first, the number of samples last. Fractions
// are multiplied by a power of ten that makes them whole (scale()).
class CollapsedReader {
 public:
  explicit CollapsedReader(Profile& profile);
  void Add(std::span<const char> piece) { lines_.Add(piece); }
  void Finish();
  int64_t stacks() const { return stacks_; }
  bool has_values() const { return has_values_; }  // not all are 0
  int64_t scale() const { return scale_; }
  bool is_austin() const { return is_austin_; }
  // Every line has two values, as of two profiles that are compared.
  bool has_two_values() const { return stacks_ > 0 && two_values_ == stacks_; }

  // Returns the frame for a text, with file and line if it has them.
  static FrameId FrameOf(Profile& profile, std::string_view text);
  static bool IsStack(std::string_view line);

 private:
  void Take(std::string_view line);
  void TakeComment(std::string_view line);
  void TakeAustin(std::string_view stack, std::string_view value);
  void TakeCount(std::string_view stack, std::string_view value);
  NodeId NodeOf(std::string_view stack);
  ThreadId Thread(std::string_view& stack);
  void Rescale(int64_t scale);

  Profile& profile_;
  std::map<int64_t, ProcessId> processes_;
  std::map<std::pair<ProcessId, std::string>, ThreadId> threads_;
  std::string mode_;  // of austin
  bool is_austin_ = false, has_values_ = false;
  int64_t stacks_ = 0, unread_ = 0, two_values_ = 0, cut_frames_ = 0, scale_ = 1;
  Lines lines_;
};

// Reads the output of `perf script` with its default fields, with or without times and periods.
class PerfScriptReader {
 public:
  using SampleSink = std::function<void(const SampleRow&)>;

  PerfScriptReader(Profile& profile, SampleSink sink);
  void Add(std::span<const char> piece) { lines_.Add(piece); }
  void Finish();
  int64_t samples() const { return samples_count_; }

  static bool IsHeader(std::string_view line);
  static bool IsRecord(std::string_view line);  // of a process, with perf script --show-task-events

 private:
  struct Header {
    std::string_view comm, event, rest;  // rest: a frame, if stacks were not recorded
    int64_t pid = -1, tid = 0;
    int64_t time_ns = -1, period = -1;  // -1 = not told
  };
  struct Event {
    MetricId metric;
    bool is_time = false;
    int64_t samples = 0;
  };
  static bool Parse(std::string_view line, Header& header);
  static bool ParseWho(std::string_view who, Header& header);
  static bool ParseWithoutTime(std::string_view line, Header& header);

  void Take(std::string_view line);
  void TakeFrame(std::string_view line);
  void Begin(const Header& header);
  void EndSample();
  ThreadId Thread(int64_t pid, int64_t tid, std::string_view comm);
  ModuleId Module(std::string_view path);
  Event& EventOf(const Header& header);
  void AddSamples();
  void ChooseClock();

  Profile& profile_;
  SampleSink sink_;
  std::map<std::string, Event, std::less<>> events_;
  std::map<std::pair<NodeId, ThreadId>, int64_t> samples_;  // while there is one event
  std::map<std::pair<int64_t, int64_t>, ThreadId> threads_;
  std::map<int64_t, ProcessId> processes_;
  std::map<std::string, ModuleId, std::less<>> modules_;
  std::map<std::string, FrameId, std::less<>> frames_;
  std::vector<FrameId> stack_;  // of the sample being read, innermost first
  bool in_sample_ = false;
  ThreadId thread_;
  Event* event_ = nullptr;
  int64_t weight_ = 0, time_ns_ = 0, first_ns_ = -1, last_ns_ = 0;
  int64_t samples_count_ = 0, unread_ = 0, records_ = 0;
  Lines lines_;
};

}  // namespace gprofx::importers
