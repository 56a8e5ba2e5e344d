// Inspects the stacks of a stopped thread: contexts that signal handlers interrupted, and calls
// from allocators. Read-only and bounded. Doubtful cases get the safe answer.
//
// A signal frame is recognised by its layout, because some programs use their own code to return
// from a handler (Go does). Source: Linux, arch/x86/include/asm/sigframe.h; signal(7).
#pragma once

#include <cstdint>

#include "samplers/attach/loaded_objects.h"
#include "samplers/attach/remote_memory.h"

namespace gprofx::attach {

// True if every context that a signal handler on the stack at `stack` interrupted was in the
// program itself, not in the C library, the loader or an allocator. Follows contexts to the stacks
// on which they ran.
bool HandlersInterruptedProgram(const RemoteMemory& memory, const LoadedObjects& objects,
                                uint64_t stack);

// True if there is an address within an allocator near the top of the stack.
bool AllocatorCalled(const RemoteMemory& memory, const LoadedObjects& objects, uint64_t stack);

}  // namespace gprofx::attach
