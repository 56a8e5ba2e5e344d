// In whose code the search for callers gave up: the modules behind truncated stacks. Pure.
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

// Most samples first. Stacks that are deeper than the search goes have no culprit.
std::vector<Culprit> FindCulprits(const Profile& profile);

}  // namespace gprofx
