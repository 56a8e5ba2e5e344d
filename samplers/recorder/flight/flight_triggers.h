// Decides when `record --last` writes a file: on SIGUSR2, and when a rule of --when fires.
//
// A rule that fires in every step must not fill the disk. So a rule that fires within kApart of the
// last file writes none, and rules write at most kMax files in total. SIGUSR2 always writes a file.
// Uses as much memory as WhenWatch. One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/events/events.h"
#include "core/model/profile.h"
#include "samplers/recorder/flight/when_rule.h"
#include "samplers/recorder/flight/when_watch.h"

namespace gprofx::recorder {

class FlightTriggers {
 public:
  static constexpr int kMax = 20;
  static constexpr HostNs kApart = 30'000'000'000;

  explicit FlightTriggers(std::vector<WhenRule> rules) : watch_(std::move(rules)) {}

  bool wants_memory() const { return watch_.wants(WhenWhat::kRss); }
  // True if there is a rule on steps but the program has not named any step so far.
  bool misses_steps() const { return watch_.wants(WhenWhat::kStep) && !saw_steps_; }
  // AddMarkers takes rows of markers. AddWork takes rows of GPU work and ignores other streams.
  void AddMarkers(const Profile& profile, const EventTable& rows);
  void AddWork(const EventTable& rows);
  // Checks the triggers. `rss` is the memory of all processes in bytes; it is needed only if
  // wants_memory(). `signals` is the number of SIGUSR2 received so far.
  void Look(HostNs now, int64_t rss, int signals);

  // Returns why a file must be written now: the text of the rule, or SIGUSR2. Unset if no file is
  // due. Stays set until Written() is called.
  const std::optional<std::string>& wanted() const { return wanted_; }
  // Called when a file was written. Clears wanted().
  void Written(HostNs now);
  // Returns true once, when the rules have reached their maximum number of files.
  bool TakeFull();
  // Number of times that a rule fired without a file.
  int64_t not_written() const { return not_written_; }

 private:
  WhenWatch watch_;
  std::optional<std::string> wanted_;
  std::optional<HostNs> last_;
  int by_rules_ = 0, signals_ = 0;
  bool said_full_ = false, saw_steps_ = false;
  int64_t not_written_ = 0;
};

}  // namespace gprofx::recorder
