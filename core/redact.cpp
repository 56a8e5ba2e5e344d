#include "core/redact.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "core/address_name.h"
#include "core/base/path.h"
#include "core/graph_captures.h"
#include "core/layer_path.h"
#include "core/public_names.h"
#include "core/sha256.h"

namespace gprofx {
namespace {

template <class Tag>
Id<Tag> At(const std::vector<Id<Tag>>& map, Id<Tag> id) {
  return id && id.index() < map.size() ? map[id.index()] : Id<Tag>{};
}

std::string Hashed(const char* what, std::string_view name) {
  return name.empty() ? "" : std::string(what) + "_" + NameHash(name);
}

bool IsNumber(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789.-") == std::string_view::npos;
}

// Words of the tool itself.
bool IsPlainWord(std::string_view text) {
  return !text.empty() && text.size() <= 60 &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string_view::npos;
}

// In brackets stands what gprof-x says by itself; a file may say anything, so the words are known.
bool IsOwnWord(std::string_view name) {
  static constexpr std::string_view kWords[] = {
      "[launched before the recording or lost]", "[too many call paths]", "[unknown]",
      kCapturedAt, "[fork]", "[exec]", "[exec and loading]", "[exit]", "[gprof-x]",
      "[outside of sampled threads]", "[unknown kernel]", "[call without a name]",
      "[range without a name]", "[code made at run time]"};
  return std::find(std::begin(kWords), std::end(kWords), name) != std::end(kWords);
}

std::string RedactOperator(std::string_view name) {
  if (IsPublicOperator(name) || IsDriverCall(name) || IsOwnWord(name)) return std::string(name);
  // What frameworks put before a name of the user's stays.
  for (const std::string_view start :
       {"autograd::engine::evaluate_function: ", "nn.Module: ", "Optimizer.step#", "nccl:"}) {
    if (name.starts_with(start) && name.size() > start.size()) {
      return std::string(start) + NameHash(name.substr(start.size()));
    }
  }
  return Hashed("op", name);
}

// Numbers at the end of a marker tell steps apart.
std::string RedactMarker(std::string_view name) {
  if (IsPublicOperator(name) || IsDriverCall(name)) return std::string(name);
  const size_t last = name.find_last_not_of("0123456789");
  const size_t end = last == std::string_view::npos ? name.size() : last + 1;
  if (end == name.size() || end == 0) return RedactOperator(name);
  return Hashed("marker", name.substr(0, end)) + "#" + std::string(name.substr(end));
}

// Numbers and what PyTorch itself has stay: where in the model it is, not what it is called.
std::string RedactLayerName(std::string_view name) {
  std::string out;
  while (true) {
    const size_t end = std::min(name.find_first_of(".#"), name.size());
    const std::string_view part = name.substr(0, end);
    const bool number = !part.empty() && part.find_first_not_of("0123456789") == part.npos;
    out += number || IsPublicLayer(part) ? std::string(part) : Hashed("layer", part);
    if (end == name.size()) return out;
    out += name[end];
    name.remove_prefix(end + 1);
  }
}

std::string RedactLayers(std::string_view path) {
  std::string out;
  for (const LayerStep& step : SplitLayers(path)) {
    out = AppendLayer(out, RedactLayerName(step.name), RedactLayerName(step.type));
  }
  return out;
}

// A place in a module that has no name for it stays one: "module_3fa2+0xc230".
std::string HashedFunction(std::string_view name) {
  if (!IsAddressName(name)) return Hashed("fn", name);
  const size_t plus = name.rfind('+');
  return Hashed("module", name.substr(0, plus)) + std::string(name.substr(plus));
}

std::string RedactPythonName(std::string_view name) {
  for (const std::string_view plain :
       {"<module>", "<lambda>", "<listcomp>", "<genexpr>", "<dictcomp>", "<setcomp>"}) {
    if (name == plain) return std::string(plain);
  }
  return Hashed("py", name);
}

std::string RedactProcess(std::string_view name) {
  if (name.empty() || PublicPath(name) == std::string(name)) return std::string(name);
  return Hashed("process", name);
}

std::string RedactThread(std::string_view name) {
  if (name == "MainThread" || IsOwnWord(name)) return std::string(name);
  return RedactProcess(name).starts_with("process_") ? Hashed("thread", name) : std::string(name);
}

class Redactor {
 public:
  explicit Redactor(const Profile& from) : from_(from) {}

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
  StringId Path(StringId path) { return Put(RedactPath(Text(path))); }
  // Of the interpreter's own code a view needs to know that it is: the folder says so.
  StringId SourceFile(StringId file, ModuleId module) {
    const size_t at = module.index();
    const bool python = module && public_modules_[at] &&
                        (from_.modules[at].flags & kModuleIsPython) != 0;
    const std::string_view path = Text(file);
    const std::string_view folder = python && !PublicPath(path) ? InterpreterFolder(path) : "";
    const std::string hashed = RedactPath(path);
    return Put(folder.empty() ? hashed : std::string(folder) + "/" + std::string(BaseName(hashed)));
  }

