// Counts the threads that currently execute agent code. Also declares the start code that load and
// late entry share.
//
// InAgent is for handlers and for calls of our other libraries: async-signal-safe, any thread. The
// count is raised before any state of the recording is read. So when all threads were ended and the
// count is zero, the recording's mappings can be removed.
#pragma once

#include <atomic>
#include <cstdint>

namespace gprofx::agent {

class InAgent {
 public:
  InAgent() { count.fetch_add(1); }
  ~InAgent() { count.fetch_sub(1); }
  InAgent(const InAgent&) = delete;
  InAgent& operator=(const InAgent&) = delete;

  // Enter and Leave are for a stay that begins on one thread and ends on another: a new thread
  // counts from its creation until it has begun.
  static void Enter() { count.fetch_add(1); }
  static void Leave() { count.fetch_sub(1); }
  static bool Anybody() { return count.load() != 0; }
  static void AfterFork() { count.store(0); }

 private:
  static std::atomic<uint32_t> count;
};

// True if another library of ours permanently holds the table of functions (wire/agent_entry.h),
// and thus the control page.
bool EntryIsHeld();

// Called at load: constructors of libraries that the program links may have started threads
// (OpenBLAS). May allocate.
void AdoptEarlierThreads();

// Starts the tables, installs the front handlers (signals/fronts.h) and, once, registers for fork
// and thread ends. Called after the session began.
void StartInProcess();

}  // namespace gprofx::agent
