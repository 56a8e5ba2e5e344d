// Implements Merge. Tables are merged one after another, each after the tables that its rows refer
// to. Rows of interned tables (strings, functions, frames, nodes) match if they are equal. Plain
// rows match by a key (core/model/merge_rows.h). Two rows of `from` never become one, so merging a
// profile into an empty one does not change it.
#include "core/model/merge.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "core/base/arithmetic.h"
#include "core/model/merge_facts.h"
#include "core/model/merge_rows.h"
#include "core/model/sources.h"

namespace gprofx {
namespace {

// Returns the sum of each metric over one source, by metric name. The entry "" is the sum of the
// CPU clocks of the source's threads. `source` is a position in SourcesOf().
std::map<std::string, int64_t> SumsOf(const Profile& profile, size_t source) {
  std::map<std::string, int64_t> sums;
  for (const Thread& thread : profile.threads) {
    if (!thread.process || SourceOf(profile, thread.process).index() != source) continue;
    sums[""] = AddSaturated(sums[""], thread.cpu_ns);
  }
  for (size_t i = 0; i < profile.metrics.size(); ++i) {
    const int64_t sum = SumsBySource(profile, MetricId{static_cast<uint32_t>(i + 1)})[source];
    if (sum != 0) sums[profile.metrics[i].name] = sum;
  }
  return sums;
}

class Merger {
 public:
  Merger(Profile& into, const Profile& from) : into_(into), from_(from) {}

  // Returns an error if the profiles cannot be merged. Changes neither of them.
  Status Check() {
    if (&into_ == &from_) {
      return Error{ErrorId::kCannotMerge, "cannot merge a profile with itself",
                   "name each file once"};
    }
    for (const Metric& metric : from_.metrics) {
      const MetricId there = into_.FindMetric(metric.name);
      if (!there || into_.metrics[there.index()].unit == metric.unit) continue;
      return Error{ErrorId::kCannotMerge,
                   "the unit of metric '" + metric.name + "' is " +
                       into_.metrics[there.index()].unit + " in one profile and " + metric.unit +
                       " in the other",
                   "merge profiles of one version of gprof-x"};
    }
    const std::vector<Source> there = SourcesOf(into_);
    size_t at = 0;
    for (const Source& source : SourcesOf(from_)) {
      const auto same = std::find_if(there.begin(), there.end(), [&](const Source& other) {
        return IsSameFile(source, other);
      });
      if (same != there.end() &&
          (source.meta.contains("recording_id") ||
           SumsOf(into_, static_cast<size_t>(same - there.begin())) == SumsOf(from_, at))) {
        return Error{ErrorId::kCannotMerge, "the profile already holds this recording",
                     "name each file once"};
      }
      ++at;
      const bool known = std::any_of(there.begin(), there.end(), [&](const Source& other) {
        return IsSameRecording(source, other);
      });
      (known ? has_known_ : has_new_) = true;
    }
    if (!has_known_ || !has_new_) return Ok();
    return Error{ErrorId::kCannotMerge, "the two profiles share a recording, and each has others",
                 "merge each recording once"};
  }

  IdMaps Run(const MergeOptions& options) {
    maps_.clock_offset = OffsetOf(options);
    Facts();
    Names();
    Processes();
    GpuTables();
    Values();
    return std::move(maps_);
  }

 private:
  HostNs OffsetOf(const MergeOptions& options) const {
    if (options.clock_offset) return *options.clock_offset;
    const int64_t here = RealtimeOfZero(into_), there = RealtimeOfZero(from_);
    return here != 0 && there != 0 ? SubtractSaturated(there, here) : 0;
  }

  // Returns `key`, the key of a row that belongs to `owner`, or no value if the row must not match
  // any other. If the owner is unknown, equal rows may come from different recordings. Such rows
  // may match only if `into` already contains a source of `from`.
  template <class Owner, class Key>
  std::optional<Key> OfKnown(Owner owner, const Key& key) const {
    return owner || has_known_ ? std::optional(key) : std::nullopt;
  }

  HostNs Shifted(HostNs time) const { return AddSaturated(time, maps_.clock_offset); }
  // Returns the shifted end of a row. An end of 0 means "unknown" and stays 0.
  HostNs ShiftedEnd(HostNs time) const {
    return time == 0 ? 0 : std::max<HostNs>(Shifted(time), 1);
  }

  void Facts() {
    std::vector<Source> sources = SourcesOf(from_);
    if (sources.empty()) return;
    const bool first = SourcesOf(into_).empty();
    if (into_.sources.empty()) into_.sources = SourcesOf(into_);
    for (Process& process : into_.processes) {
      if (!process.source) process.source = SourceId{1};
    }
    for (Source& source : sources) {
      const auto known =
          std::find_if(into_.sources.begin(), into_.sources.end(),
                       [&](const Source& other) { return IsSameRecording(source, other); });
      if (known != into_.sources.end()) {
        JoinCounters(known->quality, source.quality);
        maps_.sources.push_back({static_cast<uint32_t>(known - into_.sources.begin() + 1)});
        continue;
      }
      source.clock_offset_ns = Shifted(source.clock_offset_ns);
      into_.sources.push_back(std::move(source));
      maps_.sources.push_back({static_cast<uint32_t>(into_.sources.size())});
    }
    if (first) {
      into_.meta = from_.meta;
    } else {
      KeepShared(into_.meta, from_.meta);
    }
    JoinCounters(into_.quality, from_.quality);
  }

