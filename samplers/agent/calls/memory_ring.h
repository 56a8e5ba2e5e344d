// Writes memory events to the ring that the collector reads (wire/memory.h). May be called from any
// thread. Callers hold locks of the program's allocators. The functions therefore take no lock and
// bounded time, and allocate nothing except one mapping per process.
#pragma once

#include "samplers/agent/process/threads.h"
#include "samplers/wire/agent_entry.h"

namespace gprofx::agent {

// Appends `event` with the current time, the call path `node` and the thread id to the ring of this
// process. If the ring is full, drops the event and counts it as dropped. If the ring cannot be
// mapped, or the process is not recorded, does nothing. `state` belongs to the calling thread; null
// = unknown.
void WriteMemoryEvent(const wire::MemoryEvent& event, uint32_t node, const ThreadState* state);

// Appends an event to the mapped ring `ring`. If there is no room, counts the event as dropped and
// returns false.
bool PutMemoryRecord(wire::MemoryHeader* header, wire::MemoryRecord* ring,
                     const wire::MemoryEvent& event, uint32_t node, int32_t tid, int64_t time);

// Called in a fork child. The parent's ring stays mapped, but this process writes nothing more to
// it.
void ForgetMemoryRing();

}  // namespace gprofx::agent
