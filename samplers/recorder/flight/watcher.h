// Interface for a live view of a recording, used instead of writing a file: gprof-x top.
//
// A watcher receives all rows once, as a file would, and drops those it does not need; no copy is
// kept here. Look() asks the watcher for its wishes. It is called whenever the recording loop wakes
// up, so it must return quickly when there is nothing to do. All calls come from the recording
// loop's thread. A watcher may fork if LiveState::may_fork says that the process has no other
// thread. Times are HostNs. A watcher may throw; the recording then aborts.
#pragma once

#include <poll.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>

#include "core/base/result.h"
#include "core/events/events.h"
#include "core/gpu/gpu_timeline.h"
#include "core/model/profile.h"
#include "core/model/resolve.h"
#include "samplers/recorder/file_readers.h"

namespace gprofx::recorder {

struct LiveState {
  const Profile& raw;  // native frames are addresses; only grows
  const GpuTimeline& gpu;
  const std::unordered_map<uint32_t, ModuleNames>& jit_names;  // by module
  int64_t pid = 0;                                             // of the program
  HostNs now = 0;
  bool runs = true;  // false: this is the last call
  bool may_fork = true;
  const ProcessUsers* users = nullptr;  // null: all processes are ours
};

struct WatcherWish {
  bool end = false;   // ends the recording; a program started for it gets SIGINT
  bool kill = false;  // SIGKILL, if the program was started for this recording
  std::string dump;   // write everything recorded so far to a profile of this name; "" = do not
};

class Watcher {
 public:
  virtual ~Watcher() = default;

  virtual void Take(std::span<const SampleRow> rows) = 0;
  virtual void Take(const Profile& raw, const EventTable& rows) = 0;

  // Returns the time at which the watcher next wants all rows up to then, followed by a call to
  // Look.
  virtual HostNs next() const = 0;
  // Other descriptors to wait for; -1 is none. Look is called when one is ready.
  virtual void Poll(pollfd (&waiting)[2]) const = 0;
  virtual WatcherWish Look(const LiveState& state) = 0;
  // Reports the result of a dump: the name of the file, or the error.
  virtual void Dumped(const Result<std::string>& outcome) = 0;
};

}  // namespace gprofx::recorder
