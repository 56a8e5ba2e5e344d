// Makes an error that says what the system refused and, from errno, why.
#pragma once

#include <cerrno>
#include <cstring>
#include <string>

#include "core/base/result.h"

namespace gprofx {

inline Error SystemError(const std::string& what, const std::string& fix) {
  return {ErrorId::kNoResources, what + ": " + std::strerror(errno), fix};
}

}  // namespace gprofx