  static std::map<std::string, std::string> Facts(const std::map<std::string, std::string>& facts) {
    static constexpr std::string_view kWords[] = {
        "schema", "complete", "tool_version", "clock", "cpu_source", "kernel_time", "recording_id",
        "imported_from", "gpu_asked", "gpu_mode"};
    std::map<std::string, std::string> kept;
    for (const auto& [name, value] : facts) {
      const bool known = std::find(std::begin(kWords), std::end(kWords), name) != std::end(kWords);
      if (name == "host" || name == "command") {
        kept[name] = Hashed(name.c_str(), value);
      } else if (name == "kernel") {
        kept[name] = value.substr(0, value.find_first_not_of("0123456789."));
      } else if (IsPlainWord(name) && (known || IsNumber(value))) {
        kept[name] = value;
      }
    }
    kept["redacted"] = "yes";
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
      source.host = Hashed("host", source.host);
      source.meta = Facts(source.meta);
      source.quality = Counters(source.quality);
      out_.profile.sources.push_back(std::move(source));
      out_.maps.sources.push_back({static_cast<uint32_t>(out_.profile.sources.size())});
    }
  }

  void Processes() {
    for (Process process : from_.processes) {
      process.name = Put(RedactProcess(Text(process.name)));
      process.command = Put(Hashed("command", Text(process.command)));
      out_.profile.processes.push_back(process);
      out_.maps.processes.push_back({static_cast<uint32_t>(out_.profile.processes.size())});
    }
    for (Thread thread : from_.threads) {
      thread.name = Put(RedactThread(Text(thread.name)));
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
      out_.maps.nodes.push_back(out_.profile.Child(At(out_.maps.nodes, node.parent),
                                                   At(out_.maps.frames, node.frame)));
    }
  }

