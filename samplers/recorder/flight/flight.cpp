// Implements `record --last`. The live file keeps only the last minutes. At each trigger a forked
// copy of this process writes them as a profile, while the recording continues. The copy works on a
// snapshot of that moment (recording.h).
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "samplers/recorder/claim_profile.h"
#include "samplers/recorder/recording.h"

namespace gprofx::recorder {
namespace {

// Returns the resident memory of a process in bytes; 0 if it has ended.
int64_t ResidentBytes(int64_t pid) {
  const std::string path = "/proc/" + std::to_string(pid) + "/statm";
  const std::unique_ptr<FILE, int (*)(FILE*)> file(fopen(path.c_str(), "re"), &fclose);
  long long all = 0, resident = 0;
  if (file == nullptr || fscanf(file.get(), "%lld %lld", &all, &resident) != 2) return 0;
  return resident * sysconf(_SC_PAGESIZE);
}

Result<ProfileWriter> ClaimNumbered(const std::string& name) {
  constexpr int kMaxNumbers = 10'000;
  ClaimTrouble trouble = ClaimTrouble::kExists;
  for (int number = 1; number < kMaxNumbers; ++number) {
    auto out = ProfileWriter::Claim(NumberedName(name, number), Existing::kMustBeNew, trouble);
    if (out || trouble == ClaimTrouble::kRefused) return out;
  }
  return Error{ErrorId::kCannotWrite, "all numbered names of '" + name + "' are in use",
               "remove some of these profiles"};
}

}  // namespace

void Recording::KeepLast() {
  if (options_.last == 0) return;
  // Keep a little more than the window in the live file, because a window begins at a mark
  // (flight_window.h) before its nominal begin.
  const HostNs keep = options_.last + 2 * options_.last / FlightWindow::kParts + 2 * kNsPerSecond;
  writer_->KeepLast(keep, kMaxKeptBytes);
  program_.TakeUser2();
}

void Recording::TellNoSteps() {
  if (!triggers_.misses_steps()) return;
  listener_.Tell(event::NotWritten{
      {ErrorId::kNotRecorded, "option '--when step' has no effect: the program marks no steps",
       "mark them with gprof_x.step() or NVTX"}});
}

// Updates the window and the triggers. Called after a drain and before a commit.
void Recording::FollowFlight(HostNs now) {
  if (options_.last == 0) return;
  window_of_last_.Follow(now, profile_);
  int64_t rss = 0;
  if (triggers_.wants_memory()) {
    for (const int64_t pid : processes_.AlivePids()) rss += ResidentBytes(pid);
  }
  triggers_.Look(now, rss, program_.user2());
  if (triggers_.TakeFull()) {
    const std::string most = std::to_string(FlightTriggers::kMax);
    listener_.Tell(event::NotWritten{{ErrorId::kCannotWrite,
                                      "option '--when' has written " + most + " files, the maximum",
                                      "SIGUSR2 and the end of the program still write a file"}});
  }
  const bool can = !copy_.under_way() && !writer_->IsBusy() && MayFork();
  if (triggers_.wanted() && can) WriteLast(now);
}

void Recording::WriteLast(HostNs now) {
  writer_->EndThread();  // does not wait, because the thread is idle
  copied_for_ = *triggers_.wanted();
  triggers_.Written(now);
  const Status begun = BeginCopy(now, [&] { return ClaimNumbered(writer_->path()); });
  if (!begun) listener_.Tell(event::NotWritten{begun.error()});
}

// Reduces `out` and the profile to the last minutes. `why` is the trigger. Calls `ready` as soon as
// the live file is no longer needed.
Status Recording::CutWindow(ProfileWriter& out, const std::string& why,
                            const std::function<void()>& ready) {
  const HostNs end = program_end_;
  const HostNs begin = window_of_last_.Cut(end, writer_->complete_from(), profile_);
  auto& meta = profile_.meta;
  meta["flight_rule"] = why;
  meta["flight_begin_ns"] = std::to_string(begin);
  meta["flight_end_ns"] = std::to_string(end);
  meta["flight_last_ns"] = std::to_string(options_.last);
  profile_.quality["flight_triggers_not_written"] = triggers_.not_written();
  if (Status cut = out.TakeWindow(*writer_, profile_, begin, end, ready); !cut) return cut;
  profile_.quality.erase("paused_ns");  // its value is for the whole run
  // Count the samples that are left. The counter in the profile counts a sample when it is read
  // from a ring, slightly after it was taken.
  const MetricId samples = profile_.FindMetric("samples");
  int64_t& counted = profile_.quality["samples"] = 0;
  for (const Value& value : profile_.values) counted += value.metric == samples ? value.self : 0;
  int64_t& python = profile_.quality["python_samples"];
  python = std::min(python, counted);
  return Ok();
}

}  // namespace gprofx::recorder
