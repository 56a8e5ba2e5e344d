#include "samplers/collector/perf_events.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>
#include <utility>

#include "samplers/wire/layout.h"

namespace gprofx {

void PerfEvents::Receive() {
  while (ReceiveOne()) {
  }
}

bool PerfEvents::ReceiveOne() {
  union {
    wire::PerfEventMessage message;
    wire::JoinRequest join;
  } got{};
  iovec part{&got, sizeof got};
  sockaddr_un from{};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(ucred)) + CMSG_SPACE(4 * sizeof(int))];
  msghdr head{};
  head.msg_name = &from;
  head.msg_namelen = sizeof from;
  head.msg_iov = &part;
  head.msg_iovlen = 1;
  head.msg_control = control;
  head.msg_controllen = sizeof control;
  const ssize_t bytes = recvmsg(socket_, &head, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (bytes < 0) return false;

  UniqueFd event;
  ucred sender{};
  for (cmsghdr* c = CMSG_FIRSTHDR(&head); c != nullptr; c = CMSG_NXTHDR(&head, c)) {
    if (c->cmsg_level != SOL_SOCKET) continue;
    if (c->cmsg_type == SCM_RIGHTS) {
      const size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
      for (size_t i = 0; i < count; ++i) {  // more than one is not ours: the surplus is closed
        int fd = -1;
        std::memcpy(&fd, CMSG_DATA(c) + i * sizeof fd, sizeof fd);
        event.Reset(fd);
      }
    } else if (c->cmsg_type == SCM_CREDENTIALS) {
      std::memcpy(&sender, CMSG_DATA(c), sizeof sender);
    }
  }
  if (bytes == sizeof got.join) {
    if (join_.memory >= 0 && got.join.secret == join_.secret && sender.pid > 0)
      AnswerJoin(join_, socket_, from, head.msg_namelen, sender.pid);
    return true;
  }
  const wire::PerfEventMessage& message = got.message;
  const bool valid = bytes == sizeof message && message.token == token_ && event &&
                     message.region < wire::kMaxProcesses && message.thread < wire::kMaxThreads;
  if (valid && !ended_) {
    // A slot has one thread at a time: a newer generation ends the older one's event.
    const Key first{message.region, message.thread, 0};
    const Key last{message.region, message.thread, message.generation};
    events_.erase(events_.lower_bound(first), events_.upper_bound(last));
    if (paused_) ioctl(event.get(), PERF_EVENT_IOC_DISABLE, 0);
    // It may have been opened before the period changed.
    if (period_ns_ != 0) ioctl(event.get(), PERF_EVENT_IOC_PERIOD, &period_ns_);
    events_[last] = std::move(event);
  }
  return true;
}

void PerfEvents::SetPeriods(uint64_t period_ns) {
  period_ns_ = period_ns;
  for (const auto& [thread, event] : events_) ioctl(event.get(), PERF_EVENT_IOC_PERIOD, &period_ns);
}

void PerfEvents::VaryPeriods(uint64_t period_ns, HostNs now) {
  // The kernel begins a new period at each change: what had passed of the old one is never sampled.
  constexpr HostNs kPeriods = 30;
  if (now < next_change_) return;
  next_change_ = now + kPeriods * static_cast<HostNs>(period_ns);
  constexpr int kAtOnce = 16;  // each call interrupts the thread if it runs
  std::uniform_real_distribution<double> factor(0.85, 1.15);
  for (int i = 0; i < kAtOnce && static_cast<size_t>(i) < events_.size(); ++i) {
    auto next = events_.upper_bound(varied_);
    if (next == events_.end()) next = events_.begin();
    varied_ = next->first;
    uint64_t period = static_cast<uint64_t>(static_cast<double>(period_ns) * factor(random_));
    ioctl(next->second.get(), PERF_EVENT_IOC_PERIOD, &period);
  }
}

void PerfEvents::Pause(bool paused) {
  paused_ = paused;
  for (const auto& [thread, event] : events_) {
    ioctl(event.get(), paused ? PERF_EVENT_IOC_DISABLE : PERF_EVENT_IOC_ENABLE, 0);
  }
}

void PerfEvents::End() {
  events_.clear();
  ended_ = true;
}

void PerfEvents::CloseThread(uint32_t region, uint32_t slot, uint32_t generation) {
  events_.erase(Key{region, slot, generation});
}

void PerfEvents::CloseRegion(uint32_t region) {
  events_.erase(events_.lower_bound(Key{region, 0, 0}), events_.lower_bound(Key{region + 1, 0, 0}));
}

}  // namespace gprofx
