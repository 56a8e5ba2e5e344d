// Reads what the hosts of a profile did in a time window (core/variability/host.h): calls that
// wait, launches that waited for queue space, time without records, and samples. Of the samples,
// those of threads that launch GPU work are read; in a process without such threads, those of the
// main thread. Waits that began more than 5 s before the window are not found. Blocking; one
// thread; file and profile must outlive the object. Used only inside formats/variability.
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

// True if the wall time in the profile (core/wall/wall_partition.h) names a cause for idle time of
// a GPU.
bool TellsIdle(const Profile& profile);

class ProfileHost {
 public:
  // Returns the number by which lanes identify a process.
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
  // By ThreadId::index(): true if the thread's samples explain idle GPUs.
  std::vector<bool> explains_;
};

}  // namespace gprofx
