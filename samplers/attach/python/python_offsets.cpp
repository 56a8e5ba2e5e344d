#include "samplers/attach/python/python_offsets.h"

#include <cstring>

namespace gprofx::attach {
namespace {

// Indexes of 64-bit fields in _Py_DebugOffsets. These are the same in 3.14 and 3.15.
enum Field : size_t {
  kCookie = 0,
  kVersion = 1,
  kFreeThreaded = 2,
  kRuntimeBytes = 3,
  kInterpreters = 5,
  kInterpreterBytes = 6,
  kInterpreterId = 7,
  kNextInterpreter = 8,
  kThreads = 9,
  kThreadBytes = 22,
  kNextThread = 24,
};
// Indexes of the fields that 3.14 and 3.15 have at different places.
struct Places {
  size_t thread_number, status;
  size_t debugger_support;  // first of six fields
};
constexpr Places k314{28, 30, 89}, k315{31, 33, 105};
constexpr size_t kFields = kPythonOffsetsBytes / sizeof(uint64_t);
static_assert(k315.debugger_support + 6 == kFields);

constexpr uint64_t kMaxStructBytes = 16 << 20, kMaxPathBytes = 4096;
constexpr uint64_t kVersion314 = 0x030e, kVersion315 = 0x030f, kRelease = 0xf;

}  // namespace

std::optional<PythonOffsets> ReadPythonOffsets(std::span<const std::byte> bytes) {
  uint64_t fields[kFields];
  if (bytes.size() < sizeof fields) return std::nullopt;
  std::memcpy(fields, bytes.data(), sizeof fields);
  if (std::memcmp(&fields[kCookie], "xdebugpy", sizeof fields[kCookie]) != 0) return std::nullopt;
  const uint64_t version = fields[kVersion];
  // Reject pre-releases, whose layout may differ from that of the release.
  if ((version >> 4 & 0xf) != kRelease) return std::nullopt;
  if (version >> 16 != kVersion314 && version >> 16 != kVersion315) return std::nullopt;
  const Places& places = version >> 16 == kVersion314 ? k314 : k315;
  const uint64_t* debugger = fields + places.debugger_support;
  if (fields[kFreeThreaded] != 0) return std::nullopt;
  bool fits = true;
  const auto inside = [&](uint64_t offset, uint64_t size, uint64_t most) {
    fits = fits && most <= kMaxStructBytes && size <= most && offset <= most - size;
    return offset;
  };
  const uint64_t runtime = fields[kRuntimeBytes], interpreter = fields[kInterpreterBytes];
  const uint64_t thread = fields[kThreadBytes];
  PythonOffsets offsets;
  offsets.interpreters = inside(fields[kInterpreters], 8, runtime);
  offsets.interpreter_id = inside(fields[kInterpreterId], 8, interpreter);
  offsets.next_interpreter = inside(fields[kNextInterpreter], 8, interpreter);
  offsets.threads = inside(fields[kThreads], 8, interpreter);
  offsets.allowed = inside(debugger[2], 4, interpreter);
  offsets.next_thread = inside(fields[kNextThread], 8, thread);
  offsets.thread_number = inside(fields[places.thread_number], 8, thread);
  offsets.status = inside(fields[places.status], 4, thread);
  offsets.breaker = inside(debugger[0], 8, thread);
  const uint64_t support = inside(debugger[1], 0, thread);
  if (!fits) return std::nullopt;
  offsets.pending = support + inside(debugger[3], 4, thread - support);
  offsets.path_bytes = debugger[5];
  offsets.path = support + inside(debugger[4], offsets.path_bytes, thread - support);
  if (!fits || offsets.path_bytes == 0 || offsets.path_bytes > kMaxPathBytes) return std::nullopt;
  return offsets;
}

}  // namespace gprofx::attach
