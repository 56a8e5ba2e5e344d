#include "core/views/gpu/kernel_labels.h"

#include "core/views/naming/names.h"

namespace gprofx {
namespace {

uint32_t NameOf(const Profile& profile, const Frame& frame) {
  const bool operation = frame.kind == FrameKind::kGpuKernel || frame.kind == FrameKind::kGpuCopy;
  return operation && frame.function ? profile.function(frame.function).name.value : 0;
}

}  // namespace

KernelLabels::KernelLabels(const Profile& profile) {
  std::vector<uint32_t> ids;
  std::vector<std::string_view> names;
  for (const Frame& frame : profile.frames) {
    const uint32_t name = NameOf(profile, frame);
    if (name == 0 || !labels_.try_emplace(name).second) continue;
    ids.push_back(name);
    names.push_back(profile.Text(StringId{name}));
  }
  std::vector<std::string> distinct = DistinctKernelNames(names);
  for (size_t i = 0; i < ids.size(); ++i) {
    labels_[ids[i]] = {std::move(distinct[i]), WhatKernelDoes(names[i]).family};
  }
}

const KernelLabels::Label* KernelLabels::Find(const Profile& profile, FrameId frame) const {
  if (!frame) return nullptr;
  const auto found = labels_.find(NameOf(profile, profile.frame(frame)));
  return found == labels_.end() ? nullptr : &found->second;
}

std::string KernelLabels::Short(const Profile& profile, FrameId frame) const {
  const Label* label = Find(profile, frame);
  if (label != nullptr && !label->text.empty()) return label->text;
  return frame ? FrameName(profile, profile.frame(frame)) : "[no kernel]";
}

std::unordered_map<std::string, std::string> KernelLabels::ByFullName(
    const Profile& profile) const {
  std::unordered_map<std::string, std::string> names;
  for (size_t i = 0; i < profile.frames.size(); ++i) {
    if (profile.frames[i].kind != FrameKind::kGpuKernel) continue;
    names.try_emplace(FrameName(profile, profile.frames[i]),
                      Short(profile, FrameId{static_cast<uint32_t>(i + 1)}));
  }
  return names;
}

KernelFamily KernelLabels::Family(const Profile& profile, FrameId frame) const {
  const Label* label = Find(profile, frame);
  return label != nullptr ? label->family : KernelFamily::kOther;
}

}  // namespace gprofx
