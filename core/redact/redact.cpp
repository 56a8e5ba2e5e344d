#include "core/redact/redact.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "core/base/path.h"
#include "core/base/text.h"
#include "core/model/address_name.h"
#include "core/redact/public_names.h"
#include "core/redact/public_paths.h"

namespace gprofx {
namespace {

constexpr char kKeyed[] = "keyed";  // value of the meta entry "redacted"

template <class Tag>
Id<Tag> At(const std::vector<Id<Tag>>& map, Id<Tag> id) {
  return id && id.index() < map.size() ? map[id.index()] : Id<Tag>{};
}

bool IsNumber(std::string_view text) {
  constexpr size_t kDigits = 20;  // maximum length of a 64-bit number with sign
  return !text.empty() && text.size() <= kDigits &&
         text.find_first_not_of("0123456789.-") == std::string_view::npos;
}

// True if a text may be a word of gprof-x itself: it is short and has only lower-case letters,
// digits and "_".
bool IsPlainWord(std::string_view text) {
  return !text.empty() && text.size() <= 60 &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string_view::npos;
}

// True for a profile that was redacted with a key. Earlier versions hashed without a key; such
// hashes are hashed again.
bool WasRedacted(const Profile& profile) {
  const auto fact = profile.meta.find("redacted");
  return fact != profile.meta.end() && fact->second == kKeyed;
}

class Redactor {
 public:
  Redactor(const Profile& from, std::string_view key)
      : from_(from), out_{{}, {}, NameRedactor(std::string(key), WasRedacted(from))} {}

  Redaction Run() && {
    out_.profile.meta = Facts(from_.meta);
    out_.profile.quality = Counters(from_.quality);
    Sources();
    Processes();
    Code();
    Gpu();
    Values();
    return std::move(out_);
  }

 private:
  StringId Put(std::string_view text) { return out_.profile.Intern(text); }
  std::string_view Text(StringId id) const { return from_.Text(id); }
  StringId Path(StringId path) { return Put(names_.Path(Text(path))); }
  // Returns the redacted path of a source file. For code of the interpreter, keeps the folder in
  // CPython's sources, because views recognize interpreter code by it.
  StringId SourceFile(StringId file, ModuleId module) {
    const size_t at = module.index();
    const bool python =
        module && public_modules_[at] && (from_.modules[at].flags & kModuleIsPython) != 0;
    const std::string_view path = Text(file);
    const std::string_view folder = python && !PublicPath(path) ? InterpreterFolder(path) : "";
    const std::string hashed = names_.Path(path);
    return Put(folder.empty() ? hashed : std::string(folder) + "/" + std::string(BaseName(hashed)));
  }

  std::map<std::string, std::string> Facts(const std::map<std::string, std::string>& facts) const {
    static constexpr std::string_view kWords[] = {
        "schema",       "complete",      "tool_version", "clock",    "cpu_source", "kernel_time",
        "recording_id", "imported_from", "gpu_asked",    "gpu_mode", "memory",     "gpu_numbers"};
    static constexpr std::string_view kNumbers[] = {"attached",
                                                    "duration_ns",
                                                    "exit_status",
                                                    "flight_begin_ns",
                                                    "flight_end_ns",
                                                    "flight_last_ns",
                                                    "rank",
                                                    "rate_asked_hz",
                                                    "rate_expected_hz",
                                                    "rate_reached_hz",
                                                    "start_realtime_ns",
                                                    "window_begin_ns",
                                                    "window_end_ns"};
    std::map<std::string, std::string> kept;
    for (const auto& [name, value] : facts) {
      const bool number = IsOneOf(name, kNumbers) || name.starts_with("recorder_ns_");
      if (name == "host" || name == "command") {
        kept[name] = names_.Hashed(name.c_str(), value);
      } else if (name == "kernel") {
        constexpr std::string_view kLinux = "Linux ";
        const size_t at = value.starts_with(kLinux) ? kLinux.size() : 0;
        kept[name] = value.substr(at, value.find_first_not_of("0123456789.", at) - at);
      } else if (IsPlainWord(name) && (IsOneOf(name, kWords) || (number && IsNumber(value)))) {
        kept[name] = value;
      }
    }
    kept["redacted"] = kKeyed;
    return kept;
  }

  static std::map<std::string, int64_t> Counters(const std::map<std::string, int64_t>& counters) {
    std::map<std::string, int64_t> kept;
    for (const auto& [name, value] : counters) {
      if (IsPlainWord(name)) kept[name] = value;
    }
    return kept;
  }

