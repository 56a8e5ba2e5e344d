// Whoever looks at a recording while it goes on, instead of a file that is written: gprof-x top.
//
// A watcher is given all rows once, as a file would be, and forgets what it does not need: nothing
// of them is kept here. It is asked what it wants whenever something happened, so Look() is short
// where nothing is to be done. All calls come from the recording loop's thread. A watcher may fork
// where LiveState::may_fork says that the process has no other thread. Times are HostNs. A watcher
// may throw; then the recording breaks off.
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
  bool runs = true;  // false: this is the last look
  bool may_fork = true;
  const ProcessUsers* users = nullptr;  // null: all processes are ours
};

struct WatcherWish {
  bool end = false;   // of the recording; a program that was started for it gets SIGINT
  bool kill = false;  // SIGKILL, if it was started for this
  std::string dump;   // write what was recorded so far as a profile of this name; "" = do not
};

class Watcher {
 public:
  virtual ~Watcher() = default;

  virtual void Take(std::span<const SampleRow> rows) = 0;
  virtual void Take(const Profile& raw, const EventTable& rows) = 0;

  // When it wants all rows up to then, and a Look.
  virtual HostNs next() const = 0;
  // What else it waits for; a descriptor of -1 is none. Look comes when one is ready.
  virtual void Poll(pollfd (&waiting)[2]) const = 0;
  virtual WatcherWish Look(const LiveState& state) = 0;
  // How a dump ended: the name of the file.
  virtual void Dumped(const Result<std::string>& outcome) = 0;
};

}  // namespace gprofx::recorder
