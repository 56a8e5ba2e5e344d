// The program's CUDA calls heard without CUPTI.
//
// To call us back at a launch CUPTI takes 0.6 to 0.8 us of the program's thread, whatever we do
// there; and once it has made records of kernels, each launch takes 0.6 us more while its data are
// in the caches and 1.7 us in a real program, for as long as CUPTI is in the process, records or
// none (H100 and H200, CUDA 13.0). While calls are only counted, that is the larger part of what
// recording costs. So where libraries keep pointers to the driver's functions that we follow
// (CUDA's runtime, in whatever library it is linked, cuBLAS), they get pointers to functions of
// ours, which call the driver's. While records are made CUPTI tells of calls as ever, with the
// correlation ids of the records, and ours let them pass; so it shows whether there is any call
// that does not come by way of ours. Only as long as there is none does CUPTI leave the process
// between windows (level_switch.h), and ours hear all calls.
//
// Each call is heard by exactly one of both. Who hears it is decided at its begin in our function;
// what CUPTI tells of a call that was heard there is left alone (driver_calls.cpp). CUPTI ceases to
// tell where no thread is inside of a call (call_gate.h); so our function enters the gate as long
// as CUPTI tells. What is lost: calls by a pointer that nobody could find (on a heap, or asked for
// by dlsym later), from their first one on until the next window with records ends, or for kLongest
// of the time that the program works.
#pragma once

#include <chrono>
#include <cstdint>

namespace gprofx::cuda {

enum class Hearing : uint32_t {
  kNobody,
  kCupti,
  kHooksBeside,  // hooks, while CUPTI still tells
  kHooks,
  kHooksOfMemory,  // of calls that allocate GPU memory or give it back; of others nobody
};

// Who hears of a call that begins now. Any thread.
void SetHearing(Hearing who);
Hearing HearingNow();
inline bool HooksHear() {
  return HearingNow() == Hearing::kHooks || HearingNow() == Hearing::kHooksOfMemory;
}

// Of the calling thread: it is in a call that came by way of ours; ... and was heard there.
bool InHook();
bool HeardByHook();
// CUPTI tells of one that did not come so; of one that did, and is heard now.
void CountBypass();
void CountPassage();
// Waits for the end of those that ours hear now, or of those of them that put work on a GPU; for
// `limit` at most. False: some go on.
bool LetHeardEnd(std::chrono::nanoseconds limit);
bool LetLaunchesEnd(std::chrono::nanoseconds limit);

// A thread is about to make nodes of a graph or a context, and waits a moment for CUPTI, which
// alone tells of them.
bool CuptiIsWanted();
// It will not come: nobody needs to wait.
void SetCuptiRefused(bool refused);

// Ours for a function that the driver hands out; the same one, if there is none. Any thread.
void* InPlaceOf(void* function);

// Our own thread only.
class DriverHooks {
 public:
  static constexpr std::chrono::seconds kLongest{30};

  // While CUPTI tells of calls: did all since the latest look come by way of ours? Where they did
  // not, or libraries were loaded meanwhile, pointers are looked for again. Some tens of
  // milliseconds the first times, else nothing.
  void Look();
  // How long the program has worked by now (levels.h).
  void SetWorked(int64_t ns) { worked_ = ns; }
  // All calls come by way of ours, as far as is known; asked now and then while nothing shows it.
  bool trusted();

 private:
  bool LibrariesChanged() const;

  bool trusted_ = false;
  int tries_ = 0;
  uint64_t libraries_ = 0;  // loaded and unloaded so far
  uint64_t seen_ = 0;       // of them by the latest look: all are searched once no more come
  int64_t worked_ = 0, shown_at_ = 0;  // now, and when that was shown
};

}  // namespace gprofx::cuda
