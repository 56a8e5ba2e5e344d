// Declares InAgent, which counts the threads that are executing agent code, and functions that are
// used both when the agent is loaded and when it enters a running program.
//
// Signal handlers and calls from our other libraries hold an InAgent. They raise the count before
// they read any state of the recording. The mappings of an ended recording can be removed when no
// thread is sampled any more and the count is zero. Async-signal-safe; any thread.
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

  // Enter and Leave are used where one thread enters the agent and another leaves it. For example,
  // the creator of a thread calls Enter, and the new thread calls Leave when it has begun.
  static void Enter() { count.fetch_add(1); }
  static void Leave() { count.fetch_sub(1); }
  static bool Anybody() { return count.load() != 0; }
  static void AfterFork() { count.store(0); }

 private:
  static std::atomic<uint32_t> count;
};

// True if another library of ours keeps the agent's table of functions (wire/agent_entry.h) until
// the process ends. The control page must then stay mapped.
bool EntryIsHeld();

// Starts sampling threads that are older than the agent. Called at load, when constructors of the
// program's libraries may have started threads already (OpenBLAS). May allocate.
void AdoptEarlierThreads();

// Starts the tables of modules, unwind rows, code objects and layers, and installs the front
// handlers (signals/fronts.h). The first call also registers functions for forks and for the end of
// threads. Called after the session began.
void StartInProcess();

}  // namespace gprofx::agent