  void Names() {
    for (uint32_t id = 1; id <= from_.string_count(); ++id) {
      maps_.strings.push_back(into_.Intern(from_.Text(StringId{id})));
    }
    std::vector<Module> modules = from_.modules;
    for (Module& module : modules) {
      module.path = At(maps_.strings, module.path);
      module.build_id = At(maps_.strings, module.build_id);
    }
    // A pseudo-module such as "[code made at run time]" belongs to one process. Two recordings have
    // different processes, so their pseudo-modules never match.
    const auto key = [this](const Module& m) {
      using Key = std::tuple<StringId, StringId, uint32_t>;
      const bool own = !m.build_id && into_.Text(m.path).starts_with('[');
      return own && !has_known_ ? std::nullopt : std::optional<Key>({m.path, m.build_id, m.flags});
    };
    maps_.modules = Fold<ModuleId>(into_.modules, std::move(modules), key, kKeep);
    for (Function function : from_.functions) {
      function.name = At(maps_.strings, function.name);
      function.file = At(maps_.strings, function.file);
      function.module = At(maps_.modules, function.module);
      maps_.functions.push_back(into_.Intern(function));
    }
    for (Frame frame : from_.frames) {
      frame.function = At(maps_.functions, frame.function);
      frame.file = At(maps_.strings, frame.file);
      frame.module = At(maps_.modules, frame.module);
      maps_.frames.push_back(into_.Intern(frame));
    }
    for (const Node& node : from_.nodes) {
      maps_.nodes.push_back(
          into_.Child(At(maps_.nodes, node.parent), At(maps_.frames, node.frame)));
    }
  }

  void Processes() {
    std::vector<Process> processes = from_.processes;
    for (Process& process : processes) {
      process.name = At(maps_.strings, process.name);
      process.command = At(maps_.strings, process.command);
      process.start = Shifted(process.start);
      process.end = ShiftedEnd(process.end);
      process.source = At(maps_.sources, process.source ? process.source : SourceId{1});
    }
    const auto process_key = [](const Process& p) {
      return std::optional(std::tuple(p.source, p.pid, p.start, p.name, p.command));
    };
    maps_.processes = Fold<ProcessId>(
        into_.processes, std::move(processes), process_key, [](Process& there, const Process& row) {
          there.end = std::max(there.end, row.end);
          there.exit_status = std::max(there.exit_status, row.exit_status);
        });
    std::vector<Thread> threads = from_.threads;
    for (Thread& thread : threads) {
      thread.process = At(maps_.processes, thread.process);
      thread.name = At(maps_.strings, thread.name);
      thread.start = Shifted(thread.start);
      thread.end = ShiftedEnd(thread.end);
    }
    const auto thread_key = [](const Thread& t) {
      return std::optional(std::tuple(t.process, t.tid, t.start, t.name));
    };
    maps_.threads = Fold<ThreadId>(into_.threads, std::move(threads), thread_key,
                                   [](Thread& there, const Thread& row) {
                                     there.end = std::max(there.end, row.end);
                                     there.cpu_ns = AddSaturated(there.cpu_ns, row.cpu_ns);
                                     there.lost_ns = AddSaturated(there.lost_ns, row.lost_ns);
                                   });
    std::vector<LoadRange> ranges = from_.ranges;
    for (LoadRange& range : ranges) {
      range.process = At(maps_.processes, range.process);
      range.module = At(maps_.modules, range.module);
    }
    const auto range_key = [](const LoadRange& r) {
      return std::optional(std::tuple(r.process, r.module, r.base, r.begin, r.end));
    };
    Fold<Id<LoadRange>>(into_.ranges, std::move(ranges), range_key, kKeep);
  }