  void Sources() {
    for (Source source : from_.sources) {
      source.host = names_.Hashed("host", source.host);
      source.meta = Facts(source.meta);
      source.quality = Counters(source.quality);
      out_.profile.sources.push_back(std::move(source));
      out_.maps.sources.push_back({static_cast<uint32_t>(out_.profile.sources.size())});
    }
  }

  void Processes() {
    for (Process process : from_.processes) {
      process.name = Put(names_.Process(Text(process.name)));
      process.command = Put(names_.Hashed("command", Text(process.command)));
      out_.profile.processes.push_back(process);
      out_.maps.processes.push_back({static_cast<uint32_t>(out_.profile.processes.size())});
    }
    for (Thread thread : from_.threads) {
      thread.name = Put(names_.Thread(Text(thread.name)));
      out_.profile.threads.push_back(thread);
      out_.maps.threads.push_back({static_cast<uint32_t>(out_.profile.threads.size())});
    }
  }

  void Code() {
    for (Module module : from_.modules) {
      const bool is_public = PublicPath(Text(module.path)).has_value();
      public_modules_.push_back(is_public);
      module.build_id = is_public ? Put(Text(module.build_id)) : StringId{};
      module.path = Path(module.path);
      out_.profile.modules.push_back(module);
      out_.maps.modules.push_back({static_cast<uint32_t>(out_.profile.modules.size())});
    }
    out_.profile.ranges = from_.ranges;
    Functions();
    for (Frame frame : from_.frames) {
      frame.function = At(out_.maps.functions, frame.function);
      frame.file = SourceFile(frame.file, frame.module);
      frame.module = At(out_.maps.modules, frame.module);
      out_.maps.frames.push_back(out_.profile.Intern(frame));
    }
    for (const Node& node : from_.nodes) {
      out_.maps.nodes.push_back(
          out_.profile.Child(At(out_.maps.nodes, node.parent), At(out_.maps.frames, node.frame)));
    }
    out_.profile.left_out.threads = from_.left_out.threads;
    if (from_.left_out.nodes.empty()) return;  // only threads are listed, no nodes
    std::vector<uint8_t>& left_out = out_.profile.left_out.nodes;
    left_out.resize(out_.profile.nodes.size());
    for (size_t i = 0; i < from_.left_out.nodes.size(); ++i)
      left_out[out_.maps.nodes[i].index()] |= from_.left_out.nodes[i];
  }

  // Redacts the functions. The kind of a function's frames decides which names are public. If the
  // frames have several kinds, the name is treated as one of no kind.
  void Functions() {
    constexpr int kNone = -1, kSeveral = -2;
    std::vector<int> kinds(from_.functions.size(), kNone);
    for (const Frame& frame : from_.frames) {
      if (!frame.function) continue;
      int& kind = kinds[frame.function.index()];
      const int own = static_cast<int>(frame.kind);
      kind = kind == kNone || kind == own ? own : kSeveral;
    }
    for (size_t i = 0; i < from_.functions.size(); ++i) {
      Function function = from_.functions[i];
      const std::string name = NameOf(function, kinds[i]);
      function.name = Put(name);
      function.file = SourceFile(function.file, function.module);
      function.module = At(out_.maps.modules, function.module);
      out_.maps.functions.push_back(out_.profile.Intern(function));
    }
  }

  std::string NameOf(const Function& function, int kind) const {
    const std::string_view name = Text(function.name);
    if (function.module) {
      const size_t at = function.module.index();
      const std::string_view path =
          at < from_.modules.size() ? Text(from_.modules[at].path) : std::string_view();
      const bool is_public = at < public_modules_.size() && public_modules_[at];
      // Template arguments may be types of the user, even if the template is a library's.
      const bool is_plain = name.find('<') == std::string_view::npos;
      if (is_public && !IsAddressName(name) && (is_plain || IsPublicKernel(name))) {
        return std::string(name);
      }
      // Keeps the name of a public library, without what the installer added to it.
      const size_t plus = name.rfind('+');
      if (is_public && IsAddressName(name) && name.substr(0, plus) == BaseName(path)) {
        return std::string(BaseName(names_.Path(path))) + std::string(name.substr(plus));
      }
      return names_.Native(name, path);
    }
    switch (kind) {
      case static_cast<int>(FrameKind::kOperator):
      case static_cast<int>(FrameKind::kMarker):
        return names_.Operator(name);
      case static_cast<int>(FrameKind::kLayer):
        return names_.Layers(name);
      case static_cast<int>(FrameKind::kCudaApi):
        return names_.Call(name);
      case static_cast<int>(FrameKind::kGpuKernel):
        return names_.Kernel(name);
      case static_cast<int>(FrameKind::kGpuCopy):
        return IsPlainCopy(name) ? std::string(name) : names_.Hashed("copy", name);
      case static_cast<int>(FrameKind::kProcess):
        return IsOwnWord(name) ? std::string(name) : names_.Hashed("process", name);
      default:
        break;
    }
    if (IsOwnWord(name) || (!function.file && IsDriverCall(name))) return std::string(name);
    const std::string_view file = Text(function.file);
    const bool is_python = kind == static_cast<int>(FrameKind::kPython);
    if (PublicPath(file) && file != "<string>" && file != "<stdin>") return std::string(name);
    return is_python ? names_.PythonName(name) : names_.Native(name, "");
  }

