// Implements the parts of a recording that has a watcher. Passes the rows to the watcher. When the
// watcher asks for a profile, a forked copy of this process writes it.
#include <utility>

#include "samplers/recorder/claim_profile.h"
#include "samplers/recorder/recording.h"

namespace gprofx::recorder {

void Recording::HandToWatcher() {
  watcher_->Take(rows_);
  rows_.clear();
  parts_.gpu.AdvanceWall(session_.Now());
  parts_.gpu.TakeEvents([this](const EventTable& rows) { watcher_->Take(profile_, rows); });
  parts_.gpu.TakePcRows();
  watcher_->Take(profile_, parts_.markers.TakeRows());
  thread_waits_.TakeRows();
}

void Recording::Watch(HostNs now) {
  const LiveState state{profile_, parts_.gpu, processes_.jit_names(), program_.pid(), now,
                        true,     MayFork(),  &processes_.users()};
  const WatcherWish wish = watcher_->Look(state);
  if (!wish.dump.empty()) Dump(wish.dump);
  if (wish.end || wish.kill) program_.End(wish.kill);
  next_commit_ = watcher_->next();
}

void Recording::LookLast() {
  Poll();
  HandToWatcher();
  copy_.WaitForEnd();
  TakeCopy();
  const LiveState state{profile_,       parts_.gpu,     processes_.jit_names(),
                        program_.pid(), session_.Now(), false};
  watcher_->Look(state);
}

void Recording::Dump(const std::string& path) {
  if (copy_.under_way())
    return watcher_->Dumped(Error{ErrorId::kOutputReplaced,
                                  "the previous profile is still being written", "try again"});
  if (!MayFork())
    return watcher_->Dumped(
        Error{ErrorId::kBusyProcess, "gprof-x is still attaching to child processes", "try again"});
  const Status begun = BeginCopy(session_.Now(), [&] {
    return ClaimProfile({path, options_.named, options_.force});
  });
  if (!begun) watcher_->Dumped(begun.error());
}

}  // namespace gprofx::recorder
