// The child's side of the sandbox (sandbox.h), and the messages that both sides agree on.
#pragma once

#include <cstdint>
#include <vector>

#include "symbolize/sandbox.h"

namespace gprofx {

// A message: uint32 size of the rest, uint8 kind, then the payload.
enum class SandboxMessage : uint8_t {
  kBegin = 1,      // uint32 index of the request that comes next
  kNames = 2,      // EncodeNames
  kProblem = 3,    // text
  kWitnesses = 4,  // uint32 count, then (text, int64, uint64) each
  kMoreTime = 5,   // uint32 seconds from now
  kEnd = 6,        // the module is done
};

inline constexpr uint32_t kMaxSandboxMessage = uint32_t{64} << 20;

// Works on requests[first...] and writes to `pipe`. Never returns.
[[noreturn]] void RunSandboxChild(const std::vector<SymbolRequest>& requests, size_t first,
                                  const SymbolizeOptions& options, const ModuleWork& work,
                                  int pipe);

}  // namespace gprofx
