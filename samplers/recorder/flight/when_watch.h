// Checks whether the rules of --when hold. The recording passes in the data.
//
// A rule on steps fires for each step that is too long. It needs kMinSteps earlier steps, and the
// first kWarmUp steps of each thread do not count. Any other rule fires when it starts to hold; it
// fires again only after it has stopped holding. Memory: the durations of kMaxSteps steps for each
// of kMaxTrains pairs of thread and kind of step. Pure. One thread.
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

  // Adds a step that has ended: it is of `kind` and took `ns`.
  void AddStep(uint32_t thread, const std::string& kind, HostNs ns);
  // Adds GPU work of any kind. The first columns of the rows are start and duration.
  void AddWork(const EventTable& rows);
  // Checks the rules that are not about steps. `rss` is the memory of all processes in bytes at the
  // time `now`.
  void Look(HostNs now, int64_t rss);
  bool wants(WhenWhat what) const;

  // Returns the text of the first rule that has fired since the last call. Returns none if no rule
  // has.
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
  // End of each interval in which a GPU worked, by its begin; the intervals are disjoint.
  std::map<HostNs, HostNs> busy_;
};

}  // namespace gprofx::recorder
