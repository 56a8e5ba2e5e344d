// Does the GPU part of the recording loop: sets up GPU recording, passes its rows on and reports
// problems to the user.
//
// The recording owns the object. One thread.
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

  // If GPROFX_RAW is set, opens the file that it names. All wire data is then written to that file,
  // too. Called before the program starts.
  Status BeginRaw();
  // Finds the CUDA library, creates the spool (spool.h) in the folder of `output`, and publishes
  // the GPU settings to the processes of the program. Called before the program starts.
  void Begin(const std::string& output);
  // Path of libgprofx-cuda.so; "" = the GPU is not recorded.
  const std::string& library() const { return library_; }

  // Returns the time until the next drain: `usual`, or less if many CUDA calls arrive. Called after
  // each drain.
  HostNs DrainEvery(const ProcessTotals& totals, HostNs usual);
  void TellMessages();
  // Reports problems that only the whole run shows, for example that a PyTorch profiler in the
  // program got no GPU events. Called at the end.
  void TellLast(const ProcessTotals& totals);

  // Passes the rows since the last call to `writer`, and rows of events also to `look`. Computes
  // the partition of the wall time up to `now`.
  void HandOver(ProfileWriter& writer, HostNs now,
                const std::function<void(const EventTable&)>& look);
  // Writes the GPU counters and the options that the user chose into the profile.
  void Describe(const ProcessTotals& totals) const;
  // Writes the partition of the wall time into the profile. Called last.
  void DescribeEnd(HostNs end);

  // Reads the code of a sampled module from the spool.
  Result<std::vector<std::byte>> ReadModule(uint64_t hash) const;

 private:
  void MakeSpool(const std::string& output);

  const RecordOptions& options_;
  RunParts& parts_;
  Problems& problems_;
  std::string library_;
  std::optional<Spool> spool_;
  std::unique_ptr<RawRecording> raw_;  // null if GPROFX_RAW is not set
  int64_t entries_ = 0;
};

// Returns the path of the library `name` in the folder of the agent. Returns "" if it was not
// built.
std::string LibraryBeside(const std::string& agent, const char* name);

// True if a torch.profiler session ran in this program, as far as the Python functions on sampled
// stacks show.
bool SawTorchProfiler(const Profile& profile);

}  // namespace gprofx::recorder
