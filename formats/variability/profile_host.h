// What the hosts of a profile did in a time window (core/variability/host.h): waiting calls, full
// queues, time without records, and samples of threads that launch GPU work, or of the main thread
// in a process without such threads. Waits that began more than 5 s before the window are missed.
// Blocking; one thread; file and profile must outlive it. Used inside formats/variability only.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "core/model/host_class.h"
#include "core/model/profile.h"
#include "core/slice/part_builder.h"
#include "core/variability/host.h"
#include "formats/profile/profile_open.h"

namespace gprofx {

// True if the profile's own wall-time partition explains any idle time.
bool TellsIdle(const Profile& profile);

class ProfileHost {
 public:
  // `number_of` maps processes to the numbers used in lanes.
  using NumberOf = std::function<int64_t(ProcessId)>;
  ProfileHost(const ProfileFile& file, const Profile& profile, NumberOf number_of);

  Result<variability::HostActivity> Read(TimeRange window);

 private:
  Status ReadCalls(TimeRange window, PartEvents& out) const;
  Status ReadSpans(TimeRange window, variability::HostActivity& out);
  void FindThreads();
  variability::ProcessHost& HostOf(ProcessId process, variability::HostActivity& out) const;

  const ProfileFile& file_;
  const Profile& profile_;
  const NumberOf number_of_;
  HostClasses classes_;
  std::vector<bool> explains_;  // by ThreadId::index(): its samples explain idle GPUs
};

}  // namespace gprofx
