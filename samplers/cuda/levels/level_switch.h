// Turns what the recording does in this process up and down (wire/gpu.h, GpuLevel), and has CUPTI
// in it only while there is need: on the level of launches it leaves soon after records have ended,
// if hooks hear all calls, and comes back for the next ones (cupti_session.h). A CUPTI that cannot
// leave is not to tell of calls meanwhile.
//
// Our own thread only, once CUPTI is set up. A change usually takes 0.1 ms, and 10 ms if CUPTI
// comes back for it; it is told on the wire with the time for which neither level was whole. Where
// the program uses graphs CUPTI stays, and tells of all calls: a graph that it instrumented ends
// the program once CUPTI has left (CUDA 13.0, H200).
#pragma once

#include "samplers/cuda/hooks/driver_hooks.h"
#include "samplers/cuda/levels/seldom.h"
#include "samplers/wire/gpu.h"

namespace gprofx::cuda {

class LevelSwitch {
 public:
  // Everything is on when it is made.
  LevelSwitch();

  // Ends samples of instructions, for good, before it leaves kLevelRecords: CUPTI does not let
  // records be switched beside them. Records are flushed before they end. False: it is not possible
  // at this moment, because threads are inside of CUDA calls, or CUPTI refuses; nothing has
  // changed, or less than was asked for.
  bool Set(wire::GpuLevel level);
  wire::GpuLevel level() const { return level_; }
  bool records() const { return level_ == wire::kLevelRecords; }
  // CUPTI comes for records, and leaves between them.
  bool leaves() { return CuptiCanLeave() && hooks_.trusted(); }
  // Now and then: lets CUPTI leave, unless records are wanted next, or has it back where hooks do
  // not suffice any more. `worked_ns`: how long the program has worked by now.
  void Watch(int64_t worked_ns, bool records_wanted);

 private:
  static bool CuptiCanLeave();
  bool FetchCupti();
  bool LetCuptiLeave();
  bool TakeCuptiOut();
  bool MayLeave();
  bool BeginRecords();
  bool Up();
  bool Down();
  void LookAtHooks();

  wire::GpuLevel level_ = wire::kLevelRecords;
  DriverHooks hooks_;
  int64_t records_ended_ = 0, looked_ = 0;  // when
  Seldom tries_;                            // to leave, or to fetch CUPTI
};

}  // namespace gprofx::cuda
