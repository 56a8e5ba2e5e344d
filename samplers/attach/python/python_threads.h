// The threads of a running CPython, and the request that one of them run a file at its next safe
// point (PEP 768): what to read and write, and in which order. Pure, apart from `read`.
//
// A thread that ends frees its PyThreadState, and a write could hit freed memory. So only a thread
// that has existed for some time is asked. In a busy program the thread that is inside the
// interpreter reaches a safe point next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "samplers/attach/python/python_offsets.h"
#include "samplers/attach/remote_memory.h"

namespace gprofx::attach {

using ReadMemory = std::function<bool(uint64_t address, void* to, size_t bytes)>;

struct PythonThread {
  uint64_t state = 0;     // address of its PyThreadState
  uint64_t number = 0;    // in its own PID namespace; with `state` it identifies a thread
  bool inside = false;    // it is running in the interpreter now
  bool is_first = false;  // its state lives as long as the interpreter
};

class PythonThreads {
 public:
  // `runtime`: address of _PyRuntime.
  PythonThreads(uint64_t runtime, const PythonOffsets& offsets, ReadMemory read);

  // True if the interpreter may be asked to run files. False with -X disable_remote_debug, or if it
  // was built without support.
  bool allowed() const { return allowed_; }
  uint64_t runtime() const { return runtime_; }
  bool are_there() const;  // false once the process has ended or run another program
  // Returns the current threads of the main interpreter.
  std::vector<PythonThread> Look() const;

 private:
  const PythonOffsets offsets_;
  const ReadMemory read_;
  const uint64_t runtime_;
  uint64_t interpreter_ = 0;
  bool allowed_ = false;
};

// Returns what to write, in this order, so that `path` is run; none: the path is too long.
//
// The last write sets the eval breaker, the byte of events that the thread checks. The interpreter
// changes it with atomic operations, which is impossible from outside, so the byte is overwritten
// without being read. The bits set are those that nobody would set again if they were lost: pending
// signals, calls and exceptions. If nothing is pending, the thread checks, finds nothing and
// continues. All other bits are cleared, because they are set again where needed. The bit that
// requests the GIL is set again by the thread that waits for the GIL, after 5 ms; if we set it
// without a waiter, the thread would wait forever for another one to take the GIL. The bit that
// requests a garbage collection is set again when the next object is allocated. The bits of
// free-threaded builds do not matter, as those are not entered, and the JIT's cleanup is only
// delayed until it is requested again. Source: Python/ceval_gil.c, pycore_ceval.h.
std::optional<std::vector<MemoryPart>> RunRequest(const PythonOffsets& offsets, uint64_t thread,
                                                  const std::string& path);
// Returns what to write to withdraw the request.
std::vector<MemoryPart> TakeBack(const PythonOffsets& offsets, uint64_t thread);

}  // namespace gprofx::attach
