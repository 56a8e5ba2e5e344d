// Keeps the perf events that threads of the target opened on themselves and handed over: the event
// counts for as long as somebody holds its descriptor, and no descriptor of ours shall stay in the
// target.
//
// Messages come over the session's socket, whose filter drops what does not begin with its secret.
// Processes of the recording know that, and one of them may be hostile: what is taken at a time and
// kept in all is bounded, only perf events are kept, and only those that the process of the region
// sent itself. Other descriptors are closed by threads of their own, since closing may block
// (SO_LINGER, FUSE). From a user who sent kMaxStrange of them no event is taken any more; when
// kMaxClosing of them do not close, nothing is received any more. Processes that ask for their
// memory are answered here, too (join.h). One thread.
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

class PerfEvents {
 public:
  static constexpr int kMaxMessages = 1024;  // in one Receive
  static constexpr int kMaxStrange = 64;     // descriptors of a user that are no perf events
  static constexpr int kMaxClosing = 512;

  explicit PerfEvents(Session& session);

  void Receive();  // takes waiting messages
  // The region belongs to this process: events that others sent for it are closed.
  void SetOwner(uint32_t region, int64_t pid);
  // Of all events, those that come later, too.
  void SetPeriods(uint64_t period_ns);
  // Gives some events (in turn) a random period within 15 % of `period_ns`, the average that the
  // weights rely on. A program whose own cycle is a multiple of a fixed period would be sampled at
  // the same places of it for ever: 17 % became 21 % in one loop of 4 ms. Called often, it does so
  // every 30 periods.
  void VaryPeriods(uint64_t period_ns, HostNs now);
  // Ends all events for a while, those that come meanwhile too, and lets them go on.
  void Pause(bool paused);
  void End();  // for good; what comes later is closed
  bool CloseThread(uint32_t region, uint32_t slot, uint32_t generation);  // false: there was none
  void CloseRegion(uint32_t region);
  size_t size() const { return events_.size(); }
  // Messages that a process of the recording should not have sent.
  int64_t refused() const { return refused_; }
  // Once: nothing is received any more.
  bool TakeStopped() { return std::exchange(stopped_, false); }

 private:
  using Key = std::tuple<uint32_t, uint32_t, uint32_t>;  // region, slot, generation
  struct Event {
    UniqueFd descriptor;
    int64_t sender = 0;  // its pid as we see it; 0 = outside of our PID namespace
  };
  struct Message;

  bool ReceiveOne();
  void Answer(const Message& message);
  void Take(Message& message);
  void Refuse(UniqueFd descriptor, uid_t sender);
  bool HasRoom(uint32_t region) const;

  Session& session_;
  const size_t most_;  // events
  bool paused_ = false, ended_ = false, stopped_ = false;
  uint64_t period_ns_ = 0;  // 0: as they come
  std::map<Key, Event> events_;
  std::map<uint32_t, int64_t> owners_;  // by region
  size_t of_others_ = 0;                // events of other users' processes
  int64_t refused_ = 0;
  std::map<uid_t, int> strange_;  // by sender
  HostNs next_change_ = 0;
  Key varied_{};  // the latest one that VaryPeriods came to
  std::minstd_rand random_{std::random_device{}()};
};

}  // namespace gprofx
