// Looks whether a rule of --when holds, from what a recording hands over.
//
// A rule on steps fires for each step that is too long; it needs kMinSteps before it, and the first
// kWarmUp of each thread do not count. The others fire when they begin to hold, and again only
// after they did not. Memory: kMaxSteps for each of kMaxTrains kinds of steps. Pure; one thread.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/events/events.h"
#include "samplers/recorder/flight/when_rule.h"

namespace gprofx::recorder {

class WhenWatch {
 public:
  static constexpr size_t kMinSteps = 20, kWarmUp = 3, kMaxSteps = 4096, kMaxTrains = 64;
  static constexpr HostNs kIdleOver = 10'000'000'000;

  explicit WhenWatch(std::vector<WhenRule> rules)
      : rules_(std::move(rules)), holds_(rules_.size()) {}

  // A step of this kind has ended.
  void AddStep(uint32_t thread, const std::string& kind, HostNs ns);
  // Work of a GPU, of any kind: rows that begin with start and duration.
  void AddWork(const EventTable& rows);
  // Bytes of all processes, at the time `now`.
  void Look(HostNs now, int64_t rss);
  bool wants(WhenWhat what) const;

  // The rule that has fired since the last call, the first of several.
  std::optional<std::string> Take() { return std::exchange(fired_, std::nullopt); }

 private:
  struct Train {
    size_t seen = 0;
    std::deque<HostNs> steps;
  };
  void Fire(const WhenRule& rule) {
    if (!fired_) fired_ = rule.text;
  }
  double IdleShare(HostNs now);

  const std::vector<WhenRule> rules_;
  std::vector<bool> holds_;
  std::optional<std::string> fired_;
  std::map<std::pair<uint32_t, std::string>, Train> trains_;
  std::map<HostNs, HostNs> busy_;  // apart from each other: begin -> end
};

}  // namespace gprofx::recorder
