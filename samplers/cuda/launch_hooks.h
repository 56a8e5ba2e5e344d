// Launches of kernels that are heard without CUPTI.
//
// To call us back at a launch CUPTI takes 0.6 to 0.8 us of the program's thread, whatever we do there
// (H100, CUDA 13.0: 2.6 % of Llama at 32,000 launches a second). While launches are only counted, that
// is the larger part of what recording costs. So where libraries keep pointers to the driver's functions
// that launch kernels (CUDA's runtime, in whatever library it is linked, cuBLAS), they get pointers to
// functions of ours, which call the driver's. While records are made CUPTI tells of launches as ever,
// with the correlation ids of the records, and ours let them pass; so each window with records shows
// whether there is any launch that does not come by way of ours. Only as long as there is none, launches
// between windows are heard by ours, and CUPTI is not to tell of them.
//
// Each launch is heard by exactly one of both. Who hears it is decided at its begin in our function; what
// CUPTI tells of a launch that was heard there is left alone (driver_calls.cpp). CUPTI ceases to tell where no
// thread is inside of a call (call_gate.h); so our function enters the gate as long as CUPTI tells.
// What is lost: launches by a pointer that nobody could find (on a heap, or asked for by dlsym later), from
// their first one on until the next window with records ends, or for kLongest.
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

namespace gprofx::cuda {

enum class Hearing : uint32_t {
  kNobody,
  kCupti,
  kHooksBeside,  // hooks, while CUPTI still tells
  kHooks,
};

// Who hears of a launch that begins now. Any thread.
void SetHearing(Hearing who);
Hearing HearingNow();

// Of the calling thread: it is in a launch that came by way of ours; ... and was heard there.
bool InHook();
bool HeardByHook();
// CUPTI tells of one that did not come so; of one that did, and is heard now.
void CountBypass();
void CountPassage();
// Waits for the end of those that ours hear now; for `limit` at most. False: some go on.
bool LetHeardEnd(std::chrono::nanoseconds limit);

// Is it a function that ours may stand for, by CUPTI's name of it?
bool MayBeHooked(std::string_view name);
// Ours for a function that the driver hands out; the same one, if there is none. Any thread.
void* InPlaceOf(void* function);

// Our own thread only.
class LaunchHooks {
 public:
  static constexpr std::chrono::seconds kLongest{20};

  // A window with records has ended: did all launches in it come by way of ours? Where they did not, or
  // libraries were loaded meanwhile, pointers are looked for again. Some tens of milliseconds the first
  // times, else nothing.
  void EndWindow();
  // All launches come by way of ours, as far as is known; asked now and then while nothing shows it.
  bool trusted();

 private:
  bool LibrariesChanged() const;

  bool trusted_ = false;
  int tries_ = 0;
  uint64_t libraries_ = 0;  // loaded and unloaded so far
  int64_t shown_at_ = 0;    // when a window has shown it
};

}  // namespace gprofx::cuda