  // True for names of copies and memsets as in core/kernels/work_names.h: "copy host to device,
  // pinned".
  static bool IsPlainCopy(std::string_view name) {
    static constexpr std::string_view kWords[] = {"copy",     "set",     "host",   "device",
                                                  "to",       "another", "memory", "managed",
                                                  "pageable", "pinned"};
    while (!name.empty()) {
      const size_t end = std::min(name.find_first_of(" ,"), name.size());
      if (end > 0 && !IsOneOf(name.substr(0, end), kWords)) return false;
      name.remove_prefix(std::min(end + 1, name.size()));
    }
    return true;
  }

  void Gpu() {
    const GpuTables& from = from_.gpu;
    GpuTables& out = out_.profile.gpu;
    for (GpuDevice device : from.devices) {
      device.name = Put(Text(device.name));
      device.uuid = Put(names_.Hashed("gpu", Text(device.uuid)));
      device.pci_bus = Put(Text(device.pci_bus));
      device.driver = Put(Text(device.driver));
      out.devices.push_back(device);
      out_.maps.devices.push_back({static_cast<uint32_t>(out.devices.size())});
    }
    out.contexts = from.contexts;
    out.streams = from.streams;
    Same(out.contexts.size(), out_.maps.contexts);
    Same(out.streams.size(), out_.maps.streams);
    for (GpuKernelConfig config : from.configs) {
      config.function = At(out_.maps.functions, config.function);
      out.configs.push_back(config);
    }
    Same(out.configs.size(), out_.maps.configs);
    for (const GpuCubin& cubin : from.cubins) out.cubins.push_back({cubin.hash, {}});
    Same(out.cubins.size(), out_.maps.cubins);
    out.wall = from.wall;
    out.lanes = from.lanes;
    Parts(out.wall);
    for (WallLane& lane : out.lanes) Parts(lane.parts);
  }

  template <class Tag>
  static void Same(size_t rows, std::vector<Id<Tag>>& map) {
    for (uint32_t id = 1; id <= rows; ++id) map.push_back({id});
  }

  void Parts(std::vector<WallPart>& parts) const {
    constexpr std::string_view kCall = "idle.sync.";
    static constexpr std::string_view kNames[] = {
        "gpu.compute",  "gpu.communication", "gpu.copy",        "idle.queue_full",
        "idle.python",  "idle.data_loading", "idle.cuda_call",  "idle.native",
        "idle.blocked", "idle.profiling",    "idle.unexplained"};
    for (WallPart& part : parts) {
      const std::string_view name = part.name;
      if (name.starts_with(kCall)) {
        part.name = std::string(kCall) + names_.Call(name.substr(kCall.size()));
      } else if (!IsOneOf(name, kNames)) {
        part.name = names_.Hashed("idle.part", name);
      }
    }
  }

  // Removes the modifiers from the name of a perf event: "perf_cycles" for "perf_cycles:u". The
  // caller looks up the result in a list, because a perf event may be a probe in a function of the
  // user.
  static std::string_view WithoutPerfModifiers(std::string_view name) {
    const size_t colon = name.rfind(':');
    const bool has_modifiers =
        name.starts_with("perf_") && colon != std::string_view::npos &&
        name.find_first_not_of("ukhHGDIpPSebW", colon + 1) == std::string_view::npos;
    return has_modifiers ? name.substr(0, colon) : name;
  }

