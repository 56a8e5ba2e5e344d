#include "samplers/collector/gpu/kernel_names.h"

#include "core/wall_partition.h"
#include "symbolize/demangle.h"

namespace gprofx {

bool KernelNames::Add(uint32_t wire_id, std::string_view name) {
  if (by_wire_id_.size() >= kMostNames) return false;
  auto found = by_name_.find(std::string(name));
  if (found == by_name_.end()) {
    if (text_ + name.size() > kMostText) return false;
    text_ += name.size();
    KernelName entry;
    entry.key = static_cast<uint32_t>(names_.size() + 1);
    entry.name = name;
    names_.push_back(std::move(entry));
    found = by_name_.emplace(name, names_.back().key).first;
  }
  by_wire_id_[wire_id] = found->second;
  return true;
}

const KernelName& KernelNames::Find(uint32_t wire_id) {
  const auto found = by_wire_id_.find(wire_id);
  if (found == by_wire_id_.end()) {
    if (!unknown_.frame) Describe(unknown_, "[unknown kernel]");
    return unknown_;
  }
  KernelName& name = names_[found->second - 1];
  if (!name.frame) Describe(name, name.name);  // only names that something refers to
  return name;
}

void KernelNames::Describe(KernelName& name, std::string_view shown) {
  const std::string text = Demangle(shown);
  Function function;
  function.name = profile_.Intern(text);
  name.function = profile_.Intern(function);
  Frame frame;
  frame.kind = FrameKind::kGpuKernel;
  frame.function = name.function;
  name.frame = profile_.Intern(frame);
  name.communication = IsCommunicationKernel(text);
}

}  // namespace gprofx
