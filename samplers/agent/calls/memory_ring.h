// Writes memory events to the ring that the collector reads (wire/memory.h). May be called from any
// thread. Takes no lock, allocates nothing except one mapping per process, and takes bounded time,
// because callers hold locks of the program's allocators.
#pragma once

#include "samplers/agent/process/threads.h"
#include "samplers/wire/agent_entry.h"

namespace gprofx::agent {

// Appends the event with the current time, the call path `node` and the thread id. If the ring is
// full, drops the event and counts it as dropped. If the ring cannot be mapped, or the process is
// not recorded, does nothing. `state` is that of the calling thread; null = unknown.
void WriteMemoryEvent(const wire::MemoryEvent& event, uint32_t node, const ThreadState* state);

// Appends to a mapped ring. Returns false if there was no room, and counts that.
bool PutMemoryRecord(wire::MemoryHeader* header, wire::MemoryRecord* ring,
                     const wire::MemoryEvent& event, uint32_t node, int32_t tid, int64_t time);

// Called in a fork child: the parent's ring stays mapped, but nothing is written to it.
void ForgetMemoryRing();

}  // namespace gprofx::agent
