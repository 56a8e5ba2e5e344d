// Contains the recording loop: drains the targets' memory while the program runs, passes changes to
// the writer, and finishes the file. Used only inside samplers/recorder/.
//
// One thread. It never waits for file I/O before the program ends. Times are HostNs of the session.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "formats/profile/profile_db.h"
#include "samplers/collector/drain/thread_waits.h"
#include "samplers/collector/drain/wall.h"
#include "samplers/collector/processes/inspect.h"
#include "samplers/collector/processes/launch.h"
#include "samplers/collector/processes/machine.h"
#include "samplers/collector/processes/process_table.h"
#include "samplers/collector/run_parts.h"
#include "samplers/collector/session.h"
#include "samplers/recorder/attachment.h"
#include "samplers/recorder/flight/flight_triggers.h"
#include "samplers/recorder/flight/flight_window.h"
#include "samplers/recorder/forked_work.h"
#include "samplers/recorder/gpu/gpu_recording.h"
#include "samplers/recorder/gpu/level_control.h"
#include "samplers/recorder/problems.h"
#include "samplers/recorder/recorder.h"
#include "samplers/recorder/run_facts.h"
#include "samplers/recorder/sparse_samples.h"
#include "samplers/recorder/supervisor.h"
#include "samplers/recorder/timers.h"
#include "symbolize/symbolizer.h"

namespace gprofx::recorder {

// Target time between two commits. If gprof-x is killed, at most about a second is lost: this
// interval, one drain and the commit itself.
constexpr HostNs kCommitEvery = 700'000'000;

// Maximum size of the live file with --last, in bytes.
constexpr size_t kMaxKeptBytes = size_t{512} << 20;

struct RecordingSetup {
  const RecordOptions& options;
  Machine machine;
  wire::SamplingPlan plan;
  Session session;
  ProfileWriter* writer;  // null if there is a watcher
};

// Returns the overhead budget for CPU samples, in thousandths of the program's time. Returns 0 if
// there is none; samples then keep the rate that the user chose.
uint32_t SparseBudget(const RecordOptions& options);

class Recording {
 public:
  Recording(RecordingSetup setup, Supervisor& program, Listener& listener);
  ~Recording() {
    if (writer_ != nullptr) writer_->EndThread();
  }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  // Starts the program. Returns 0, or the exit status if it could not be started. `began` is the
  // MonotonicNs at which the preparations began.
  int Start(const Inspection& inspection, const LauncherState& launcher, int64_t began);
  // Called instead of Start with a `pid` in the options: attaches to that process. Returns 0, or
  // the exit status on failure.
  int Enter(int64_t began);
  // Records until the program ends, then finishes the profile. Returns false if it could not be
  // written.
  bool Run();

 private:
  void Loop();
  int WaitMs(HostNs now) const;
  void Step(HostNs now);
  void TellHostile();
  void Drain(HostNs now);
  size_t Poll();
  void NotePause(HostNs now);
  void SwitchSampling(HostNs now);
  void EndWindow();
  void FollowControl(HostNs now);
  RecordingWindow& window() { return parts_.clocks.window(); }  // the recorded window so far
  void Wait(int ms);
  void Commit(HostNs now);
  void TellCommits();
  void HandOver();
  void Stop();
  const std::string& Output() const;
  // Called if there is a watcher. Defined in recording_watched.cpp.
  void HandToWatcher();
  void Watch(HostNs now);
  void LookLast();
  void Dump(const std::string& path);
  // Defined in recording_copy.cpp.
  using Claim = std::function<Result<ProfileWriter>()>;  // called in the copy
  bool MayFork() const;
  Status BeginCopy(HostNs now, const Claim& claim);
  Result<std::string> WriteCopy(Result<ProfileWriter> out, HostNs now,
                                const std::function<void()>& ready);
  void TakeCopy();
  void WaitForOutliving();
  // Returns the resource use of the command, as the kernel reports it to the parent. Unset if the
  // command is not our child.
  std::optional<ProcessNoteCopy> EndOfProgram() const;
  bool Goes() const;
  void Leave();
  Status Finish();
  Status WriteFinal(ProfileWriter& writer, const std::string& why,
                    const std::function<void()>& ready);
  // Called if --last is given. Defined in flight.cpp.
  void KeepLast();
  void FollowFlight(HostNs now);
  void WriteLast(HostNs now);
  Status CutWindow(ProfileWriter& out, const std::string& why, const std::function<void()>& ready);
  void TellNoSteps();
  RunFacts Facts() const;
  void Describe();
  PassTimers Times() const;
  void TellLosses();
  void TellFaults();
  SymbolizeOptions NamesWith() const;
  void TellEnd(const Status& finished);

  const RecordOptions& options_;
  Machine machine_;
  wire::SamplingPlan plan_;
  Session session_;
  ProfileWriter* const writer_;  // null: watcher_ is used instead
  Watcher* const watcher_;       // null: a file is written
  Supervisor& program_;
  Listener& listener_;
  Problems problems_;
  PassTimers timers_;  // kDrain includes kIngest
  Profile profile_;
  RunParts parts_;
  ProcessTable processes_;
  WallSampler wall_;
  ThreadWaits thread_waits_;
  GpuRecording gpu_;
  LevelControl control_;
  SparseSamples sparse_;
  std::unique_ptr<Attachment> attachment_;  // null: the program is our child
  FlightWindow window_of_last_;
  FlightTriggers triggers_;
  ForkedWork copy_;              // writes the last minutes, or what a watcher wants
  std::string copied_for_;       // the trigger for the last minutes
  const RecordingWindow asked_;  // what --delay and --duration ask for
  std::vector<SampleRow> rows_;
  int64_t merged_commits_ = 0;
  HostNs next_commit_, next_drain_ = 0, program_end_ = 0;
  HostNs command_end_ = 0;  // when the command ended; other processes may outlive it
  HostNs drain_every_;
  HostNs last_drain_ = 0, longest_gap_ = 0;
  // Time at which --control paused the recording (0 = it is not paused), and length of all earlier
  // pauses.
  HostNs paused_since_ = 0, paused_ns_ = 0;
  bool sampling_ = false, duration_over_ = false, begun_ = false, write_failed_ = false;
};

}  // namespace gprofx::recorder
