// The short names of a profile's kernels and copies, made once so that two of them never look the
// same in any table or tree of the profile.
//
// Linear in frames and in what their names hold. Pure; afterwards any thread may ask.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "core/kernels/kernel_family.h"
#include "core/model/profile.h"

namespace gprofx {

class KernelLabels {
 public:
  KernelLabels() = default;  // knows no kernel
  explicit KernelLabels(const Profile& profile);

  // "mul f32" of a kernel, the name itself of a copy; what FrameName() says of others. Unescaped.
  std::string Short(const Profile& profile, FrameId frame) const;
  // The same of all kernels, by their full names, for who no longer knows their frames.
  std::unordered_map<std::string, std::string> ByFullName(const Profile& profile) const;
  KernelFamily Family(const Profile& profile, FrameId frame) const;

 private:
  struct Label {
    std::string text;
    KernelFamily family = KernelFamily::kOther;
  };
  const Label* Find(const Profile& profile, FrameId frame) const;

  std::unordered_map<uint32_t, Label> labels_;  // by StringId of the full name
};

}  // namespace gprofx
