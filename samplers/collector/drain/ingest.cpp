#include "samplers/collector/drain/ingest.h"

#include <algorithm>

#include "core/model/layer_path.h"
#include "symbolize/dwarf/python_lines.h"

namespace gprofx {
namespace {

// Maximum size of an arena's text in UTF-8. A one-byte character becomes at most three bytes
// (U+FFFD if it is invalid).
constexpr size_t kMaxTextBytes = 3 * wire::kArenaBytes;

// Maximum depth of nested PyTorch modules that is accepted from a target.
constexpr size_t kDeepestLayers = 64;

// Maximum number of times that the mappings of a process are read. Programs that generate code keep
// mapping more of it.
constexpr int kMaxMapsRead = 64;

constexpr int kMaxFilesLookedAt = 64;  // max files that are examined per process

constexpr char kRunTimeCode[] = "[code made at run time]";

PythonLineFormat LineFormatOf(wire::LineFormat format) {
  switch (format) {
    case wire::LineFormat::kLnotab:
      return PythonLineFormat::kLnotab;
    case wire::LineFormat::kPep626:
      return PythonLineFormat::kPep626;
    default:
      return PythonLineFormat::kLocations;
  }
}

}  // namespace

ModuleId ModuleTable::Find(const std::string& path, const std::string& build_id, uint32_t flags) {
  const auto key = std::make_pair(profile_.Intern(path), profile_.Intern(build_id));
  ModuleId& id = index_[key];
  if (!id) {
    profile_.modules.push_back({key.first, key.second, flags});
    id = ModuleId{static_cast<uint32_t>(profile_.modules.size())};
  }
  return id;
}

size_t ProcessIngest::bytes() const {
  return HeldBytes(nodes_) + HeldBytes(frames_) + HeldBytes(module_of_) + HeldBytes(layers_) +
         HeldBytes(nameless_) + HeldBytes(maps_) + HeldBytes(jit_addresses_) + text_bytes_;
}

NodeId ProcessIngest::Node(const Region& region, uint32_t wire_node) {
  if (wire_node == 0) return profile_.root();
  if (wire_node >= wire::kMaxNodes) return profile_.Child(profile_.root(), Unreadable());
  path_.clear();
  uint32_t at = wire_node;
  std::vector<uint64_t> frames;
  NodeId parent;
  while (true) {
    if (at == 0) {
      parent = profile_.root();
      break;
    }
    if (at < nodes_.size() && nodes_[at]) {
      parent = nodes_[at];
      break;
    }
    const auto record = region.Node(at);
    path_.push_back(at);
    // A parent must have a lower index than its child. The agent writes only such nodes, but a
    // hostile process may change them. The rule makes sure that the loop ends.
    const bool valid = record && record->parent < at;
    frames.push_back(valid ? record->frame : 0);
    at = valid ? record->parent : 0;
  }
  if (wire_node >= nodes_.size()) nodes_.resize(std::max<size_t>(wire_node + 1, nodes_.size() * 2));
  for (size_t i = path_.size(); i-- > 0;) {
    parent = profile_.Child(parent, FrameOf(region, frames[i]));
    nodes_[path_[i]] = parent;
  }
  return parent;
}

void ProcessIngest::BeginGeneration() {
  for (const uint64_t address : jit_addresses_) frames_.erase(wire::MakeAbsolute(address));
  nodes_.clear();
  jit_addresses_.clear();
  jit_module_ = {};
}

const LoadRange* ProcessIngest::RangeOf(uint64_t address) const {
  const auto found =
      std::find_if(profile_.ranges.begin(), profile_.ranges.end(), [&](const LoadRange& range) {
        return range.process == process_ && address >= range.begin && address < range.end;
      });
  return found == profile_.ranges.end() ? nullptr : &*found;
}

FrameId ProcessIngest::CodeBefore(uint64_t address) const {
  const LoadRange* range = address == 0 ? nullptr : RangeOf(address - 1);
  if (range == nullptr) return {};
  Frame frame;
  frame.kind = FrameKind::kNative;
  frame.module = range->module;
  frame.address = address - 1 - range->base;
  return profile_.Intern(frame);
}

FrameId ProcessIngest::MappedAgain(uint64_t address) {
  const Mapping* known = MappingOf(maps_, address);
  // If the address is not in known code, it became code after the mappings were read. Read them
  // again.
  const bool is_code = known != nullptr && known->executable;
  if (!is_code && read_maps_ && maps_read_ < kMaxMapsRead) {
    ++maps_read_;
    maps_ = ParseMaps(read_maps_());
  }
  for (const uint64_t twin : TwinsOf(maps_, address)) {
    const LoadRange* range = RangeOf(twin);
    if (range == nullptr) continue;
    Frame frame;
    frame.kind = FrameKind::kNative;
    frame.module = range->module;
    frame.address = twin - range->base;
    return profile_.Intern(frame);
  }
  return {};
}

FrameId ProcessIngest::JitFrame(uint64_t wire_frame) {
  if (const FrameId known = MappedAgain(wire::AbsoluteAddress(wire_frame))) return known;
  if (!jit_module_) {
    profile_.modules.push_back({profile_.Intern(kRunTimeCode), {}, 0});
    jit_module_ = ModuleId{static_cast<uint32_t>(profile_.modules.size())};
  }
  Frame frame;
  frame.kind = FrameKind::kUnknown;
  frame.module = jit_module_;
  frame.address = wire::AbsoluteAddress(wire_frame);
  jit_addresses_.push_back(frame.address);
  return profile_.Intern(frame);
}

FrameId ProcessIngest::Unreadable() {
  ++bad_records_;
  Frame frame;
  frame.kind = FrameKind::kTruncated;
  return profile_.Intern(frame);
}

FrameId ProcessIngest::FrameOf(const Region& region, uint64_t wire_frame) {
  const auto known = frames_.find(wire_frame);
  if (known != frames_.end()) return known->second;
  FrameId id;
  Frame frame;
  switch (wire::KindOf(wire_frame)) {
    case wire::WireFrame::kNative:
      id = NativeFrame(region, wire_frame);
      break;
    case wire::WireFrame::kPython:
      id = PythonFrame(region, wire_frame);
      break;
    case wire::WireFrame::kAbsolute:
      id = JitFrame(wire_frame);
      break;
    case wire::WireFrame::kTruncated:
      frame.kind = FrameKind::kTruncated;
      frame.module = CulpritOf(region, wire_frame);
      id = profile_.Intern(frame);
      break;
    case wire::WireFrame::kLayer:
      id = LayerFrame(region, wire_frame);
      break;
    default:
      return Unreadable();
  }
  frames_.emplace(wire_frame, id);
  return id;
}

ModuleId ProcessIngest::ModuleOf(const Region& region, uint32_t index) {
  const auto known = module_of_.find(index);
  if (known != module_of_.end()) return known->second;
  const auto copy = region.Module(index);
  if (!copy) return {};
  const bool is_told = !copy->build_id.empty() || !copy->path.starts_with('/');
  const ModuleId module = is_told ? modules_.Find(copy->path, copy->build_id, copy->flags)
                                  : ModuleWithoutBuildId(*copy);
  module_of_.emplace(index, module);
  profile_.ranges.push_back({process_, module, copy->base, copy->begin, copy->end});
  return module;
}

// Returns the module of a file without a build-id. Several files may have been mapped under one
// path. The first one gets the module of the path, the others get modules of their own.
ModuleId ProcessIngest::ModuleWithoutBuildId(const ModuleCopy& copy) {
  const ModuleId module = modules_.Find(copy.path, "", copy.flags);
  if (!look_at_file_ || files_looked_at_++ >= kMaxFilesLookedAt) return module;
  const std::vector<Mapping> maps = ParseMaps(read_maps_());
  const Mapping* mapping = MappingOf(maps, copy.begin);
  // Check only a file that the process maps, because a target may write any path.
  if (mapping == nullptr) return module;
  const bool is_replaced = mapping->path == copy.path + kReplaced;
  if (!is_replaced && mapping->path != copy.path) return module;
  const auto file = is_replaced ? std::nullopt : look_at_file_(copy.path);
  if (is_replaced || (file && !modules_.files().Note(module, *file)))
    return modules_.Find(copy.path + kReplaced, "", copy.flags);
  return module;
}

// Returns the module in which the walk of the stack failed. Returns 0 if the walk only reached the
// maximum depth.
ModuleId ProcessIngest::CulpritOf(const Region& region, uint64_t wire_frame) {
  if (wire::TruncatedBy(wire_frame) == wire::kTruncatedByDepth) return {};
  const uint32_t index = wire::TruncatedIn(wire_frame);
  if (index == wire::kNoWireModule) return modules_.Find(kRunTimeCode, "", 0);
  return ModuleOf(region, index);
}

FrameId ProcessIngest::NativeFrame(const Region& region, uint64_t wire_frame) {
  const ModuleId module = ModuleOf(region, wire::NativeModule(wire_frame));
  if (!module) return Unreadable();
  Frame frame;
  frame.kind = FrameKind::kNative;
  frame.module = module;
  frame.address = wire::NativeOffset(wire_frame);
  return profile_.Intern(frame);
}

FrameId ProcessIngest::PythonFrame(const Region& region, uint64_t wire_frame) {
  if (text_bytes_ > kMaxTextBytes) return Unreadable();
  const auto code = region.Code(wire::PythonCode(wire_frame));
  if (!code) return Unreadable();
  Function function;
  const size_t strings_before = profile_.string_count();
  function.name = profile_.Intern(code->name);
  function.file = profile_.Intern(code->file);
  if (profile_.string_count() != strings_before)
    text_bytes_ += code->name.size() + code->file.size();
  function.first_line = code->first_line;

  Frame frame;
  frame.kind = FrameKind::kPython;
  frame.function = profile_.Intern(function);
  frame.line = code->first_line;
  const uint32_t instruction = wire::PythonInstruction(wire_frame);
  if (instruction != wire::kNoInstruction) {
    const int line = DecodeLine(LineFormatOf(code->line_format), code->table,
                                static_cast<int>(code->first_line), instruction);
    frame.line = line > 0 ? static_cast<uint32_t>(line) : code->first_line;
  }
  return profile_.Intern(frame);
}

const std::string& ProcessIngest::LayerPath(const Region& region, uint32_t layer) {
  static const std::string kNone;
  std::vector<std::pair<uint32_t, LayerCopy>> made;  // the layers around this one, innermost first
  uint32_t at = layer;
  while (at != 0 && !layers_.contains(at)) {
    std::optional<LayerCopy> copy = region.Layer(at);
    if (!copy || made.size() == kDeepestLayers) return kNone;
    const uint32_t parent = copy->parent;
    made.emplace_back(at, std::move(*copy));
    at = parent;
  }
  for (size_t i = made.size(); i-- > 0;) {
    const auto& [id, copy] = made[i];
    const std::string around = copy.parent == 0 ? "" : layers_.at(copy.parent);
    std::string name = copy.name;
    if (name.empty()) {
      const uint32_t number = nameless_[{around, copy.type}]++;
      const bool plain = around.empty() && number == 0;
      name = plain ? copy.type : copy.type + "#" + std::to_string(number);
    }
    layers_[id] = AppendLayer(around, name, copy.type);
    text_bytes_ += layers_[id].size();
  }
  return layer == 0 ? kNone : layers_.at(layer);
}

FrameId ProcessIngest::LayerFrame(const Region& region, uint64_t wire_frame) {
  if (text_bytes_ > kMaxTextBytes) return Unreadable();
  const std::string& path = LayerPath(region, wire::LayerOf(wire_frame));
  if (path.empty()) return Unreadable();
  Function function;
  function.name = profile_.Intern(path);
  Frame frame;
  frame.kind = FrameKind::kLayer;
  frame.function = profile_.Intern(function);
  return profile_.Intern(frame);
}

}  // namespace gprofx
