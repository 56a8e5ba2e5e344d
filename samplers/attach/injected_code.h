// The only code of ours that the target runs before the agent is in it: position-independent, made
// of the addresses in wire::AttachRequest.
//
//   call    by the stopped thread: calls the function in rax, then traps
//   thread  by the thread that pthread_create made for us: waits until the stopped one is released,
//           loads the agent, gives it the request, waits until the answer was read and unmaps
//           everything, this code included, by a jump to munmap
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace gprofx::attach {

std::span<const std::byte> InjectedCode();
size_t InjectedCallOffset();    // where the stopped thread begins
size_t InjectedTrapOffset();    // what its instruction pointer is behind the trap
size_t InjectedThreadOffset();  // where the new thread begins

}  // namespace gprofx::attach
