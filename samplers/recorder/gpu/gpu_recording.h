// What the recording loop does for the GPU: set it up, hand its rows over, tell what the user must
// know.
//
// Owned by the recorder. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "formats/profile/profile_db.h"
#include "samplers/collector/processes/process_totals.h"
#include "samplers/collector/run_parts.h"
#include "samplers/collector/spool.h"
#include "samplers/recorder/problems.h"
#include "samplers/recorder/recorder.h"

namespace gprofx::recorder {

class GpuRecording {
 public:
  GpuRecording(const RecordOptions& options, RunParts& parts, Problems& problems)
      : options_(options), parts_(parts), problems_(problems) {}

  // Before the program starts. What comes over the wire goes to the file of GPROFX_RAW, too.
  Status BeginRaw();
  // Same: looks for the library, makes the spool beside `output`, tells the targets.
  void Begin(const std::string& output);
  // Path of libgprofx-cuda.so, "" = the GPU is left alone.
  const std::string& library() const { return library_; }

  // After each look at the rings; `usual` is when the next one would be. Where
  // many calls come, rings are emptied more often.
  HostNs DrainEvery(const ProcessTotals& totals, HostNs usual);
  void TellMessages();
  // At the end: what only the whole run shows, such as the program's own profiler without GPU
  // events.
  void TellLast(const ProcessTotals& totals);

  // Rows since the last time. Works off old wall time.
  void HandOver(ProfileWriter& writer, HostNs now,
                const std::function<void(const EventTable&)>& look);
  // Counters, and what was asked for.
  void Describe(const ProcessTotals& totals) const;
  // The last one: the partition of the wall time.
  void DescribeEnd(HostNs end);

  // The code of a sampled module from the spool.
  Result<std::vector<std::byte>> ReadModule(uint64_t hash) const;

 private:
  void MakeSpool(const std::string& output);

  const RecordOptions& options_;
  RunParts& parts_;
  Problems& problems_;
  std::string library_;
  std::optional<Spool> spool_;
  std::unique_ptr<RawRecording> raw_;  // none: nobody asked for it by GPROFX_RAW
  int64_t entries_ = 0;
};

// A library beside the agent; "" when it was not built.
std::string LibraryBeside(const std::string& agent, const char* name);

// Did a session of torch.profiler run in this program? Judged by the Python functions on sampled
// stacks.
bool SawTorchProfiler(const Profile& profile);

}  // namespace gprofx::recorder
