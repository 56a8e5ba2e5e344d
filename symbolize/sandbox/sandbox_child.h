// The child's side of the sandbox (sandbox.h), and the message format shared by both sides.
#pragma once

#include <cstdint>
#include <vector>

#include "symbolize/sandbox/sandbox.h"

namespace gprofx {

// A message: uint32 size of the rest, uint8 kind, then the payload.
enum class SandboxMessage : uint8_t {
  kBegin = 1,      // uint32 index of the next request
  kNames = 2,      // EncodeNames
  kProblem = 3,    // text
  kWitnesses = 4,  // uint32 count, then (text, int64, uint64) each
  kDebugFile = 5,  // a build-id: requests its debug file
  kEnd = 6,        // the module is finished
  kRefused = 7,    // text: the sandbox is unavailable, so nothing is opened; the child exits
};
// The parent's only answer, to kDebugFile: uint8 found, text (the path, or the reason).

inline constexpr uint32_t kMaxSandboxMessage = uint32_t{64} << 20;
inline constexpr uint32_t kMaxSandboxAnswer = 16384;

struct ChildTask {
  const std::vector<SymbolRequest>& requests;
  size_t first, end;  // [first, end) are for this child; all have the same reader
  pid_t parent;
};

// Processes the requests and sends results to the parent through `socket`. Never returns.
[[noreturn]] void RunSandboxChild(const ChildTask& task, const SymbolizeOptions& options,
                                  const ModuleWork& work, int socket);

}  // namespace gprofx
