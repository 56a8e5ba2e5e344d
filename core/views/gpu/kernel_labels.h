// Gives short names to the kernels and copies of a profile. The names are made once and are unique
// in all tables and trees of the profile.
//
// Linear in frames and in the length of their names. Pure; any thread may use a constructed object.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "core/kernels/kernel_family.h"
#include "core/model/profile.h"

namespace gprofx {

class KernelLabels {
 public:
  KernelLabels() = default;  // knows no kernels
  explicit KernelLabels(const Profile& profile);

  // Returns the short name of a kernel ("mul f32"), the full name of a copy, or FrameName() for
  // other frames. Unescaped.
  std::string Short(const Profile& profile, FrameId frame) const;
  // Returns the short name of each kernel, by its full name. Use it where frames are no longer
  // known.
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
