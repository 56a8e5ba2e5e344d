// Holds what the processes of one recording share: the profile that they are recorded into, its
// metrics and modules, the CPU clocks, the perf events, the GPU data and the markers.
//
// The recorder owns it and passes it to the code that needs a part; no part is reached through
// another. The session and the profile must outlive this object, and this object must outlive the
// table of processes. One thread.
#pragma once

#include "core/cost/profiling_time.h"
#include "core/model/profile.h"
#include "samplers/collector/drain/drain.h"
#include "samplers/collector/drain/ingest.h"
#include "samplers/collector/drain/perf_events.h"
#include "samplers/collector/drain/raw_recording.h"
#include "samplers/collector/gpu/run.h"
#include "samplers/collector/markers/run.h"
#include "samplers/collector/processes/process_clock.h"
#include "samplers/collector/session.h"

namespace gprofx {

struct RunParts {
  RunParts(Session& its_session, Profile& its_profile, bool is_wall_clock)
      : session(its_session),
        profile(its_profile),
        wall_clock(is_wall_clock),
        metrics(AddMetrics(profile, wall_clock)),
        modules(profile),
        profiling(profile),
        gpu(profile),
        markers(profile),
        perf_events(session),
        clocks(profile, metrics, wall_clock, session.facts().plan.tick_ns) {}
  RunParts(const RunParts&) = delete;
  RunParts& operator=(const RunParts&) = delete;

  Session& session;
  Profile& profile;
  const bool wall_clock;
  const Metrics metrics;
  ModuleTable modules;
  ProfilingStacks profiling;
  GpuRun gpu;
  MarkerRun markers;
  PerfEvents perf_events;
  ProcessClocks clocks;
  RawRecording* raw = nullptr;  // not owned; see ProcessDrain::SetRaw
};

}  // namespace gprofx
