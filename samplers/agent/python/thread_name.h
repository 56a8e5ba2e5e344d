// Signal path. The name that a program gave a thread: threading.Thread(name=...). CPython tells it
// to the system from 3.14 on only, and there 15 characters of it.
//
// The outermost Python frame of such a thread is Thread._bootstrap, whose first local is the Thread
// object. Its attribute _name (attributes.h) must be a str. Not in free-threaded builds.
// Async-signal-safe.
#pragma once

#include <cstdint>

#include "samplers/agent/python/layout.h"

namespace gprofx::agent {

// Is this the code of Thread._bootstrap?
bool StartsThread(uint64_t code, const PyLayout& layout);

// The str that is the name of the thread whose outermost frame this is (of code that
// StartsThread()); 0 = not found.
uint64_t NameOfThread(uint64_t frame, const PyLayout& layout);

}  // namespace gprofx::agent
