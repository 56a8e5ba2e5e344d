// Finds the modules in which stack unwinding stopped. They are at the outer end (the root) of
// truncated stacks. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/model/profile.h"

namespace gprofx {

struct Culprit {
  std::string module;  // base name, or "code made at run time"; unescaped
  int64_t samples = 0;
};

// Returns the modules, most samples first. Stacks that are deeper than the unwinder's limit have no
// such module.
std::vector<Culprit> FindCulprits(const Profile& profile);

}  // namespace gprofx
