// Reads the offsets that are needed to ask CPython to run a file (PEP 768). An interpreter
// publishes them in a table at the start of _PyRuntime (_Py_DebugOffsets). Pure.
//
// Knows only the layouts of releases of 3.14 and 3.15. Free-threaded builds are rejected: loading
// the module would enable their GIL and print a warning. Source:
// Include/internal/pycore_debug_offsets.h and Python/remote_debugging.c.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace gprofx::attach {

struct PythonOffsets {
  uint64_t interpreters = 0;  // in _PyRuntime: pointer to the first interpreter
  // Offsets in PyInterpreterState.
  uint64_t interpreter_id = 0, next_interpreter = 0, threads = 0, allowed = 0;
  // Offsets in PyThreadState.
  uint64_t next_thread = 0, thread_number = 0, status = 0, breaker = 0, pending = 0, path = 0;
  uint64_t path_bytes = 0;

  bool operator==(const PythonOffsets&) const = default;
};

// Size of the largest known table.
inline constexpr size_t kPythonOffsetsBytes = 111 * sizeof(uint64_t);

// Returns the offsets in `bytes`, the start of _PyRuntime. Returns none if this interpreter does
// not accept requests or its version is unknown.
std::optional<PythonOffsets> ReadPythonOffsets(std::span<const std::byte> bytes);

}  // namespace gprofx::attach
