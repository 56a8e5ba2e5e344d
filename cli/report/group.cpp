#include "cli/report/group.h"

#include <array>
#include <unordered_map>

#include "cli/report/names.h"

namespace gprofx {
namespace {

using Key = std::array<uint32_t, 4>;  // kind class, what, file, line

struct KeyHash {
  size_t operator()(const Key& key) const noexcept {
    uint64_t hash = 0;
    for (const uint32_t part : key) hash = (hash ^ part) * 0x9E3779B97F4A7C15u;
    return hash ^ (hash >> 29);
  }
};

bool HasName(const Profile& profile, const Frame& frame) {
  return frame.function && profile.function(frame.function).name;
}

bool IsCode(FrameKind kind) { return kind == FrameKind::kNative || kind == FrameKind::kInlined; }

// A function that was inlined here and called there is one function.
uint32_t KindClass(FrameKind kind) {
  return static_cast<uint32_t>(kind == FrameKind::kInlined ? FrameKind::kNative : kind) + 1;
}

Key KeyOf(const Profile& profile, const Frame& frame, By by) {
  const uint32_t kind = KindClass(frame.kind);
  const StringId file = frame.file       ? frame.file
                        : frame.function ? profile.function(frame.function).file
                                         : StringId{};
  if (by == By::kModule) {
    return frame.kind == FrameKind::kPython ? Key{kind, 0, file.value, 0}
           : frame.kind == FrameKind::kTruncated ? Key{kind, 0, 0, 0}
                                                 : Key{kind, frame.module.value, 0, 0};
  }
  // A line of a kernel is what it is, whichever view groups functions.
  if (frame.kind == FrameKind::kGpuInstruction && by != By::kFunction) {
    return {kind, frame.function.value | 0x80000000u, file.value, frame.line};
  }
  // Code without a name cannot be told apart better than by its module.
  if (!HasName(profile, frame)) return {kind, frame.module.value, 0, 0};
  const bool by_line = by == By::kLine || (by == By::kCallSite && frame.kind == FrameKind::kPython);
  // The top bit keeps functions apart from modules of the same number.
  const uint32_t function = frame.function.value | 0x80000000u;
  return by_line ? Key{kind, function, file.value, frame.line} : Key{kind, function, 0, 0};
}

}  // namespace

Groups GroupFrames(const Profile& profile, By by, bool only_with_line) {
  Groups groups;
  groups.by = by;
  groups.of_frame.assign(profile.frames.size() + 1, 0);
  std::unordered_map<Key, uint32_t, KeyHash> index;
  index.reserve(profile.frames.size());
  for (size_t i = 0; i < profile.frames.size(); ++i) {
    const Frame& frame = profile.frames[i];
    if (only_with_line && (frame.line == 0 || FrameFile(profile, frame).empty())) continue;
    const auto next = static_cast<uint32_t>(groups.first.size() + 1);
    const auto [found, made] = index.try_emplace(KeyOf(profile, frame, by), next);
    if (made) groups.first.push_back(FrameId{static_cast<uint32_t>(i + 1)});
    groups.of_frame[i + 1] = found->second;
  }
  return groups;
}

Label LabelOf(const Profile& profile, const Groups& groups, uint32_t group) {
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
  label.name = FrameName(profile, frame);
  const bool by_line = groups.by == By::kLine || frame.kind == FrameKind::kGpuInstruction ||
                       (groups.by == By::kCallSite && frame.kind == FrameKind::kPython);
  if (by_line) {
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