  // What a function is, its frames say. One of several kinds is shown as none of them.
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
      const size_t module = function.module.index();
      const bool is_public = module < public_modules_.size() && public_modules_[module];
      // A template of a library may be made for types of the user's.
      const bool is_plain = name.find('<') == std::string_view::npos;
      if (is_public && (is_plain || IsPublicKernel(name))) return std::string(name);
      return HashedFunction(name);
    }
    switch (kind) {
      case static_cast<int>(FrameKind::kOperator):
      case static_cast<int>(FrameKind::kMarker):
        return RedactOperator(name);
      case static_cast<int>(FrameKind::kLayer):
        return RedactLayers(name);
      case static_cast<int>(FrameKind::kCudaApi):
        return IsDriverCall(name) ? std::string(name) : Hashed("call", name);
      case static_cast<int>(FrameKind::kGpuKernel):
        return RedactKernel(name);
      case static_cast<int>(FrameKind::kGpuCopy):
        return name.starts_with("copy") || name.starts_with("set ") ? PlainCopy(name)
                                                                    : Hashed("copy", name);
      case static_cast<int>(FrameKind::kProcess):
        return IsOwnWord(name) ? std::string(name) : Hashed("process", name);
      default:
        break;
    }
    if (IsOwnWord(name) || (!function.file && IsDriverCall(name))) return std::string(name);
    const std::string_view file = Text(function.file);
    const bool is_python = kind == static_cast<int>(FrameKind::kPython);
    if (PublicPath(file) && file != "<string>" && file != "<stdin>") return std::string(name);
    return is_python ? RedactPythonName(name) : HashedFunction(name);
  }

  // "copy host to device, pinned": nothing but small letters and commas.
  static std::string PlainCopy(std::string_view name) {
    const bool plain =
        name.find_first_not_of("abcdefghijklmnopqrstuvwxyz, ") == std::string_view::npos &&
        name.size() < 60;
    return plain ? std::string(name) : Hashed("copy", name);
  }

  void Gpu() {
    const GpuTables& from = from_.gpu;
    GpuTables& out = out_.profile.gpu;
    for (GpuDevice device : from.devices) {
      device.name = Put(Text(device.name));
      device.uuid = Put(Hashed("gpu", Text(device.uuid)));
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

  static void Parts(std::vector<WallPart>& parts) {
    constexpr std::string_view kCall = "idle.sync.";
    for (WallPart& part : parts) {
      const std::string_view name = part.name;
      if (name.starts_with(kCall) && !IsDriverCall(name.substr(kCall.size()))) {
        part.name = std::string(kCall) + NameHash(name.substr(kCall.size()));
      } else if (!name.starts_with(kCall) && !name.starts_with("idle.") &&
                 !name.starts_with("gpu.")) {
        part.name = "idle." + NameHash(name);
      }
    }
  }

  // Events of perf may be probes in functions of the user's.
  static std::string MetricName(const std::string& name) {
    static constexpr std::string_view kEvents[] = {
        "perf_cycles", "perf_instructions", "perf_branches", "perf_branch-misses",
        "perf_cache-misses", "perf_cache-references", "perf_page-faults", "perf_ref-cycles"};
    if (std::find(std::begin(kEvents), std::end(kEvents), name) != std::end(kEvents)) return name;
    if (name.starts_with("perf_") || !IsPlainWord(name)) return Hashed("metric", name);
    return name;
  }

  void Values() {
    for (const Metric& metric : from_.metrics) {
      out_.maps.metrics.push_back(
          out_.profile.AddMetric(MetricName(metric.name), metric.unit, metric.kind));
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
  std::vector<bool> public_modules_;
};

}  // namespace

std::string NameHash(std::string_view name) {
  constexpr char kDigits[] = "0123456789abcdef";
  const auto digest = Sha256(name);
  std::string text;
  for (size_t i = 0; i < 6; ++i) {
    text += kDigits[digest[i] >> 4];
    text += kDigits[digest[i] & 15];
  }
  return text;
}

std::string RedactPath(std::string_view path) {
  if (path.empty()) return "";
  if (auto known = PublicPath(path)) return *std::move(known);
  static constexpr std::string_view kEndings[] = {".py", ".pyx", ".so", ".c",   ".cc", ".cpp",
                                                  ".cu", ".cuh", ".h",  ".hpp", ".rs", ".go"};
  const size_t dot = path.rfind('.');
  const std::string_view ending = dot == std::string_view::npos ? "" : path.substr(dot);
  const bool known = std::find(std::begin(kEndings), std::end(kEndings), ending) !=
                     std::end(kEndings);
  return "path/" + NameHash(path) + std::string(known ? ending : "");
}

std::string RedactKernel(std::string_view name) {
  return IsPublicKernel(name) ? std::string(name) : Hashed("kernel", name);
}

// By stream, because one text may be a harmless one here and a name of the user's there.
void Redaction::Translate(const Profile& original, EventTable& rows) {
  const auto each = [&](size_t column, auto&& redact) {
    for (int64_t& id : rows.column(column)) {
      const bool known = id > 0 && static_cast<uint64_t>(id) <= original.string_count();
      const StringId text{known ? static_cast<uint32_t>(id) : 0};
      id = known ? profile.Intern(redact(original.Text(text))).value : 0;
    }
  };
  // Translated as if they were none: there is no one map of texts.
  std::vector<std::pair<size_t, std::vector<int64_t>>> texts;
  if (rows.stream() == Stream::kCalls) {
    each(column::kCallKind, [](std::string_view name) {
      return IsDriverCall(name) ? std::string(name) : Hashed("call", name);
    });
    texts.emplace_back(column::kCallKind, rows.column(column::kCallKind));
  } else if (rows.stream() == Stream::kPcSamples) {
    each(column::kPcStall, [](std::string_view name) {
      return IsPlainWord(name) ? std::string(name) : Hashed("stall", name);
    });
    texts.emplace_back(column::kPcStall, rows.column(column::kPcStall));
  } else if (rows.stream() == Stream::kMarkers) {
    each(column::kMarkerName, RedactMarker);
    each(column::kMarkerDomain, [](std::string_view name) { return Hashed("domain", name); });
    texts.emplace_back(column::kMarkerName, rows.column(column::kMarkerName));
    texts.emplace_back(column::kMarkerDomain, rows.column(column::kMarkerDomain));
  }
  maps.Translate(rows);
  for (auto& [column, ids] : texts) rows.column(column) = std::move(ids);
}

Redaction Redact(const Profile& original) { return Redactor(original).Run(); }

}  // namespace gprofx
