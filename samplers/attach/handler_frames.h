// What lies on the stacks of a thread that stands still: contexts that signal handlers interrupted,
// and calls by allocators. Reads only; bounded; whatever is doubtful is answered for the safe side.
//
// A frame of a handler is known by its form, since programs bring their own code for the return
// from it (Go does). Source: Linux, arch/x86/include/asm/sigframe.h; signal(7).
#pragma once

#include <cstdint>

#include "samplers/attach/loaded_objects.h"
#include "samplers/attach/remote_memory.h"

namespace gprofx::attach {

// True if each context that a handler on the stack at `stack` interrupted stood in the program, not
// in the C library, the loader or an allocator. Follows contexts to the stacks that they were on.
bool HandlersInterruptedProgram(const RemoteMemory& memory, const LoadedObjects& objects,
                                uint64_t stack);

// Does an address within an allocator lie near the top of the stack?
bool AllocatorCalled(const RemoteMemory& memory, const LoadedObjects& objects, uint64_t stack);

}  // namespace gprofx::attach
