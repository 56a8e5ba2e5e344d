// Offsets at which CPython accepts a request to run a file (PEP 768), from the table that an
// interpreter publishes at the start of _PyRuntime (_Py_DebugOffsets). Pure.
//
// Only known layouts are read: releases of 3.14 and 3.15. Free-threaded builds are excluded,
// because loading the module would enable their lock and print a warning. Source:
// Include/internal/pycore_debug_offsets.h and Python/remote_debugging.c.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace gprofx::attach {

struct PythonOffsets {
  uint64_t interpreters = 0;  // in _PyRuntime: pointer to the first interpreter
  // in an interpreter
  uint64_t interpreter_id = 0, next_interpreter = 0, threads = 0, allowed = 0;
  // in a PyThreadState
  uint64_t next_thread = 0, thread_number = 0, status = 0, breaker = 0, pending = 0, path = 0;
  uint64_t path_bytes = 0;

  bool operator==(const PythonOffsets&) const = default;
};

inline constexpr size_t kPythonOffsetsBytes = 111 * sizeof(uint64_t);  // the longest version

// Returns the offsets in `bytes`, the start of _PyRuntime; none: this is not an interpreter that
// accepts requests, or not a known version.
std::optional<PythonOffsets> ReadPythonOffsets(std::span<const std::byte> bytes);

}  // namespace gprofx::attach
