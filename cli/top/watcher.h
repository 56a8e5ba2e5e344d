// Runs gprof-x top during a recording: collects samples and events, and shows each interval with a
// TopFace. Passes the requests that the user makes with keys on to the recording. One thread.
#pragma once

#include <optional>
#include <unordered_map>

#include "cli/top/cpu_window.h"
#include "cli/top/faces.h"
#include "cli/top/frame_keys.h"
#include "cli/top/gpu_window.h"
#include "cli/top/name_lookup.h"
#include "cli/top/options.h"
#include "cli/top/program_output.h"
#include "cli/top/step_window.h"
#include "samplers/recorder/flight/watcher.h"

namespace gprofx {

class TopWatcher : public recorder::Watcher {
 public:
  // All arguments must outlive this object.
  TopWatcher(const TopOptions& options, TopFace& face, const ProgramOutput& output,
             SymbolizeOptions symbolize);

  void Take(std::span<const SampleRow> rows) override;
  void Take(const Profile& raw, const EventTable& rows) override;
  HostNs next() const override { return next_; }
  void Poll(pollfd (&waiting)[2]) const override;
  recorder::WatcherWish Look(const recorder::LiveState& state) override;
  void Dumped(const Result<std::string>& outcome) override;

  // Returns why the screen could not be used. Returns nullopt if it could.
  const std::optional<Error>& failure() const { return failure_; }
  bool has_shown() const { return intervals_ > 0; }

 private:
  bool Begin(const recorder::LiveState& state);
  void Close(const recorder::LiveState& state);
  void Build(const recorder::LiveState& state);
  void Show(const recorder::LiveState& state);
  void End(const recorder::LiveState& state);
  bool TakeNames(const recorder::LiveState& state);
  void FindSteps(const recorder::LiveState& state);
  recorder::WatcherWish WishOf(const recorder::LiveState& state);

  const TopOptions& options_;
  TopFace& face_;
  const ProgramOutput& output_;
  NameLookup lookup_;
  FrameKeyTable keys_;
  CpuWindow cpu_;
  GpuWindow gpu_;
  StepWindow steps_;
  Snapshot snapshot_;
  std::vector<SampleRow> rows_;                     // samples since the interval began
  std::unordered_map<uint32_t, size_t> jit_sizes_;  // by module: number of names that were taken
  std::optional<Error> failure_;
  HostNs next_, begin_ = 0, next_steps_ = 0;
  int64_t lost_ns_ = 0;
  int intervals_ = 0, quits_done_ = 0;
  bool has_begun_ = false, is_over_ = false;
  bool is_pending_ = false;  // a closed interval is not shown yet
};

}  // namespace gprofx
