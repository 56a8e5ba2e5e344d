#include "cli/top/frame_keys.h"

#include <utility>

#include "core/base/path.h"
#include "core/views/naming/names.h"

namespace gprofx {

FrameKeyTable::FrameKeyTable() {
  texts_.emplace_back();
  Key(TopTable::kNative, "[Python code]", "", 0);
  Key(TopTable::kFunctions, "[no Python]", "", 0);
}

uint32_t FrameKeyTable::Key(TopTable table, std::string name, std::string file, uint32_t line) {
  uint32_t& key = index_[{table, name, file, line}];
  if (key == 0) {
    key = static_cast<uint32_t>(texts_.size());
    texts_.push_back({table, std::move(name), std::move(file), line});
  }
  return key;
}

const FrameKeys& FrameKeyTable::Of(const Profile& profile, FrameId frame) {
  if (keys_.size() < profile.frames.size()) {
    keys_.resize(profile.frames.size());
    known_.resize(profile.frames.size());
  }
  const size_t at = frame.index();
  if (!known_[at]) {
    known_[at] = true;
    keys_[at] = Make(profile, profile.frames[at]);
  }
  return keys_[at];
}

FrameKeys FrameKeyTable::Make(const Profile& profile, const Frame& frame) {
  FrameKeys keys;
  switch (frame.kind) {
    case FrameKind::kPython: {
      const Function& function = profile.function(frame.function);
      const std::string name(profile.Text(function.name)), file(profile.Text(function.file));
      keys.function = Key(TopTable::kFunctions, name, file, function.first_line);
      keys.line = Key(TopTable::kLines, name, std::string(FrameFile(profile, frame)), frame.line);
      break;
    }
    case FrameKind::kNative:
    case FrameKind::kUnknown:
      return MakeNative(profile, frame);
    case FrameKind::kProcess:
      keys.native = Key(TopTable::kNative, FrameName(profile, frame), "", 0);
      break;
    default:
      break;
  }
  return keys;
}

// Returns the key of the native code at an address. Returns 0 if the address has no name yet.
uint32_t FrameKeyTable::NativeKey(ModuleId module, uint64_t address) const {
  const auto names = names_.find(module.value);
  if (names == names_.end()) return 0;
  const auto at = [&](uint64_t place) {
    const auto found = names->second.find(place);
    return found == names->second.end() ? 0 : found->second;
  };
  if (const uint32_t exact = at(address); exact != 0) return exact;
  const uint64_t before = address / kGrid * kGrid;
  return at(before) == at(before + kGrid) ? at(before) : 0;
}

FrameKeys FrameKeyTable::MakeNative(const Profile& profile, const Frame& frame) {
  const std::string path =
      frame.module ? std::string(profile.Text(profile.module(frame.module).path)) : "";
  const std::string file(BaseName(path));
  FrameKeys keys;
  keys.native = NativeKey(frame.module, frame.address);
  if (keys.native != 0) return keys;
  keys.native = Key(TopTable::kNative, file.starts_with("[") ? file : "[" + file + "]", "", 0);
  keys.unnamed = frame.kind == FrameKind::kNative && frame.module;
  return keys;
}

void FrameKeyTable::AddNames(const Profile& profile, ModuleId module, const ModuleNames& names) {
  const std::string file(BaseName(profile.Text(profile.module(module).path)));
  auto& known = names_[module.value];
  for (const auto& [address, frames] : names) {
    if (!frames.empty()) known[address] = Key(TopTable::kNative, frames.front().function, file, 0);
  }
  for (size_t i = 0; i < known_.size(); ++i) {
    if (keys_[i].unnamed && profile.frames[i].module == module) known_[i] = false;
  }
}

void FrameKeyTable::Asked(const Profile& profile, const std::vector<FrameId>& frames) {
  for (const FrameId frame : frames) {
    Of(profile, frame);
    keys_[frame.index()].unnamed = false;
  }
}

}  // namespace gprofx
