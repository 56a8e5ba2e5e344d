// The other ranks of an analysis. A single rank needs none. Several send each other bytes, in the
// order in which both sides expect them. Blocking; one thread.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"

namespace gprofx::variability {

class Ranks {
 public:
  virtual ~Ranks() = default;
  virtual uint32_t rank() const { return 0; }
  virtual uint32_t size() const { return 1; }
  virtual Status Send(uint32_t, const std::string&) { return Ok(); }
  virtual Result<std::string> Receive(uint32_t) { return std::string(); }
};

}  // namespace gprofx::variability
