// Finds the modules in which stack unwinding gave up, from the truncated stacks. Pure.
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

// Most samples first. Stacks deeper than the unwinder's limit have no culprit.
std::vector<Culprit> FindCulprits(const Profile& profile);

}  // namespace gprofx