  void GpuTables() {
    std::vector<GpuDevice> devices = from_.gpu.devices;
    for (GpuDevice& device : devices) {
      for (StringId* text : {&device.name, &device.uuid, &device.pci_bus, &device.driver}) {
        *text = At(maps_.strings, *text);
      }
    }
    // Without a UUID, devices of different hosts can have equal rows. OfKnown() then decides
    // whether they may match.
    const auto device_key = [this](const GpuDevice& d) {
      return OfKnown(
          d.uuid, std::tuple(d.uuid, d.name, d.pci_bus, d.driver, d.compute_major, d.compute_minor,
                             d.multiprocessors, d.clock_hz, d.memory_bytes, d.memory_bytes_per_s));
    };
    maps_.devices = Fold<GpuDeviceId>(into_.gpu.devices, std::move(devices), device_key, kKeep);

    std::vector<GpuContext> contexts = from_.gpu.contexts;
    for (GpuContext& context : contexts) {
      context.process = At(maps_.processes, context.process);
      context.device = At(maps_.devices, context.device);
    }
    const auto context_key = [this](const GpuContext& c) {
      return OfKnown(c.process, std::tuple(c.process, c.number, c.device));
    };
    maps_.contexts =
        Fold<GpuContextId>(into_.gpu.contexts, std::move(contexts), context_key, kKeep);

    std::vector<GpuStreamRow> streams = from_.gpu.streams;
    for (GpuStreamRow& stream : streams) stream.context = At(maps_.contexts, stream.context);
    const auto stream_key = [this](const GpuStreamRow& s) {
      return OfKnown(s.context, std::tuple(s.context, s.number, s.priority));
    };
    maps_.streams = Fold<GpuStreamId>(into_.gpu.streams, std::move(streams), stream_key, kKeep);

    std::vector<GpuKernelConfig> configs = from_.gpu.configs;
    for (GpuKernelConfig& config : configs) {
      config.function = At(maps_.functions, config.function);
    }
    const auto config_key = [](const GpuKernelConfig& c) { return std::optional(c); };
    maps_.configs = Fold<GpuConfigId>(into_.gpu.configs, std::move(configs), config_key, kKeep);

    const auto cubin_key = [](const GpuCubin& c) { return std::optional(c.hash); };
    maps_.cubins = Fold<CubinId>(into_.gpu.cubins, from_.gpu.cubins, cubin_key,
                                 [](GpuCubin& there, const GpuCubin& row) {
                                   if (there.data.empty()) there.data = row.data;
                                 });
    std::vector<SourceText> texts = from_.gpu.sources;
    for (SourceText& text : texts) text.path = At(maps_.strings, text.path);
    const auto text_key = [](const SourceText& t) {
      return std::optional(std::pair(t.path, t.text));
    };
    Fold<Id<SourceText>>(into_.gpu.sources, std::move(texts), text_key, kKeep);
    Wall();
  }

  // The partition of the wall time covers a whole recording, so it is added only once per
  // recording.
  void Wall() {
    if (!has_known_) AddWall(into_.gpu.wall, from_.gpu.wall);
    std::vector<WallLane> lanes = from_.gpu.lanes;
    for (WallLane& lane : lanes) {
      lane.process = At(maps_.processes, lane.process);
      lane.device = At(maps_.devices, lane.device);
      lane.begin = Shifted(lane.begin);
      lane.end = Shifted(lane.end);
    }
    const auto lane_key = [this](const WallLane& l) {
      return OfKnown(l.process, std::tuple(l.process, l.device, l.begin, l.end));
    };
    Fold<Id<WallLane>>(into_.gpu.lanes, std::move(lanes), lane_key, kKeep);
  }

  // Copies exact GPU times into the metrics for estimated times. This is needed if only one of the
  // profiles has estimates: otherwise the merged estimates would lack the work of the other
  // profile. `is_from` tells which profile has exact times: `from` if true, else `into`.
  void EstimateExact(bool is_from) {
    constexpr std::pair<const char*, const char*> kMetrics[] = {
        {kMetricGpu, kMetricGpuEstimated}, {kMetricGpuOps, kMetricGpuOpsEstimated}};
    const Profile& exact = is_from ? from_ : into_;
    std::vector<Value> added;
    for (const auto& [recorded, estimated] : kMetrics) {
      const MetricId from = exact.FindMetric(recorded), to = into_.FindMetric(estimated);
      if (!from || !to) continue;
      for (const Value& value : exact.values) {
        if (value.metric != from) continue;
        added.push_back({is_from ? At(maps_.nodes, value.node) : value.node,
                         is_from ? At(maps_.threads, value.thread) : value.thread, to, value.self});
      }
    }
    for (const Value& value : added)
      into_.AddSelf(value.node, value.thread, value.metric, value.self);
  }

  void Values() {
    const bool known_estimated = static_cast<bool>(into_.FindMetric(kMetricGpuEstimated));
    const bool is_estimated = static_cast<bool>(from_.FindMetric(kMetricGpuEstimated));
    for (const Metric& metric : from_.metrics) {
      const MetricId id = into_.AddMetric(metric.name, metric.unit, metric.kind);
      // If one of the added metrics is an estimate, so is the sum.
      if (metric.kind == MetricKind::kSampled) into_.metrics[id.index()].kind = metric.kind;
      maps_.metrics.push_back(id);
    }
    if (known_estimated != is_estimated) EstimateExact(known_estimated);
    for (const Value& value : from_.values) {
      into_.AddSelf(At(maps_.nodes, value.node), At(maps_.threads, value.thread),
                    At(maps_.metrics, value.metric), value.self);
    }
    into_.sample_rows = AddSaturated(into_.sample_rows, from_.sample_rows);
  }

  Profile& into_;
  const Profile& from_;
  // has_known_: `into` already has some sources of `from`. has_new_: it lacks some.
  bool has_known_ = false, has_new_ = false;
  IdMaps maps_;
};

}  // namespace

Result<IdMaps> Merge(Profile& into, const Profile& from, const MergeOptions& options) {
  Merger merger(into, from);
  if (Status possible = merger.Check(); !possible) return possible.error();
  return merger.Run(options);
}

}  // namespace gprofx
