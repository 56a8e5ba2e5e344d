// Interface of a live view of a recording (gprof-x top), which is used instead of writing a file.
//
// A watcher receives each row once, as a file would, and drops those that it does not need; the
// recording keeps no copy. Look() asks the watcher what the recording should do. It is called
// whenever the recording loop wakes up, so it must return quickly when there is nothing to do.
//
// All calls come from the thread of the recording loop. A watcher may fork if LiveState::may_fork
// is true; the process then has no other thread. Times are HostNs. A watcher may throw; the
// recording then aborts.
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
  const Profile& raw;  // native frames in it are addresses; rows are only appended
  const GpuTimeline& gpu;
  const std::unordered_map<uint32_t, ModuleNames>& jit_names;  // by module
  int64_t pid = 0;                                             // PID of the program
  HostNs now = 0;
  bool runs = true;  // false: this is the last call
  bool may_fork = true;
  const ProcessUsers* users = nullptr;  // null: all processes are ours
};

struct WatcherWish {
  bool end = false;   // end the recording; a program that was started for it gets SIGINT
  bool kill = false;  // send SIGKILL to the program if it was started for this recording
  std::string dump;   // name of a profile to write, with everything recorded so far; "" = none
};

class Watcher {
 public:
  virtual ~Watcher() = default;

  virtual void Take(std::span<const SampleRow> rows) = 0;
  virtual void Take(const Profile& raw, const EventTable& rows) = 0;

  // Returns when the watcher next wants to be called. It wants to receive all rows up to that time
  // before that call of Look.
  virtual HostNs next() const = 0;
  // Fills `waiting` with up to two descriptors that the recorder polls together with its own; fd -1
  // = none. The recorder calls Look when one of them is ready.
  virtual void Poll(pollfd (&waiting)[2]) const = 0;
  virtual WatcherWish Look(const LiveState& state) = 0;
  // Reports the result of a dump: the name of the file, or an error.
  virtual void Dumped(const Result<std::string>& outcome) = 0;
};

}  // namespace gprofx::recorder
