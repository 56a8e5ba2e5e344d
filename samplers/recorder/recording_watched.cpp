// A recording that somebody watches: rows go to the watcher, and profiles are written where it wants
// them, by a copy of this process.
#include <utility>

#include "samplers/recorder/claim_profile.h"
#include "samplers/recorder/recording.h"

namespace gprofx {

void Recording::HandToWatcher() {
  watcher_->Take(rows_);
  rows_.clear();
  parts_.gpu.AdvanceWall(session_.Now());
  parts_.gpu.TakeEvents([this](const EventTable& rows) { watcher_->Take(profile_, rows); });
  parts_.gpu.TakePcRows();
  watcher_->Take(profile_, parts_.markers.TakeRows());
  thread_waits_.TakeRows();
}

// A copy of a process with a second thread might hold that one's locks for good.
bool Recording::MayFork() const { return attachment_ == nullptr || !attachment_->is_entering(); }

void Recording::Watch(HostNs now) {
  TakeDump();
  const LiveState state{profile_, parts_.gpu, processes_.jit_names(), program_.pid(), now, true, MayFork()};
  const WatcherWish wish = watcher_->Look(state);
  if (!wish.dump.empty()) Dump(wish.dump);
  if (wish.end || wish.kill) program_.End(wish.kill);
  next_commit_ = watcher_->next();
}

void Recording::LookLast() {
  Poll();
  HandToWatcher();
  copy_.WaitForEnd();
  TakeDump();
  const LiveState state{profile_, parts_.gpu,      processes_.jit_names(),
                        program_.pid(), session_.Now(), false};
  watcher_->Look(state);
}

void Recording::Dump(const std::string& path) {
  if (copy_.under_way()) return watcher_->Dumped(Error{"the last profile is still written", ""});
  if (!MayFork()) return watcher_->Dumped(Error{"child processes are being entered", "try again"});
  const Status begun = copy_.Begin([&] { return WriteDump(path); });
  if (!begun) watcher_->Dumped(begun.error());
}

// In the copy, whose profile nobody else needs. The first byte tells success.
std::string Recording::WriteDump(const std::string& path) {
  const HostNs end = session_.Now();
  auto writer = ClaimProfile({path, options_.named, options_.force});
  if (!writer) return "-" + writer.error().Text();
  if (const Status begun = writer->Begin(); !begun) return "-" + begun.error().Text();
  program_end_ = end;
  Describe();
  DescribeRun(Facts(), profile_);
  gpu_.DescribeEnd(end);
  if (const Status written = WriteFinal(*writer); !written) return "-" + written.error().Text();
  return "+" + writer->path();
}

void Recording::TakeDump() {
  const auto answer = copy_.Take();
  if (!answer) return;
  if (!*answer) return watcher_->Dumped(answer->error());
  const std::string& text = **answer;
  if (text.starts_with("+")) return watcher_->Dumped(text.substr(1));
  watcher_->Dumped(Error{text.empty() ? "no profile was written" : text.substr(1), ""});
}

}  // namespace gprofx
