#include "core/views/group.h"

#include <array>
#include <unordered_map>

#include "core/base/hash.h"
#include "core/base/path.h"
#include "core/views/naming/names.h"

namespace gprofx {
namespace {

using Key = std::array<uint32_t, 4>;  // class of the kind, module or function or family, file, line

bool HasName(const Profile& profile, const Frame& frame) {
  return frame.function && profile.function(frame.function).name;
}

bool IsCode(FrameKind kind) { return kind == FrameKind::kNative || kind == FrameKind::kInlined; }

// Returns a number for the kind of a frame. Called and inlined copies of a function get the same
// number, because they are one function.
uint32_t KindClass(FrameKind kind) {
  return static_cast<uint32_t>(kind == FrameKind::kInlined ? FrameKind::kNative : kind) + 1;
}

bool IsLine(By by, FrameKind kind) {
  return by == By::kLine || by == By::kSourceLine ||
         (by == By::kCallSite && kind == FrameKind::kPython);
}

constexpr uint32_t kFamilyBit = 0x40000000u;  // distinguishes families from modules

Key KeyOf(const Profile& profile, const Frame& frame, By by, Groups::Stand stand) {
  const uint32_t kind = KindClass(frame.kind);
  const StringId file = FileOf(profile, frame);
  if (stand.library && by != By::kModule) return {kind, frame.module.value, 0, 0};
  if (stand.family != Family::kNone && by != By::kModule) {
    return {kind, static_cast<uint32_t>(stand.family) | kFamilyBit, 0, 0};
  }
  if (by == By::kModule) {
    return frame.kind == FrameKind::kPython      ? Key{kind, 0, file.value, 0}
           : frame.kind == FrameKind::kTruncated ? Key{kind, 0, 0, 0}
                                                 : Key{kind, frame.module.value, 0, 0};
  }
  // A source line of a kernel is a group of its own, except in groups by function.
  if (frame.kind == FrameKind::kGpuInstruction && by != By::kFunction) {
    return {kind, frame.function.value | 0x80000000u, file.value, frame.line};
  }
  // Code without a name is grouped by module.
  if (!HasName(profile, frame)) return {kind, frame.module.value, 0, 0};
  const bool by_line = IsLine(by, frame.kind);
  // The top bit distinguishes the number of a function from that of a module.
  const uint32_t function = frame.function.value | 0x80000000u;
  return by_line ? Key{kind, function, file.value, frame.line} : Key{kind, function, 0, 0};
}

Groups::Stand StandOf(const Profile& profile, const Folding& folding, size_t frame) {
  if (folding.fold.empty()) return {};
  const Frame& what = profile.frames[frame];
  const bool library =
      folding.code == CodeView::kPython && IsCode(what.kind) && static_cast<bool>(what.module);
  return {folding.family[frame], library};
}

// Makes the groups from frames with equal keys. Returns the group of each frame, by FrameId::value.
std::vector<uint32_t> GroupFrames(const Profile& profile, const Folding& folding, Groups& groups) {
  const By by = groups.by;
  std::vector<uint32_t> of_frame(profile.frames.size() + 1);
  std::unordered_map<Key, uint32_t, NumbersHash> index;
  index.reserve(profile.frames.size());
  for (size_t i = 0; i < profile.frames.size(); ++i) {
    const Frame& frame = profile.frames[i];
    const Groups::Stand stand = StandOf(profile, folding, i);
    const bool no_line = frame.line == 0 || FrameFile(profile, frame).empty() || stand.library ||
                         stand.family != Family::kNone;
    if (by == By::kSourceLine && no_line) continue;
    const auto next = static_cast<uint32_t>(groups.first.size() + 1);
    const auto [found, made] = index.try_emplace(KeyOf(profile, frame, by, stand), next);
    if (made) {
      groups.first.push_back(FrameId{static_cast<uint32_t>(i + 1)});
      groups.stands.push_back(stand);
    }
    of_frame[i + 1] = found->second;
  }
  return of_frame;
}

}  // namespace

By GroupingOf(const Query& query) {
  if (query.kind == ViewKind::kLines) return By::kSourceLine;
  switch (query.by) {
    case RowsBy::kFunction:
      return By::kFunction;
    case RowsBy::kLine:
      return By::kLine;
    case RowsBy::kModule:
      return By::kModule;
    default:
      return query.kind == ViewKind::kTop || query.kind == ViewKind::kRanks ? By::kFunction
                                                                            : By::kCallSite;
  }
}

Groups GroupNodes(const Profile& profile, const CallTree& tree, By by) {
  Groups groups;
  groups.by = by;
  groups.own = tree.folding.own;
  const std::vector<uint32_t> of_frame = GroupFrames(profile, tree.folding, groups);
  const bool inherited = by == By::kSourceLine;
  groups.of_node = InheritDown<uint32_t>(tree.nodes, [&](uint32_t above, FrameId frame) {
    const uint32_t own = of_frame[frame.value];
    return own == 0 && inherited ? above : own;
  });
  return groups;
}

Label LabelOf(const Profile& profile, const Groups& groups, uint32_t group) {
  if (group == 0) {
    const char* name = groups.own                     ? "[outside of own code]"
                       : groups.by == By::kSourceLine ? "[no line]"
                                                      : "[outside of any function]";
    return {FrameKind::kUnknown, name, "", 0, ""};
  }
  const Frame& frame = profile.frame(groups.first[group - 1]);
  Label label;
  label.kind = frame.kind;
  if (frame.module) label.module = profile.Text(profile.module(frame.module).path);
  if (groups.by == By::kModule) {
    label.file = frame.kind == FrameKind::kPython ? FrameFile(profile, frame) : std::string_view();
    label.name = IsCode(frame.kind) && frame.module ? label.module : label.file;
    if (frame.kind == FrameKind::kGpuKernel || frame.kind == FrameKind::kGpuInstruction) {
      label.name = "[kernels]";
    } else if (frame.kind == FrameKind::kGpuCopy) {
      label.name = "[copies and memsets]";
    } else if (frame.kind == FrameKind::kCudaApi) {
      label.name = "[CUDA calls]";
    } else if (frame.kind == FrameKind::kMarker) {
      label.name = "[CUDA graphs]";
    }
    if (label.name.empty()) label.name = FrameName(profile, Frame{frame.kind});
    return label;
  }
  const Groups::Stand stand = groups.StandOf(group);
  if (stand.family != Family::kNone) {
    label.name = FamilyTitle(stand.family);
    return label;
  }
  if (stand.library) {
    label.name = "[" + std::string(BaseName(label.module)) + "]";
    return label;
  }
  label.name = FrameName(profile, frame);
  if (IsLine(groups.by, frame.kind) || frame.kind == FrameKind::kGpuInstruction) {
    label.file = FrameFile(profile, frame);
    label.line = frame.line;
  } else if (frame.function) {
    const Function& function = profile.function(frame.function);
    label.file = profile.Text(function.file);
    label.line = function.first_line;
  }
  return label;
}

}  // namespace gprofx
