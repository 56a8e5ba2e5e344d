// Processes that ended by a fault that they did not handle, as their agents noted it. The result is
// bounded, whatever the target wrote. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "samplers/collector/drain/region.h"

namespace gprofx {

struct FaultFrame {
  std::string module, build_id;  // empty: in no loaded file
  uint64_t address = 0;          // in the module; for callers, the address of the call
};

struct Fault {
  int64_t pid = 0;                  // as the user knows it
  std::string program;              // short name
  int signal = 0;                   // SIGSEGV or SIGBUS
  std::optional<uint64_t> address;  // the address accessed, if the processor reports it
  std::string thread;               // its name
  std::vector<FaultFrame> stack;    // native code, innermost first
};

// Leaves pid and program unset. None: there was no fault.
std::optional<Fault> ReadFault(const Region& region);

}  // namespace gprofx
