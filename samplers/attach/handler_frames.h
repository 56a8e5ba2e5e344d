// Inspects the stacks of a stopped thread: finds what signal handlers interrupted, and calls from
// allocators. Only reads, and takes bounded time. If in doubt, gives the answer that leaves the
// thread alone.
//
// A signal frame is recognized by its layout, because some programs (Go) return from handlers with
// code of their own. Source: Linux, arch/x86/include/asm/sigframe.h; signal(7).
#pragma once

#include <cstdint>

#include "samplers/attach/loaded_objects.h"
#include "samplers/attach/remote_memory.h"

namespace gprofx::attach {

// True if each signal handler whose frame is on the stack at `stack` interrupted code of the
// program itself. False if one interrupted the C library, the loader or an allocator. If the
// interrupted code ran on another stack, checks the handlers there, too.
bool HandlersInterruptedProgram(const RemoteMemory& memory, const LoadedObjects& objects,
                                uint64_t stack);

// True if an address of an allocator's code is near the top of the stack.
bool AllocatorCalled(const RemoteMemory& memory, const LoadedObjects& objects, uint64_t stack);

}  // namespace gprofx::attach
