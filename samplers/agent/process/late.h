// Counts the threads that are currently executing agent code (InAgent). Also declares functions
// that starting at load and entering a running program share.
//
// InAgent is for handlers and for calls from our other libraries. Async-signal-safe, any thread.
// The count is raised before any state of the recording is read. When all threads were ended and
// the count is zero, the recording's mappings can be removed.
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

  // Enter and Leave are for a stay in the agent that begins on one thread and ends on another. A
  // new thread counts from its creation until it has begun.
  static void Enter() { count.fetch_add(1); }
  static void Leave() { count.fetch_sub(1); }
  static bool Anybody() { return count.load() != 0; }
  static void AfterFork() { count.store(0); }

 private:
  static std::atomic<uint32_t> count;
};

// True if another library of ours holds the agent's table of functions (wire/agent_entry.h) until
// the process ends. The control page must then stay mapped.
bool EntryIsHeld();

// Starts sampling threads that already exist. Called at load: constructors of libraries that the
// program links may have started threads (OpenBLAS). May allocate.
void AdoptEarlierThreads();

// Starts the tables of modules, unwind rows, code objects and layers, and installs the front
// handlers (signals/fronts.h). On the first call it also registers for forks and for the end of
// threads. Called after the session began.
void StartInProcess();

}  // namespace gprofx::agent
