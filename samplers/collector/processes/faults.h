// Reads faults that ended a process, as its agent noted them in its region. Sizes are limited,
// whatever the target wrote. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "samplers/collector/drain/region.h"

namespace gprofx {

struct FaultFrame {
  std::string module, build_id;  // empty if the code is in no loaded file
  uint64_t address = 0;          // address in the module; for callers, that of the call
};

struct Fault {
  int64_t pid = 0;                  // the PID as the user knows it
  std::string program;              // short name
  int signal = 0;                   // SIGSEGV or SIGBUS
  std::optional<uint64_t> address;  // the address accessed, if the processor reports it
  std::string thread;               // name of the thread
  std::vector<FaultFrame> stack;    // native code, innermost first
};

// Returns the fault that ended the process of this region; none if there was none. Does not set
// `pid` and `program`.
std::optional<Fault> ReadFault(const Region& region);

}  // namespace gprofx
