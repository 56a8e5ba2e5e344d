// Who of us runs in the program at this moment, and the start that load and late entry share.
//
// InAgent is for handlers and for calls of the other libraries: async-signal-safe, any thread. It
// counts before anything of the recording is looked at, so when all threads were ended and nobody
// is counted, what the recording mapped can go.
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

  // For a stay that another thread ends: one that is made here, until it has begun.
  static void Enter() { count.fetch_add(1); }
  static void Leave() { count.fetch_sub(1); }
  static bool Anybody() { return count.load() != 0; }
  static void AfterFork() { count.store(0); }

 private:
  static std::atomic<uint32_t> count;
};

// Does another library of ours have the entry's table, and with it the control page, for good?
bool EntryIsHeld();

// At load: constructors of libraries that the program is linked with may have begun threads
// (OpenBLAS). May allocate.
void AdoptEarlierThreads();

// Tables, front handlers and, once, what fork and thread ends need; after the session began.
void StartInProcess();

}  // namespace gprofx::agent
