// Raises and lowers the level of recording in this process (wire/gpu.h, GpuLevel), and keeps CUPTI
// in the process only while it is needed. On the level of launches, CUPTI leaves soon after records
// have ended, if hooks hear all calls (driver_hooks.h). It comes back for the next records
// (cupti_session.h). If CUPTI cannot leave, it stays in the process and reports no calls until the
// next records.
//
// For our own thread, after CUPTI was set up. A change typically takes 0.1 ms, and 10 ms if CUPTI
// comes back for it. A record of the change is written, with the time in which neither level was
// complete. If the program uses graphs, CUPTI stays and reports all calls: a graph that CUPTI
// instrumented ends the program when it is launched without CUPTI (CUDA 13.0, H200).
#pragma once

#include "samplers/cuda/hooks/driver_hooks.h"
#include "samplers/cuda/levels/seldom.h"
#include "samplers/wire/gpu.h"

namespace gprofx::cuda {

class LevelSwitch {
 public:
  // After construction everything is on: the level is kLevelRecords.
  LevelSwitch();

  // Switches to `level`. Before it leaves kLevelRecords, ends instruction sampling for good,
  // because CUPTI cannot switch records while it samples, and flushes records.
  //
  // Returns false if the switch is not possible now, because threads are inside CUDA calls or CUPTI
  // refuses. The level is then unchanged, or between the old and the requested one.
  bool Set(wire::GpuLevel level);
  wire::GpuLevel level() const { return level_; }
  bool records() const { return level_ == wire::kLevelRecords; }
  // True if CUPTI leaves the process between records and comes back for them.
  bool leaves() { return CuptiCanLeave() && hooks_.trusted(); }
  // Lets CUPTI leave, unless records are wanted next. Brings it back if the hooks are no longer
  // sufficient. Called regularly. `worked_ns` is how long the program has worked so far.
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
  int64_t records_ended_ = 0, looked_ = 0;  // times
  Seldom tries_;                            // when to try again to let CUPTI leave or come back
};

}  // namespace gprofx::cuda
