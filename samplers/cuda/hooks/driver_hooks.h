// Hears the program's CUDA calls without CUPTI.
//
// CUPTI's callback at a launch takes 0.6 to 0.8 us of the program's thread, whatever the callback
// does. Once CUPTI has made records of kernels, each launch takes another 0.6 us with its data in
// the caches and 1.7 us in a real program, for as long as CUPTI is in the process, with or without
// records (H100 and H200, CUDA 13.0). While calls are only counted, this is the larger part of the
// cost of recording. Therefore, where libraries keep pointers to driver functions that we follow
// (the CUDA runtime, in whatever library it is linked, cuBLAS), we replace them by pointers to our
// hooks, which call the driver. While records are made, CUPTI reports all calls, with the
// correlation ids of the records, and our hooks only pass them on. In this way CUPTI's reports show
// whether any call bypasses the hooks. Only while no call does, CUPTI leaves the process between
// windows with records (level_switch.h), and the hooks hear all calls.
//
// Either CUPTI or a hook hears each call. The hook decides at the begin of the call; if the hook
// hears it, CUPTI's report of the same call is ignored (driver_calls.cpp). CUPTI stops reporting
// while no thread is inside a call (call_gate.h), so the hooks enter the gate as long as CUPTI
// reports. What is lost: calls through a pointer that we could not find (on a heap, or returned by
// a later dlsym), from the first such call until the next window with records ends, or for kLongest
// of the program's working time.
#pragma once

#include <chrono>
#include <cstdint>

namespace gprofx::cuda {

enum class Hearing : uint32_t {
  kNobody,
  kCupti,
  kHooksBeside,  // hooks, while CUPTI still reports
  kHooks,
  kHooksOfMemory,  // hooks, only calls that allocate or free GPU memory
};

// Sets who hears calls that begin from now on. Any thread.
void SetHearing(Hearing who);
Hearing HearingNow();
inline bool HooksHear() {
  return HearingNow() == Hearing::kHooks || HearingNow() == Hearing::kHooksOfMemory;
}

// InHook: true if the calling thread is in a call through a hook. HeardByHook: true if, in
// addition, the hook hears that call.
bool InHook();
bool HeardByHook();
// CountBypass: CUPTI reported a call that bypassed the hooks. CountPassage: CUPTI reported a call
// that passed through a hook and is heard now.
void CountBypass();
void CountPassage();
// Waits up to `limit` until the calls that hooks hear now have ended: all of them, or only those
// that put work on a GPU. Returns false if some are still running.
bool LetHeardEnd(std::chrono::nanoseconds limit);
bool LetLaunchesEnd(std::chrono::nanoseconds limit);

// True if a thread is about to make graph nodes or a context and briefly waits for CUPTI, which
// alone reports these.
bool CuptiIsWanted();
// `refused`: CUPTI cannot be brought back now, so threads do not wait for it before they make graph
// nodes or contexts.
void SetCuptiRefused(bool refused);

// Returns our hook for a function that the driver hands out, or `function` if there is none. Any
// thread.
void* InPlaceOf(void* function);

// Our own thread only.
class DriverHooks {
 public:
  static constexpr std::chrono::seconds kLongest{30};

  // While CUPTI reports calls: checks whether all calls since the last check passed through our
  // hooks. If not, or if libraries were loaded meanwhile, searches for pointers again. Takes some
  // tens of milliseconds the first few times, later nothing.
  void Look();
  // Sets the program's working time so far (levels.h).
  void SetWorked(int64_t ns) { worked_ = ns; }
  // True if all calls pass through our hooks, as far as is known. Call it regularly, even while
  // CUPTI is away.
  bool trusted();

 private:
  bool LibrariesChanged() const;

  bool trusted_ = false;
  int tries_ = 0;
  uint64_t libraries_ = 0;  // number of loads and unloads so far
  uint64_t seen_ = 0;       // the same at the last check: all are searched once it is stable
  int64_t worked_ = 0, shown_at_ = 0;  // now, and when trust was last confirmed
};

}  // namespace gprofx::cuda
