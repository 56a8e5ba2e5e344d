// Reads the fault that ended a process from its region, where its agent recorded it. Limits all
// sizes, because the target may write anything. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "samplers/collector/drain/region.h"

namespace gprofx {

struct FaultFrame {
  std::string module, build_id;  // empty if the code is in no loaded file
  uint64_t address = 0;          // in the module; of the call instruction if it is a caller
};

struct Fault {
  int64_t pid = 0;                  // PID in the recorder's PID namespace
  std::string program;              // short name
  int signal = 0;                   // SIGSEGV or SIGBUS
  std::optional<uint64_t> address;  // address that was accessed, if the processor reports it
  std::string thread;               // name of the thread
  std::vector<FaultFrame> stack;    // native code, innermost first
};

// Returns the fault that ended the process of this region. Returns none if no fault ended it. Does
// not set `pid` and `program`.
std::optional<Fault> ReadFault(const Region& region);

}  // namespace gprofx
