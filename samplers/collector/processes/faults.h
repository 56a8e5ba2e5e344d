// Processes that ended by a fault which they did not handle, as their agents noted it. Whatever the
// target wrote, what comes out is bounded. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "samplers/collector/drain/region.h"

namespace gprofx {

struct FaultFrame {
  std::string module, build_id;  // none: it lies in no loaded file
  uint64_t address = 0;          // in the module; of callers, of the call
};

struct Fault {
  int64_t pid = 0;                  // as the user knows it
  std::string program;              // short
  int signal = 0;                   // SIGSEGV or SIGBUS
  std::optional<uint64_t> address;  // that was used, where the processor tells it
  std::string thread;               // its name
  std::vector<FaultFrame> stack;    // native code, the innermost first
};

// Without pid and program. Nothing: there was none.
std::optional<Fault> ReadFault(const Region& region);

}  // namespace gprofx
