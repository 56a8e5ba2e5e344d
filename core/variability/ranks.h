// Connects the ranks (processes) of an analysis. Send() and Receive() transfer one message of bytes
// to or from a rank. A message does not say what it contains: sender and receiver must agree on the
// order of messages. This base class serves an analysis with a single rank. Blocking; one thread.
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
