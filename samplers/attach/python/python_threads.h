// Reads the threads of a running CPython. Says what to write, and in which order, to make one of
// them run a file at its next safe point (PEP 768). Pure, apart from `read`.
//
// A thread that ends frees its PyThreadState, and a write could then hit freed memory. So only a
// thread that has existed for some time is asked. In a busy program, the thread that is inside the
// interpreter reaches a safe point first.
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
  uint64_t state = 0;  // address of the thread's PyThreadState
  // Thread id in the thread's own PID namespace. Together with `state` it identifies the thread.
  uint64_t number = 0;
  bool inside = false;    // the thread runs in the interpreter now
  bool is_first = false;  // its state lives as long as the interpreter
};

class PythonThreads {
 public:
  // `runtime` is the address of _PyRuntime in the process.
  PythonThreads(uint64_t runtime, const PythonOffsets& offsets, ReadMemory read);

  // True if the interpreter may be asked to run files. False if it runs with -X
  // disable_remote_debug or was built without that feature.
  bool allowed() const { return allowed_; }
  uint64_t runtime() const { return runtime_; }
  bool are_there() const;  // false if the process has ended or run another program
  // Returns the present threads of the main interpreter.
  std::vector<PythonThread> Look() const;

 private:
  const PythonOffsets offsets_;
  const ReadMemory read_;
  const uint64_t runtime_;
  uint64_t interpreter_ = 0;
  bool allowed_ = false;
};

// Returns what must be written, in this order, to make the thread run the file at `path`. Returns
// none if the path is too long.
//
// The last write sets the eval breaker, the byte of events that the thread checks. The interpreter
// changes it with atomic operations. That is impossible from outside, so the byte is overwritten
// without being read. The bits that are set are those that nobody would set again if they were
// lost: pending signals, calls and exceptions. If nothing is pending, the thread checks, finds
// nothing and continues.
//
// All other bits are cleared, because they are set again where needed. The bit that requests the
// GIL is set again after 5 ms by the thread that waits for it. If we set it without such a thread,
// our thread would wait for ever for another one to take the GIL. The bit that requests a garbage
// collection is set again when the next object is allocated. Bits of free-threaded builds do not
// matter, because these are not entered. The JIT's cleanup is only delayed until it is requested
// again. Source: Python/ceval_gil.c, pycore_ceval.h.
std::optional<std::vector<MemoryPart>> RunRequest(const PythonOffsets& offsets, uint64_t thread,
                                                  const std::string& path);
// Returns what must be written, in this order, to withdraw the request from the thread.
std::vector<MemoryPart> TakeBack(const PythonOffsets& offsets, uint64_t thread);

}  // namespace gprofx::attach
