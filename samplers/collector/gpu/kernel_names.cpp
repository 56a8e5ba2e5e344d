#include "samplers/collector/gpu/kernel_names.h"

#include "symbolize/names/demangle.h"

namespace gprofx {

bool KernelNames::Add(uint32_t wire_id, std::string_view name) {
  if (by_wire_id_.size() >= kMaxNames) return false;
  auto found = by_name_.find(std::string(name));
  if (found == by_name_.end()) {
    if (text_ + name.size() > kMaxText) return false;
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
    if (!unknown_.shown.frame) unknown_.shown = timeline_.NameKernel("[unknown kernel]");
    return unknown_;
  }
  KernelName& name = names_[found->second - 1];
  // Add the name to the profile when it is first used. Names that are never used do not become part
  // of it.
  if (!name.shown.frame) name.shown = timeline_.NameKernel(Demangle(name.name));
  return name;
}

}  // namespace gprofx
