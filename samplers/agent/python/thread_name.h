// Runs in signal handlers. Reads the name that a Python program gave a thread by
// threading.Thread(name=...). CPython passes the name on to the system only from 3.14 on, and then
// only 15 characters of it.
//
// The outermost Python frame of such a thread is Thread._bootstrap, whose first local is the Thread
// object. Its attribute _name (attributes.h) must be a str. Not in free-threaded builds.
// Async-signal-safe.
#pragma once

#include <cstdint>

#include "samplers/agent/python/layout.h"

namespace gprofx::agent {

// True if this code object is Thread._bootstrap.
bool StartsThread(uint64_t code, const PyLayout& layout);

// Returns the address of the str with the name of the thread whose outermost frame is `frame`; 0 =
// not found. StartsThread() must be true for the frame's code object.
uint64_t NameOfThread(uint64_t frame, const PyLayout& layout);

}  // namespace gprofx::agent
