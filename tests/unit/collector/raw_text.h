// What the GPU side of a replayed recording says, as lines of text that do not depend on how ids
// were given: rows of events, values in the tree, PC samples at their lines, counters, wall time.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "core/events/events.h"
#include "samplers/recorder/gpu/gpu_finish.h"
#include "tests/unit/collector/raw_replay.h"

namespace gprofx::test {
using namespace gprofx::recorder;

class RawText {
 public:
  explicit RawText(RawReplay& replay) : replay_(replay), profile_(replay.profile) {}

  // Ends the replay's run: once.
  std::vector<std::string> Lines() {
    const ReadModule read = [this](uint64_t hash) { return replay_.Code(hash); };
    const EventTable pc = FinishPcSamples(replay_.run.pc(), read, {}, profile_);
    AddTable(pc);
    replay_.run.TakeEvents([this](const EventTable& table) { AddTable(table); });
    for (const Value& value : profile_.values) {
      const std::string& metric = profile_.metrics[value.metric.index()].name;
      if (value.self == 0 || !(metric.starts_with("gpu") || metric.starts_with("stall_"))) continue;
      lines_.push_back(metric + " " + std::to_string(value.self) + " " + ThreadText(value.thread) +
                       " " + Path(value.node));
    }
    std::map<std::string, int64_t> counters;
    replay_.run.Publish(counters);
    PublishGpuCounters(replay_.counters, counters);
    for (const auto& [name, value] : counters) {
      lines_.push_back(name + " " + std::to_string(value));
    }
    replay_.run.FinishWall(replay_.end);
    for (const WallPart& part : profile_.gpu.wall) {
      lines_.push_back("wall " + part.name + " " + std::to_string(part.ns));
    }
    for (const auto& [name, value] : profile_.meta) lines_.push_back(name + "=" + value);
    return std::move(lines_);
  }

 private:
  void AddTable(const EventTable& table) {
    const EventStream& stream = *FindEventStream(table.stream());
    for (size_t row = 0; row < table.rows(); ++row) {
      std::string line = stream.name;
      for (size_t i = 0; i < table.columns(); ++i) {
        line += " " + Word(stream.columns[i].role, table.column(i)[row]);
      }
      lines_.push_back(std::move(line));
    }
  }

  std::string Word(ColumnRole role, int64_t value) {
    const auto id = static_cast<uint32_t>(value);
    if (id == 0) return std::to_string(value);
    switch (role) {
      case ColumnRole::kNode:
        return Path(NodeId{id});
      case ColumnRole::kThread:
        return ThreadText(ThreadId{id});
      case ColumnRole::kString:
        return std::string(profile_.Text(StringId{id}));
      case ColumnRole::kFunction:
        return std::string(profile_.Text(profile_.function(FunctionId{id}).name));
      case ColumnRole::kCubin:
        return std::to_string(profile_.gpu.cubins[id - 1].hash);
      case ColumnRole::kGpuConfig: {
        const GpuKernelConfig& config = profile_.gpu.configs[id - 1];
        return std::string(profile_.Text(profile_.function(config.function).name)) + " " +
               std::to_string(config.grid[0]) + "x" + std::to_string(config.block[0]);
      }
      default:
        return std::to_string(value);
    }
  }

  std::string ThreadText(ThreadId id) {
    if (!id) return "nobody";
    const Thread& thread = profile_.thread(id);
    return std::string(profile_.Text(thread.name)) + "/" + std::to_string(thread.tid);
  }

  const std::string& Path(NodeId id) {
    std::string& text = paths_[id.value];
    if (!text.empty()) return text;
    const Node& node = profile_.node(id);
    const Frame& frame = profile_.frame(node.frame);
    std::string own = std::to_string(static_cast<int>(frame.kind));
    if (frame.function) {
      const Function& function = profile_.function(frame.function);
      own.append(":").append(profile_.Text(function.name));
      own.append(":").append(profile_.Text(function.file));
    }
    if (frame.module) own.append(":").append(profile_.Text(profile_.module(frame.module).path));
    own.append(":").append(profile_.Text(frame.file));
    own += ":" + std::to_string(frame.line) + ":" + std::to_string(frame.address);
    const std::string above = node.parent ? Path(node.parent) : "";
    return paths_[id.value] = above + "/" + own;
  }

  RawReplay& replay_;
  Profile& profile_;
  std::map<uint32_t, std::string> paths_;  // by NodeId::value
  std::vector<std::string> lines_;
};

}  // namespace gprofx::test
