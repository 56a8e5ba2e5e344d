// What the recording loop does for the GPU: set it up, hand its rows over, say what the user must
// know.
//
// Owned by the recorder; prints through the options' callbacks only. One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/record/recorder.h"
#include "formats/profile_db.h"
#include "samplers/collector/process_table.h"
#include "samplers/collector/session.h"
#include "samplers/collector/spool.h"

namespace gprofx {

class GpuRecording {
 public:
  // Lines for the user also go to `problems`.
  GpuRecording(const RecordOptions& options, std::vector<std::string>& problems)
      : options_(options), problems_(problems) {}

  // Before the program starts: looks for the library, makes the spool, tells the targets.
  void Begin(Session& session, ProcessTable& processes);
  // Path of libgprofx-cuda.so, "" = the GPU is left alone.
  const std::string& library() const { return library_; }

  // After each look at the rings; `usual` is when the next one would be. Rings hold 4096 entries:
  // where many calls come, they are emptied more often.
  HostNs DrainEvery(const ProcessTable& processes, HostNs usual);
  void TellMessages(GpuRun& run);
  // At the end: what only the whole run shows, such as the program's own profiler without GPU
  // events.
  void TellLast(const ProcessTable& processes, const Profile& profile);

  // Rows since the last time. Works off old wall time.
  void HandOver(GpuRun& run, ProfileWriter& writer, HostNs now);
  // Counters, and what was asked for.
  void Describe(const ProcessTable& processes, Profile& profile) const;
  // The last one: the partition of the wall time.
  void DescribeEnd(GpuRun& run, HostNs end) const;

  // The code of a sampled module from the spool.
  Result<std::vector<std::byte>> ReadModule(const GpuRun& run, uint64_t hash) const;

 private:
  void Tell(const std::string& line);

  const RecordOptions& options_;
  std::vector<std::string>& problems_;
  std::string library_;
  std::optional<Spool> spool_;
  std::unique_ptr<RawRecording> raw_;  // none: nobody asked for it by GPROFX_RAW
  int64_t entries_ = 0;
};

// libgprofx-cuda.so beside the agent; "" when it was not built.
std::string CudaLibraryBeside(const std::string& agent);

// Did a session of torch.profiler run in this program? Judged by the Python functions on sampled
// stacks.
bool SawTorchProfiler(const Profile& profile);

// A notice of a target as the user reads it.
std::string NoticeText(const GpuMessage& message, const GpuRequest& request);

}  // namespace gprofx
