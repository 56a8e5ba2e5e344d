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

// Random sampling rates, as multiples of the requested one. The mean of each pair is exactly 1.
class RatePairs {
 public:
  double Next(std::minstd_rand& random);

 private:
  double first_ = 0;  // first of a pair; 0 = the pair is complete
};

class PerfEvents {
 public:
  static constexpr int kMaxMessages = 1024;  // per Receive
  static constexpr int kMaxStrange = 64;     // descriptors per user that are not perf events
  static constexpr int kMaxClosing = 512;

  explicit PerfEvents(Session& session);

  void Receive();  // handles waiting messages
  // Assigns the region to the process `pid`. Events that other processes sent for it are closed.
  void SetOwner(uint32_t region, int64_t pid);
  // Sets the period of all events, including those that arrive later.
  void SetPeriods(uint64_t period_ns);
  // Gives some events (in turn) a random rate within 15 % of one sample per `period_ns`. With a
  // fixed period, a program whose own cycle is a multiple of the period would always be sampled at
  // the same places: in a loop of 4 ms, the share of a function was measured as 21 % instead of 17
  // %. Weights rely on `period_ns`, so after each rate comes the one that makes up for it: rates
  // whose errors only average out gave a function of 0.8 s up to 4 % of others' time. May be called
  // often; acts only every 30 periods.
  void VaryPeriods(uint64_t period_ns, HostNs now);
  // Disables all events, including those that arrive meanwhile, or enables them again.
  void Pause(bool paused);
  void End();  // closes all events, and from now on those that arrive
  // Returns false if there was none.
  bool CloseThread(uint32_t region, uint32_t slot, uint32_t generation);
  void CloseRegion(uint32_t region);
  size_t size() const { return events_.size(); }
  // Number of messages that no honest process of the recording sends.
  int64_t refused() const { return refused_; }
  // After receiving has stopped, returns true once.
  bool TakeStopped() { return std::exchange(stopped_, false); }

 private:
  using Key = std::tuple<uint32_t, uint32_t, uint32_t>;  // region, slot, generation
  struct Event {
    UniqueFd descriptor;
    int64_t sender = 0;  // its pid as we see it; 0 = outside our PID namespace
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
  size_t of_others_ = 0;                // events of other users' processes
  int64_t refused_ = 0;
  std::map<uid_t, int> strange_;  // descriptors that are no perf events, by sender
  HostNs next_change_ = 0;
  Key varied_{};  // the event that VaryPeriods changed last
  std::minstd_rand random_{std::random_device{}()};
};

}  // namespace gprofx
