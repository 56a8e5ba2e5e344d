// Declares the code that runs in the child of the sandbox (sandbox.h), and the format of messages
// between parent and child.
#pragma once

#include <cstdint>
#include <vector>

#include "symbolize/sandbox/sandbox.h"

namespace gprofx {

// Kinds of messages from the child. A message is: uint32 size of the rest, uint8 kind, then the
// payload.
enum class SandboxMessage : uint8_t {
  kBegin = 1,      // uint32 index of the next request
  kNames = 2,      // EncodeNames of the names
  kProblem = 3,    // text
  kWitnesses = 4,  // uint32 count, then PutWitness of each
  kDebugFile = 5,  // a build-id; requests the debug file
  kEnd = 6,        // the module is finished
  kRefused = 7,    // text: why there is no sandbox; no file is opened, and the child exits
};
// The parent answers only kDebugFile. The answer is: uint8 found, uint32 size, text (the path, or
// the reason).

inline constexpr uint32_t kMaxSandboxMessage = uint32_t{64} << 20;
inline constexpr uint32_t kMaxSandboxAnswer = 16384;

struct ChildTask {
  const std::vector<SymbolRequest>& requests;
  size_t first, end;  // [first, end) are for this child; all have the same reader
  pid_t parent;
};

// Processes the requests, sends results to the parent through `socket`, and exits. Never returns.
[[noreturn]] void RunSandboxChild(const ChildTask& task, const SymbolizeOptions& options,
                                  const ModuleWork& work, int socket);

}  // namespace gprofx
