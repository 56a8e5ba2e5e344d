// Contains the only code of ours that the target runs before the agent is loaded. It is
// position-independent and uses the addresses in wire::AttachRequest. It has two entry points:
//
//   call    run by the stopped thread: calls the function in rax, then traps
//   thread  run by the thread that pthread_create made: waits until the stopped thread is released,
//           loads the agent, passes it the request, waits until the answer has been read, and
//           unmaps everything, including this code, by a jump to munmap
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace gprofx::attach {

std::span<const std::byte> InjectedCode();
size_t InjectedCallOffset();    // entry point of the stopped thread
size_t InjectedTrapOffset();    // value of the stopped thread's instruction pointer after the trap
size_t InjectedThreadOffset();  // entry point of the new thread

}  // namespace gprofx::attach
