// The writing end of the ring of memory events (wire/memory.h). Any thread: no lock, no allocation
// but one mapping per process, bounded time. Callers hold locks of the program's allocators.
#pragma once

#include "samplers/agent/process/threads.h"
#include "samplers/wire/agent_entry.h"

namespace gprofx::agent {

// Puts the event there with its time, the stack `node` and the thread; without room, or where it is
// not sampled, it is counted at most. `state`: of the calling thread, null = unknown.
void WriteMemoryEvent(const wire::MemoryEvent& event, uint32_t node, const ThreadState* state);

// Into a ring that is mapped; false: there was no room, which was counted.
bool PutMemoryRecord(wire::MemoryHeader* header, wire::MemoryRecord* ring,
                     const wire::MemoryEvent& event, uint32_t node, int32_t tid, int64_t time);

// In a fork child: the parent's ring stays mapped, and nothing is written there.
void ForgetMemoryRing();

}  // namespace gprofx::agent
