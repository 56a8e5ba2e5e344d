// Importers of sampled stacks as text: collapsed stacks (flame graphs, py-spy --format raw) and
// `perf script`. Both count samples (metric "samples"). perf script may also give the weight of a
// sample. For the CPU clock events it is CPU time (metric "cpu"), otherwise the event's count (a
// metric with the event's name).
//
// Input comes in pieces of bytes, cut anywhere. Unreadable lines are counted. Memory: the call
// paths; each sample of perf script is passed to `sink` as a row. Pure except for `sink`; one
// thread.
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

// Reads "main (app.py:10);work (app.py:3) 12": root first, the number of samples last.
class CollapsedReader {
 public:
  explicit CollapsedReader(Profile& profile);
  void Add(std::span<const char> piece) { lines_.Add(piece); }
  void Finish();
  int64_t stacks() const { return stacks_; }

  // Returns the frame for a text, with file and line if it has them.
  static FrameId FrameOf(Profile& profile, std::string_view text);
  static bool IsStack(std::string_view line);

 private:
  void Take(std::string_view line);

  Profile& profile_;
  MetricId samples_;
  ThreadId thread_;
  int64_t stacks_ = 0, unread_ = 0;
  Lines lines_;
};

// Reads the output of `perf script` with its default fields, with or without a period.
class PerfScriptReader {
 public:
  using SampleSink = std::function<void(const SampleRow&)>;

  PerfScriptReader(Profile& profile, SampleSink sink);
  void Add(std::span<const char> piece) { lines_.Add(piece); }
  void Finish();
  int64_t samples() const { return samples_count_; }

  static bool IsHeader(std::string_view line);

 private:
  struct Header {
    std::string_view comm, event, rest;  // rest: a frame, if stacks were not recorded
    int64_t pid = -1, tid = 0, time_ns = 0, period = 0;
  };
  static bool Parse(std::string_view line, Header& header);

  void Take(std::string_view line);
  void TakeFrame(std::string_view line);
  void Begin(const Header& header);
  void EndSample();
  ThreadId Thread(int64_t pid, int64_t tid, std::string_view comm);
  ModuleId Module(std::string_view path);

  Profile& profile_;
  SampleSink sink_;
  MetricId samples_;
  std::map<std::string, MetricId, std::less<>> metrics_;  // by event
  std::map<std::pair<int64_t, int64_t>, ThreadId> threads_;
  std::map<int64_t, ProcessId> processes_;
  std::map<std::string, ModuleId, std::less<>> modules_;
  std::map<std::string, FrameId, std::less<>> frames_;
  std::vector<FrameId> stack_;  // of the sample being read, innermost first
  bool in_sample_ = false;
  ThreadId thread_;
  MetricId metric_;
  int64_t period_ = 0, time_ns_ = 0, first_ns_ = -1, last_ns_ = 0;
  int64_t samples_count_ = 0, unread_ = 0;
  Lines lines_;
};

}  // namespace gprofx::importers
