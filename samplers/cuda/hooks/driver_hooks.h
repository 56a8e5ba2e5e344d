// Observes the program's CUDA calls without CUPTI. To hear a call means to record its begin and its
// end; either CUPTI's callback or a hook does that.
//
// CUPTI's callback at a launch takes 0.6 to 0.8 us of the program's thread, whatever the callback
// does. Once CUPTI has made records of kernels, each launch takes another 0.6 us with its data in
// the caches and 1.7 us in a real program. That lasts as long as CUPTI is in the process, with or
// without records (H100 and H200, CUDA 13.0). While calls are only counted, this is the larger part
// of the cost of recording.
//
// Libraries such as the CUDA runtime (in whatever library it is linked) and cuBLAS keep pointers to
// driver functions. We replace those pointers that we can find by pointers to our hooks, which call
// the driver. While records are made, CUPTI reports all calls, with the correlation ids of the
// records, and our hooks only pass the calls on. CUPTI's reports then show whether any call
// bypasses the hooks. Only if none does, CUPTI leaves the process between windows with records
// (level_switch.h), and the hooks hear all calls.
//
// A call is heard either by CUPTI or by a hook. The hook decides when the call begins. If the hook
// hears it, CUPTI's report of the same call is ignored (driver_calls.cpp). CUPTI stops reporting
// only while no thread is inside a call (call_gate.h), so hooks enter the gate as long as CUPTI
// reports. Calls through a pointer that we could not find (on a heap, or returned by a later dlsym)
// are lost. They are lost from the first such call until the next window with records ends, or for
// kLongest of the program's working time.
#pragma once

#include <chrono>
#include <cstdint>

namespace gprofx::cuda {

enum class Hearing : uint32_t {
  kNobody,
  kCupti,
  kHooksBeside,  // hooks hear calls while CUPTI still reports
  kHooks,
  kHooksOfMemory,  // hooks hear only calls that allocate or free GPU memory
};

// Sets who hears the calls that begin from now on. Any thread.
void SetHearing(Hearing who);
Hearing HearingNow();
inline bool HooksHear() {
  return HearingNow() == Hearing::kHooks || HearingNow() == Hearing::kHooksOfMemory;
}

// InHook returns true if the calling thread is in a call that passes through a hook. HeardByHook
// returns true if that hook also hears the call.
bool InHook();
bool HeardByHook();
// CountBypass counts a call that CUPTI reported and that bypassed the hooks. CountPassage counts a
// call that CUPTI reported and that passed through a hook.
void CountBypass();
void CountPassage();
// Wait up to `limit` until the calls that hooks hear have ended: LetHeardEnd for all of them,
// LetLaunchesEnd for those that put work on a GPU. Return false if some are still running.
bool LetHeardEnd(std::chrono::nanoseconds limit);
bool LetLaunchesEnd(std::chrono::nanoseconds limit);

// True if a thread is about to make graph nodes or a context and waits for CUPTI to come back,
// because only CUPTI reports these.
bool CuptiIsWanted();
// Says whether CUPTI refused to come back. If it did, threads do not wait for it before they make
// graph nodes or contexts.
void SetCuptiRefused(bool refused);

// Returns our hook for a function that the driver hands out. Returns `function` itself if there is
// none. Any thread.
void* InPlaceOf(void* function);

// Places the hooks and checks whether they are sufficient. For our own thread only.
class DriverHooks {
 public:
  static constexpr std::chrono::seconds kLongest{30};

  // Checks whether all calls since the last check passed through our hooks. If not, or if libraries
  // were loaded meanwhile, searches for pointers again. Called while CUPTI reports calls. Takes
  // some tens of milliseconds the first few times, later nothing.
  void Look();
  // Sets how long the program has worked so far, in ns (levels.h).
  void SetWorked(int64_t ns) { worked_ = ns; }
  // True if all calls pass through our hooks, as far as known. Must be called regularly, even while
  // CUPTI is away.
  bool trusted();

 private:
  bool LibrariesChanged() const;

  bool trusted_ = false;
  int tries_ = 0;
  uint64_t libraries_ = 0;  // LibraryChanges() at the last search for pointers
  // LibraryChanges() at the last check; pointers are searched when it no longer changes.
  uint64_t seen_ = 0;
  // Working time of the program in ns: so far, and when trusted_ was last confirmed.
  int64_t worked_ = 0, shown_at_ = 0;
};

}  // namespace gprofx::cuda
