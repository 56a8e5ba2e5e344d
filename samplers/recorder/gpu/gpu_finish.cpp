#include "samplers/recorder/gpu/gpu_finish.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>

#include "core/base/arithmetic.h"
#include "samplers/recorder/gpu/gpu_sources.h"
#include "symbolize/cubin/cubin.h"
#include "symbolize/names/demangle.h"

namespace gprofx::recorder {
namespace {

constexpr size_t kMaxInlined = 64;

// Returns the name to show for a symbol of a cubin. Symbol tables call a device function
// "$kernel$function"; its name is the last part.
std::string ShownName(const std::string& symbol) {
  const bool is_local = symbol.starts_with('$');
  return Demangle(is_local ? symbol.substr(symbol.rfind('$') + 1) : symbol);
}

class PcFinish {
 public:
  PcFinish(const PcTable& pc, const ReadModule& read, const std::vector<NodeId>& node_of,
           Profile& profile)
      : pc_(pc), read_(read), node_of_(node_of), profile_(profile), out_(Stream::kPcSamples) {
    samples_ = profile.FindMetric(kMetricPcSamples);
    latency_ = profile.FindMetric(kMetricPcLatency);
    for (size_t i = 0; i < kStallClasses; ++i) {
      stalls_[i] = profile.FindMetric(std::string(kMetricStallPrefix) + kStallClassNames[i]);
    }
  }

  EventTable Run(bool sources) && {
    std::vector<const PcRow*> rows;
    for (const PcRow& row : pc_.rows()) rows.push_back(&row);
    std::sort(rows.begin(), rows.end(),
              [](const PcRow* a, const PcRow* b) { return Position(*a) < Position(*b); });
    for (size_t begin = 0; begin < rows.size();) {
      size_t end = begin;
      while (end < rows.size() && rows[end]->key.cubin == rows[begin]->key.cubin) ++end;
      FinishCubin(std::span(rows).subspan(begin, end - begin));
      begin = end;
    }
    if (sources) KeepSources({sources_.begin(), sources_.end()}, {}, profile_);
    profile_.quality["gpu_cubins_missing"] = missing_;
    return std::move(out_);
  }

 private:
  using Rows = std::span<const PcRow* const>;
  static std::tuple<CubinId, FunctionId, uint64_t> Position(const PcRow& row) {
    return {row.key.cubin, row.key.function, row.key.offset};
  }

  void FinishCubin(Rows rows) {
    const CubinId id = rows[0]->key.cubin;
    std::vector<std::byte> bytes;
    std::optional<Cubin> cubin;
    if (id) {
      if (auto code = read_(profile_.gpu.cubins[id.index()].hash)) {
        bytes = std::move(*code);
        if (auto opened = Cubin::Open(bytes)) cubin.emplace(std::move(*opened));
      }
    }
    if (!cubin) ++missing_;
    std::set<std::string> sampled;
    for (size_t begin = 0; begin < rows.size();) {
      size_t end = begin;
      while (end < rows.size() && Position(*rows[end]) == Position(*rows[begin])) ++end;
      const PcRowKey& key = rows[begin]->key;
      const std::string& name = pc_.NameOf(key.cubin, key.function);
      std::vector<FrameId> frames;
      if (cubin) {
        sampled.insert(name);
        frames = FramesAt(*cubin, name, key.offset);
      }
      FinishInstruction(rows.subspan(begin, end - begin), frames);
      begin = end;
    }
    if (!cubin) return;
    std::vector<std::byte> data = cubin->Compact({sampled.begin(), sampled.end()});
    if (data.size() > kMaxCubinBytes - cubin_bytes_) return;
    cubin_bytes_ += data.size();
    profile_.gpu.cubins[id.index()].data = std::move(data);
  }

