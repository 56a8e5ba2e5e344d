// The threads of a running CPython, and the request that one of them runs a file at its next safe
// point (PEP 768): what is read and what is written, and in which order. Pure over `read`.
//
// A thread that ends takes its state with it, so a request is for one that is known for a while. Of
// a busy program the thread that is inside of the interpreter is the one that comes to a safe
// point.
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
  uint64_t number = 0;    // in its own PID namespace; with the address it tells threads apart
  bool inside = false;    // it holds the interpreter now
  bool is_first = false;  // its state lives as long as the interpreter
};

class PythonThreads {
 public:
  // `runtime`: address of _PyRuntime.
  PythonThreads(uint64_t runtime, const PythonOffsets& offsets, ReadMemory read);

  // May files be run in it? Not with -X disable_remote_debug, nor where it was built without.
  bool allowed() const { return allowed_; }
  uint64_t runtime() const { return runtime_; }
  bool are_there() const;  // the process has not ended, nor become another program
  // Those of the first interpreter, as they are now.
  std::vector<PythonThread> Look() const;

 private:
  const PythonOffsets offsets_;
  const ReadMemory read_;
  const uint64_t runtime_;
  uint64_t interpreter_ = 0;
  bool allowed_ = false;
};

// What is to be written, in this order, to have `path` run; none: it is too long.
//
// Last comes the byte of events for which the thread looks up. The interpreter changes it by atomic
// operations and nobody can do so from outside, so nothing is read and written back. All is set
// whose loss nobody would notice: signals, calls and exceptions that wait, each of which the thread
// looks for and finds nothing if there is none. What is cleared is asked for again by itself: the
// lock by who waits for it (5 ms; set for nothing, the thread would wait for another one for ever),
// a collection by the next object. Bits of free-threaded builds and of the JIT's tidying are
// cleared, too: the first are not entered, and the second waits for the next time. Source:
// Python/ceval_gil.c, pycore_ceval.h.
std::optional<std::vector<MemoryPart>> RunRequest(const PythonOffsets& offsets, uint64_t thread,
                                                  const std::string& path);
// What takes the request back.
std::vector<MemoryPart> TakeBack(const PythonOffsets& offsets, uint64_t thread);

}  // namespace gprofx::attach
