// When `record --last` writes a file: on SIGUSR2, and on the rules of --when.
//
// A rule that fires within kApart of the last file writes none, and rules write no more than kMax
// in all: what goes wrong with every step must not fill a disk. SIGUSR2 always does. Memory: as
// WhenWatch. One thread.
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
  // Is there a rule on steps, and was there none?
  bool misses_steps() const { return watch_.wants(WhenWhat::kStep) && !saw_steps_; }
  // Rows that a recording hands over: of markers; of work of a GPU, others do not count.
  void AddMarkers(const Profile& profile, const EventTable& rows);
  void AddWork(const EventTable& rows);
  // `rss`: bytes of all processes, where that is wanted; `signals`: how often SIGUSR2 came.
  void Look(HostNs now, int64_t rss, int signals);

  // Why a file is to be written now. Until Written() it stays so.
  const std::optional<std::string>& wanted() const { return wanted_; }
  // The answer to `wanted`, of which nothing is left then.
  void Written(HostNs now);
  // True once: rules write no more files.
  bool TakeFull();
  int64_t not_written() const { return not_written_; }  // rules that fired for nothing

 private:
  WhenWatch watch_;
  std::optional<std::string> wanted_;
  std::optional<HostNs> last_;
  int by_rules_ = 0, signals_ = 0;
  bool said_full_ = false, saw_steps_ = false;
  int64_t not_written_ = 0;
};

}  // namespace gprofx::recorder
