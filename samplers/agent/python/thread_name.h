// Signal path. The name that a program gave a thread: threading.Thread(name=...). CPython tells it
// to the system from 3.14 on only, and there 15 characters of it.
//
// The outermost Python frame of such a thread is Thread._bootstrap, whose first local is the Thread
// object. Its attribute _name is where instances keep attributes: a dictionary of their own (to
// 3.10), else values beside the object with keys that its class holds, or a dictionary that
// replaced them. Every pointer is followed by a load that may fail, counts are bounded, and what
// was found must be a str. Not in free-threaded builds. Source: Include/internal/pycore_dict.h and
// pycore_object.h of each version. Async-signal-safe.
#pragma once

#include <cstdint>

#include "samplers/agent/python/layout.h"

namespace gprofx::agent {

// Is this the code of Thread._bootstrap?
bool StartsThread(uint64_t code, const PyLayout& layout);

// The str that is the name of the thread whose outermost frame this is (of code that
// StartsThread()); 0 = not found. `code` is a code object of the same interpreter.
uint64_t NameOfThread(uint64_t frame, uint64_t code, const PyLayout& layout);

}  // namespace gprofx::agent
