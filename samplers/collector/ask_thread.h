// A running thread that the agent does not know is asked to take its slot.
//
// arm_request (wire/layout.h) is taken by a thread that is sampled and runs. Where those all wait
// for threads that nobody knows, as in a query of chDB, nobody takes it: then one of these is sent
// a signal.
#pragma once

#include <cstdint>
#include <string_view>

namespace gprofx {

// Of /proc/PID/task/TID/status: does it run, is SIGPROF open in it and caught by its process? Else
// a signal would end a wait, stay for later, or end the process.
bool MayBeAsked(std::string_view status);

// False: it may not, or is gone. Not for a process that was entered late, which is left again: its
// actions go back to what they were, and a signal under way would end it.
bool AskThreadItself(int64_t pid, int64_t tid);

}  // namespace gprofx
