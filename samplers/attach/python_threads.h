// The threads of a running CPython, and the request that one of them runs a file at its next safe
// point (PEP 768): what is read and what is written, and in which order. Pure over `read`.
//
// A thread that ends takes its state with it, so a request is for one that is known for a while. Of a
// busy program the thread that is inside of the interpreter is the one that comes to a safe point.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "samplers/attach/python_offsets.h"
#include "samplers/attach/remote_memory.h"

namespace gprofx {

using ReadMemory = std::function<bool(uint64_t address, void* to, size_t bytes)>;

struct PythonThread {
  uint64_t state = 0;   // address of its PyThreadState
  uint64_t number = 0;  // in its own PID namespace; with the address it tells threads apart
  bool inside = false;  // it holds the interpreter now
  bool is_first = false;  // its state lives as long as the interpreter
};

class PythonThreads {
 public:
  // `runtime`: address of _PyRuntime.
  PythonThreads(uint64_t runtime, const PythonOffsets& offsets, ReadMemory read);

  // May files be run in it? Not with -X disable_remote_debug, nor where it was built without.
  bool allowed() const { return allowed_; }
  bool are_there() const;  // the process has not ended, nor become another program
  // Those of the first interpreter, as they are now.
  std::vector<PythonThread> Look() const;

 private:
  const PythonOffsets offsets_;
  const ReadMemory read_;
  uint64_t interpreter_ = 0;
  bool allowed_ = false;
};

// What is to be written, in this order, to have `path` run; none: it is too long. `breaker`: the
// lowest byte of what wakes the thread for events, as it is.
std::optional<std::vector<MemoryPart>> RunRequest(const PythonOffsets& offsets, uint64_t thread,
                                                  const std::string& path, uint8_t breaker);
// What takes the request back.
std::vector<MemoryPart> TakeBack(const PythonOffsets& offsets, uint64_t thread);

}  // namespace gprofx
