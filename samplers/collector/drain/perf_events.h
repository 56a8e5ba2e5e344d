// Keeps the perf events that threads of the target opened on themselves and handed over to the
// collector. An event counts only as long as somebody holds its descriptor, and no descriptor of
// ours may stay in the target.
//
// Messages arrive on the session's socket, whose filter drops those that do not begin with the
// session's secret. Processes of the recording know the secret, and one of them may be hostile.
// Therefore:
//   - The number of messages per call and the number of events kept are limited.
//   - Only perf events are kept, and only those sent by the process that owns the region.
//   - Other descriptors are closed by separate threads, because close may block (SO_LINGER, FUSE).
//   - After a user has sent kMaxStrange such descriptors, no more events are accepted from that
//     user.
//   - When kMaxClosing descriptors hang while they are being closed, nothing is received any more.
// The socket also carries requests of processes for their shared memory (join.h), which are
// answered here. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

#include "core/base/unique_fd.h"
#include "core/model/ids.h"
#include "samplers/collector/session.h"

namespace gprofx {

// Makes random sampling rates, as multiples of the requested one. The two rates of each pair have a
// mean of exactly 1.
class RatePairs {
 public:
  double Next(std::minstd_rand& random);

 private:
  double first_ = 0;  // first rate of a pair; 0 = the next rate begins a pair
};

class PerfEvents {
 public:
  static constexpr int kMaxMessages = 1024;  // max messages per call of Receive
  static constexpr int kMaxStrange = 64;     // max descriptors per user that are not perf events
  static constexpr int kMaxClosing = 512;

  explicit PerfEvents(Session& session);

  void Receive();  // handles all messages that have arrived
  // Assigns the region to the process `pid`. Closes events that other processes sent for it.
  void SetOwner(uint32_t region, int64_t pid);
  // Sets the sampling period of all events, including those that arrive later.
  void SetPeriods(uint64_t period_ns);
  // Gives some events (in turn) a random rate within 15 % of one sample per `period_ns`.
  //
  // With a fixed period, a program whose own cycle is a multiple of the period would always be
  // sampled at the same places. In a loop of 4 ms, the share of a function was measured as 21 %
  // instead of 17 %. Weights rely on `period_ns`, so the second rate of each pair makes up for the
  // first. Rates whose errors only average out gave a function of 0.8 s up to 4 % of others' time.
  //
  // May be called often; acts only every 30 periods.
  void VaryPeriods(uint64_t period_ns, HostNs now);
  // Disables all events, including those that arrive during the pause, or enables them again.
  void Pause(bool paused);
  void End();  // closes all events, also those that arrive later
  // Closes the perf event of a thread. Returns false if there was none.
  bool CloseThread(uint32_t region, uint32_t slot, uint32_t generation);
  void CloseRegion(uint32_t region);
  size_t size() const { return events_.size(); }
  // Returns the number of messages that were refused because only a hostile process sends them.
  int64_t refused() const { return refused_; }
  // Returns true once after receiving has stopped (kMaxClosing).
  bool TakeStopped() { return std::exchange(stopped_, false); }

 private:
  using Key = std::tuple<uint32_t, uint32_t, uint32_t>;  // region, slot, generation
  struct Event {
    UniqueFd descriptor;
    int64_t sender = 0;  // PID of the sender as we see it; 0 = outside our PID namespace
    RatePairs rates;
  };
  struct Message;

  bool ReceiveOne();
  void Answer(const Message& message);
  void Take(Message& message);
  void Refuse(UniqueFd descriptor, uid_t sender);
  bool HasRoom(uint32_t region) const;

  Session& session_;
  const size_t most_;  // maximum number of events
  bool paused_ = false, ended_ = false, stopped_ = false;
  uint64_t period_ns_ = 0;  // 0: not changed
  std::map<Key, Event> events_;
  std::map<uint32_t, int64_t> owners_;  // PIDs, by region
  size_t of_others_ = 0;                // number of events of other users' processes
  int64_t refused_ = 0;
  std::map<uid_t, int> strange_;  // number of descriptors that are no perf events, by sender
  HostNs next_change_ = 0;
  Key varied_{};  // event that VaryPeriods changed last
  std::minstd_rand random_{std::random_device{}()};
};

}  // namespace gprofx