  std::string MetricName(const std::string& name) const {
    static constexpr std::string_view kNames[] = {"cpu",
                                                  "wall",
                                                  "idle",
                                                  "samples",
                                                  "time",
                                                  "memory",
                                                  "cpu_gil",
                                                  "cpu_nogil",
                                                  kMetricGpu,
                                                  kMetricGpuOps,
                                                  kMetricGpuEstimated,
                                                  kMetricGpuOpsEstimated,
                                                  kMetricGpuError,
                                                  kMetricGpuWait,
                                                  kMetricGpuBytes,
                                                  kMetricGpuOverlapped,
                                                  kMetricOperatorFlop,
                                                  kMetricOperatorBytes,
                                                  kMetricGpuMemory,
                                                  kMetricGpuAllocated,
                                                  kMetricGpuAllocations,
                                                  kMetricPcSamples,
                                                  kMetricPcLatency,
                                                  "host",
                                                  "perf_cycles",
                                                  "perf_instructions",
                                                  "perf_branches",
                                                  "perf_branch-misses",
                                                  "perf_cache-misses",
                                                  "perf_cache-references",
                                                  "perf_page-faults",
                                                  "perf_ref-cycles",
                                                  "perf_cpu-clock",
                                                  "perf_task-clock"};
    const bool stall =
        std::any_of(std::begin(kStallClassNames), std::end(kStallClassNames),
                    [&](const char* one) { return name == kMetricStallPrefix + std::string(one); });
    return stall || IsOneOf(WithoutPerfModifiers(name), kNames) ? name
                                                                : names_.Hashed("metric", name);
  }

  std::string UnitName(const std::string& unit) const {
    static constexpr std::string_view kUnits[] = {"ns", "count", "bytes"};
    return IsOneOf(unit, kUnits) ? unit : names_.Hashed("unit", unit);
  }

  void Values() {
    for (const Metric& metric : from_.metrics) {
      out_.maps.metrics.push_back(
          out_.profile.AddMetric(MetricName(metric.name), UnitName(metric.unit), metric.kind));
    }
    for (const Value& value : from_.values) {
      out_.profile.AddSelf(At(out_.maps.nodes, value.node), At(out_.maps.threads, value.thread),
                           At(out_.maps.metrics, value.metric), value.self);
    }
    out_.profile.sample_rows = from_.sample_rows;
    out_.profile.phases = from_.phases;
    out_.profile.part = from_.part;
    out_.profile.corrected = from_.corrected;
  }

  const Profile& from_;
  Redaction out_;
  const NameRedactor& names_ = out_.names;
  std::vector<bool> public_modules_;
};

}  // namespace

// Translates rows. How a text is redacted depends on the stream: the same text may be harmless in
// one stream and a user's name in another.
void Redaction::Translate(const Profile& original, EventTable& rows) {
  const auto each = [&](size_t column, auto&& redact) {
    for (int64_t& id : rows.column(column)) {
      const bool known = id > 0 && static_cast<uint64_t>(id) <= original.string_count();
      const StringId text{known ? static_cast<uint32_t>(id) : 0};
      id = known ? profile.Intern(redact(original.Text(text))).value : 0;
    }
  };
  // Columns of texts are translated here and not by `maps`, because no single map of texts fits all
  // streams.
  std::vector<std::pair<size_t, std::vector<int64_t>>> texts;
  if (rows.stream() == Stream::kCalls) {
    each(column::kCallKind, [&](std::string_view name) { return names.Call(name); });
    texts.emplace_back(column::kCallKind, rows.column(column::kCallKind));
  } else if (rows.stream() == Stream::kPcSamples) {
    each(column::kPcStall, [&](std::string_view name) {
      return IsPlainWord(name) ? std::string(name) : names.Hashed("stall", name);
    });
    texts.emplace_back(column::kPcStall, rows.column(column::kPcStall));
  } else if (rows.stream() == Stream::kMarkers) {
    each(column::kMarkerName, [&](std::string_view name) { return names.Marker(name); });
    each(column::kMarkerDomain,
         [&](std::string_view name) { return names.Hashed("domain", name); });
    texts.emplace_back(column::kMarkerName, rows.column(column::kMarkerName));
    texts.emplace_back(column::kMarkerDomain, rows.column(column::kMarkerDomain));
  }
  maps.Translate(rows);
  for (auto& [column, ids] : texts) rows.column(column) = std::move(ids);
}

Redaction Redact(const Profile& original, std::string_view key) {
  return Redactor(original, key).Run();
}

}  // namespace gprofx
