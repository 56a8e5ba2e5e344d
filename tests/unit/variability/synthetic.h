// Files of events made up in memory, and their analysis: what is in them is known.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "core/variability/analysis.h"

namespace gprofx::variability {

struct Recording {
  FileFacts facts;
  std::vector<GroupKey> groups;
  std::vector<LaneId> lanes = {{}};
  std::vector<Event> events;
  std::string error;  // of reading its blocks
  Evidence evidence;
  HostActivity host;

  uint32_t Group(const std::string& name, Kind kind = Kind::kCompute) {
    GroupKey key;
    key.kind = kind;
    key.name = name;
    groups.push_back(key);
    return static_cast<uint32_t>(groups.size() - 1);
  }
  void Add(uint32_t group, int64_t start, int64_t duration, uint32_t stream = 1,
           uint32_t lane = 0) {
    events.push_back({start, duration, group, lane, stream, groups[group].kind});
  }
};

class SyntheticFile final : public EventFile {
 public:
  static constexpr size_t kRows = 1000;  // of a block
  explicit SyntheticFile(const Recording& recording) : recording_(recording) {}
  const FileFacts& facts() const override { return recording_.facts; }
  std::span<const GroupKey> groups() const override { return recording_.groups; }
  std::span<const LaneId> lanes() const override { return recording_.lanes; }
  Status ReadPart(size_t part, size_t parts, const BlockSink& sink) override {
    const size_t blocks = (recording_.events.size() + kRows - 1) / kRows;
    for (size_t i = blocks * part / parts; i < blocks * (part + 1) / parts; ++i) {
      const BlockId id{0, static_cast<int64_t>(i), 1};
      if (Status read = ReadBlocks(std::span(&id, 1), sink); !read) return read;
    }
    return Ok();
  }
  Result<Evidence> ReadEvidence() override { return recording_.evidence; }
  // Of a window what begins in it, and 20 ms more on both sides.
  Result<HostActivity> ReadHost(TimeRange window) override {
    HostActivity out;
    out.calls = recording_.host.calls;
    const auto keep = [&](auto& rows) {
      std::erase_if(rows, [&](const auto& row) {
        return (window.end != INT64_MAX && row.begin > window.end + 20'000'000) ||
               (window.begin != INT64_MIN && row.begin < window.begin - 20'000'000);
      });
    };
    for (ProcessHost process : recording_.host.processes) {
      keep(process.waits);
      keep(process.queue_full);
      keep(process.samples);
      out.processes.push_back(std::move(process));
    }
    return out;
  }
  Status ReadBlocks(std::span<const BlockId> blocks, const BlockSink& sink) override {
    if (!recording_.error.empty()) return Error{ErrorId::kCannotRead, recording_.error};
    for (const BlockId& block : blocks) {
      const size_t at = static_cast<size_t>(block.first) * kRows;
      sink(
          block,
          std::span(recording_.events).subspan(at, std::min(kRows, recording_.events.size() - at)));
    }
    return Ok();
  }

 private:
  const Recording& recording_;
};

using Recordings = std::map<std::string, Recording>;

inline Analysis AnalysisOf(const Recordings& recordings, Options options = {}, size_t threads = 1) {
  Analysis analysis;
  analysis.options = options;
  analysis.threads = threads;
  for (const auto& [path, recording] : recordings) {
    analysis.files.push_back(
        {path, recording.events.size() * 10, 1 + recording.events.size() / 20000});
  }
  analysis.open = [&recordings](const std::string& path) -> Result<std::unique_ptr<EventFile>> {
    return std::unique_ptr<EventFile>(std::make_unique<SyntheticFile>(recordings.at(path)));
  };
  return analysis;
}

inline Model ModelOf(const Recordings& recordings, Options options = {}, size_t threads = 1) {
  const Analysis analysis = AnalysisOf(recordings, options, threads);
  Ranks alone;
  return **Analyze(analysis, alone);
}

// Steps of kernels, one after the other; each group has its own median and a spread of `sigma`.
// `slow(step, group)`: a factor.
template <class Slow>
Recording Steady(uint64_t seed, int steps, int groups, double sigma, Slow slow) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> noise(0, sigma);
  Recording recording;
  for (int g = 0; g < groups; ++g) recording.Group("kernel" + std::to_string(g));
  int64_t now = 1'000'000;
  for (int step = 0; step < steps; ++step) {
    for (int g = 0; g < groups; ++g) {
      const double median = 20'000 * (1 + g);
      const auto ns = static_cast<int64_t>(median * std::exp(noise(random)) * slow(step, g));
      recording.Add(static_cast<uint32_t>(g), now, ns);
      now += ns + 2'000;
    }
  }
  return recording;
}

}  // namespace gprofx::variability
