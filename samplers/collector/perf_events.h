// Keeps the perf events that threads of the target opened on themselves and handed over: the event
// counts for as long as somebody holds its descriptor, and no descriptor of ours shall stay in the
// target.
//
// Messages come over the session's datagram socket; one with a wrong token, which only processes
// know that mapped the memory, or without a descriptor is ignored. Processes that ask for the
// memory are answered here too (join.h). One thread.
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <tuple>

#include "core/base/unique_fd.h"
#include "core/ids.h"
#include "samplers/collector/join.h"

namespace gprofx {

class PerfEvents {
 public:
  PerfEvents(int socket, uint64_t token) : socket_(socket), token_(token) {}

  void AnswerJoins(const JoinAnswer& answer) { join_ = answer; }
  void Receive();  // takes all waiting messages
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
  void CloseThread(uint32_t region, uint32_t slot, uint32_t generation);
  void CloseRegion(uint32_t region);
  size_t size() const { return events_.size(); }

 private:
  using Key = std::tuple<uint32_t, uint32_t, uint32_t>;  // region, slot, generation

  bool ReceiveOne();

  int socket_;
  uint64_t token_;
  JoinAnswer join_;
  bool paused_ = false, ended_ = false;
  uint64_t period_ns_ = 0;  // 0: as they come
  std::map<Key, UniqueFd> events_;
  HostNs next_change_ = 0;
  Key varied_{};  // the latest one that VaryPeriods came to
  std::minstd_rand random_{std::random_device{}()};
};

}  // namespace gprofx