  // Returns the frames of an instruction that come below its kernel. Returns none if the
  // instruction's line is not known.
  std::vector<FrameId> FramesAt(const Cubin& cubin, const std::string& name, uint64_t offset) {
    const CubinFunction* kernel = cubin.FindFunction(name);
    if (kernel == nullptr) return {};
    std::vector<CubinLine> lines = cubin.LinesAt(*kernel, offset);
    std::vector<FrameId> frames;
    if (lines.empty()) return frames;
    if (lines.size() > kMaxInlined) lines.resize(kMaxInlined);
    // A device function that was called, and not inlined, also gets a frame of kind kInlined.
    if (lines.front().function != name) {
      frames.push_back(FrameOf(lines.front(), FrameKind::kInlined));
    }
    frames.push_back(FrameOf(lines.front(), FrameKind::kGpuInstruction));
    for (size_t i = 1; i < lines.size(); ++i) {
      frames.push_back(FrameOf(lines[i], FrameKind::kInlined));
    }
    if (lines.size() > 1) frames.push_back(FrameOf(lines.back(), FrameKind::kGpuInstruction));
    for (const CubinLine& line : lines) sources_.insert(line.file);
    return frames;
  }

  FrameId FrameOf(const CubinLine& line, FrameKind kind) {
    auto [known, is_new] = functions_.try_emplace(line.function);
    if (is_new) {
      Function function;
      function.name = profile_.Intern(ShownName(line.function));
      known->second = profile_.Intern(function);
    }
    Frame frame;
    frame.kind = kind;
    frame.function = known->second;
    frame.file = profile_.Intern(line.file);
    frame.line = line.line;
    return profile_.Intern(frame);
  }

  // Moves the rows of one instruction to their new nodes. Merges rows that differ only in their
  // thread.
  void FinishInstruction(Rows rows, const std::vector<FrameId>& frames) {
    std::map<std::tuple<NodeId, StringId, PcConfidence>, std::pair<int64_t, int64_t>> merged;
    for (const PcRow* row : rows) {
      NodeId node;
      if (row->key.node) {
        const NodeId kernel = node_of_.empty() ? row->key.node : node_of_[row->key.node.index()];
        node = kernel;
        for (const FrameId frame : frames) node = profile_.Child(node, frame);
        if (node != kernel) Move(*row, kernel, node);
      }
      auto& [samples, latency] = merged[{node, row->key.stall, row->key.confidence}];
      samples = AddSaturated(samples, row->samples);
      latency = AddSaturated(latency, row->latency);
    }
    const PcRowKey& key = rows[0]->key;
    for (const auto& [what, counts] : merged) {
      const auto& [node, stall, confidence] = what;
      out_.Append(PcEvent{key.cubin, key.function, key.offset, stall, counts.first, counts.second,
                          node, confidence});
    }
  }

  void Move(const PcRow& row, NodeId from, NodeId to) {
    const auto move = [&](MetricId metric, int64_t amount) {
      if (!metric || amount == 0) return;
      profile_.AddSelf(from, row.key.thread, metric, -amount);
      profile_.AddSelf(to, row.key.thread, metric, amount);
    };
    const auto stall_class = StallClassOf(std::string(profile_.Text(row.key.stall)));
    move(samples_, row.samples);
    move(latency_, row.latency);
    move(stalls_[static_cast<size_t>(stall_class)], row.samples);
  }

  const PcTable& pc_;
  const ReadModule& read_;
  const std::vector<NodeId>& node_of_;
  Profile& profile_;
  EventTable out_;
  MetricId samples_, latency_, stalls_[kStallClasses];
  std::unordered_map<std::string, FunctionId> functions_;  // by mangled name
  std::set<std::string> sources_;
  size_t cubin_bytes_ = 0;
  int64_t missing_ = 0;
};

}  // namespace

EventTable FinishPcSamples(const PcTable& pc, const ReadModule& read,
                           const std::vector<NodeId>& node_of, Profile& profile, bool sources) {
  return PcFinish(pc, read, node_of, profile).Run(sources);
}

}  // namespace gprofx::recorder
