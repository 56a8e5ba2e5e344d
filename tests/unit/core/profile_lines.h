// A profile as sorted lines of text that do not depend on how ids were given: two profiles that say
// the same have the same lines.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "core/events/events.h"
#include "core/model/sources.h"

namespace gprofx::test {

class ProfileLines {
 public:
  explicit ProfileLines(const Profile& profile) : profile_(profile) {}

  std::string Of(StringId id) const { return "'" + std::string(profile_.Text(id)) + "'"; }
  std::string Of(ModuleId id) const {
    if (!id) return "-";
    const Module& m = profile_.module(id);
    return Join({Of(m.path), Of(m.build_id), Text(m.flags)});
  }
  std::string Of(FunctionId id) const {
    if (!id) return "-";
    const Function& f = profile_.function(id);
    return Join({Of(f.name), Of(f.file), Text(f.first_line), Of(f.module)});
  }
  std::string Of(FrameId id) const {
    const Frame& f = profile_.frame(id);
    return Join({Text(static_cast<int>(f.kind)), Of(f.function), Of(f.file), Text(f.line),
                 Of(f.module), Text(f.address)});
  }
  std::string Of(NodeId id) const {
    std::string path;
    for (; id; id = profile_.node(id).parent) path += Of(profile_.node(id).frame) + "<";
    return path;
  }
  std::string Of(ProcessId id) const {
    if (!id) return "-";
    const Process& p = profile_.process(id);
    const Source source = SourcesOf(profile_).at(SourceOf(profile_, id).index());
    return Join({source.host, Text(source.start_realtime_ns), Text(source.rank), Text(p.pid),
                 Text(p.parent_pid), Of(p.name), Of(p.command), Text(p.start), Text(p.end),
                 Text(p.exit_status)});
  }
  std::string Of(ThreadId id) const {
    if (!id) return "-";
    const Thread& t = profile_.thread(id);
    return Join({Of(t.process), Text(t.tid), Of(t.name), Text(t.start), Text(t.end), Text(t.cpu_ns),
                 Text(t.lost_ns)});
  }
  std::string Of(MetricId id) const {
    const Metric& m = profile_.metrics[id.index()];
    return Join({m.name, m.unit, Text(static_cast<int>(m.kind))});
  }
  std::string Of(GpuDeviceId id) const {
    if (!id) return "-";
    const GpuDevice& d = profile_.gpu.devices[id.index()];
    return Join({Of(d.name), Of(d.uuid), Of(d.pci_bus), Of(d.driver), Text(d.compute_major),
                 Text(d.multiprocessors), Text(d.clock_hz), Text(d.memory_bytes)});
  }
  std::string Of(GpuContextId id) const {
    if (!id) return "-";
    const GpuContext& c = profile_.gpu.contexts[id.index()];
    return Join({Of(c.process), Of(c.device), Text(c.number)});
  }
  std::string Of(GpuStreamId id) const {
    if (!id) return "-";
    const GpuStreamRow& s = profile_.gpu.streams[id.index()];
    return Join({Of(s.context), Text(s.number), Text(s.priority)});
  }
  std::string Of(GpuConfigId id) const {
    if (!id) return "-";
    const GpuKernelConfig& c = profile_.gpu.configs[id.index()];
    return Join({Of(c.function), Text(c.grid[0]), Text(c.grid[1]), Text(c.block[0]),
                 Text(c.registers), Text(c.static_shared), Text(c.dynamic_shared)});
  }
  std::string Of(CubinId id) const {
    if (!id) return "-";
    const GpuCubin& c = profile_.gpu.cubins[id.index()];
    return Join({Text(c.hash), Text(c.data.size())});
  }

  // What a number of a column means.
  std::string Word(ColumnRole role, int64_t value) const {
    const auto id = static_cast<uint32_t>(value);
    switch (role) {
      case ColumnRole::kNode:
        return Of(NodeId{id});
      case ColumnRole::kThread:
        return Of(ThreadId{id});
      case ColumnRole::kString:
        return Of(StringId{id});
      case ColumnRole::kFunction:
        return Of(FunctionId{id});
      case ColumnRole::kProcess:
        return Of(ProcessId{id});
      case ColumnRole::kGpuContext:
        return Of(GpuContextId{id});
      case ColumnRole::kGpuStream:
        return Of(GpuStreamId{id});
      case ColumnRole::kGpuConfig:
        return Of(GpuConfigId{id});
      case ColumnRole::kCubin:
        return Of(CubinId{id});
      case ColumnRole::kGpuDevice:
        return Of(GpuDeviceId{id});
      default:
        return Text(value);
    }
  }

  // Sorted. Names that nothing refers to and values of 0 say nothing.
  std::vector<std::string> Lines() const {
    std::vector<std::string> lines;
    const auto all = [&]<class Tag>(const char* what, size_t count, Id<Tag>) {
      for (uint32_t i = 1; i <= count; ++i) {
        lines.push_back(Join({what, Of(Id<Tag>{i})}));
      }
    };
    all("module", profile_.modules.size(), ModuleId{});
    all("process", profile_.processes.size(), ProcessId{});
    all("thread", profile_.threads.size(), ThreadId{});
    all("metric", profile_.metrics.size(), MetricId{});
    all("device", profile_.gpu.devices.size(), GpuDeviceId{});
    all("context", profile_.gpu.contexts.size(), GpuContextId{});
    all("stream", profile_.gpu.streams.size(), GpuStreamId{});
    all("config", profile_.gpu.configs.size(), GpuConfigId{});
    all("cubin", profile_.gpu.cubins.size(), CubinId{});
    for (const LoadRange& r : profile_.ranges) {
      lines.push_back(Join({"range", Of(r.process), Of(r.module), Text(r.base), Text(r.end)}));
    }
    for (const Value& v : profile_.values) {
      if (v.self == 0) continue;
      lines.push_back(Join({"value", Of(v.metric), Text(v.self), Of(v.thread), Of(v.node)}));
    }
    for (const SourceText& s : profile_.gpu.sources) {
      lines.push_back(Join({"text", Of(s.path), s.text}));
    }
    for (const WallPart& part : profile_.gpu.wall) {
      lines.push_back(Join({"wall", part.name, Text(part.ns)}));
    }
    for (const WallLane& lane : profile_.gpu.lanes) {
      std::string line = Join({"lane", Of(lane.process), Of(lane.device), Text(lane.begin),
                               Text(lane.end), Text(lane.hidden_communication_ns)});
      for (const WallPart& part : lane.parts) line += Join({" ", part.name, Text(part.ns)});
      lines.push_back(std::move(line));
    }
    for (const auto& [name, text] : profile_.meta) lines.push_back(Join({"meta", name, text}));
    for (const auto& [name, n] : profile_.quality) {
      lines.push_back(Join({"quality", name, Text(n)}));
    }
    lines.push_back(Join({"samples", Text(profile_.sample_rows)}));
    std::sort(lines.begin(), lines.end());
    return lines;
  }

 private:
  template <class Number>
  static std::string Text(Number number) {
    return std::to_string(number);
  }
  static std::string Join(std::initializer_list<std::string> words) {
    std::string line;
    for (const std::string& word : words) line += (line.empty() ? "" : " ") + word;
    return line;
  }

  const Profile& profile_;
};

}  // namespace gprofx::test
