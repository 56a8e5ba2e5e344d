#include "samplers/collector/drain/perf_events.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string_view>
#include <utility>

#include "core/base/start_thread.h"
#include "samplers/collector/join.h"
#include "samplers/wire/layout.h"

namespace gprofx {
namespace {

// Maximum number of descriptors per message, as in the kernel (SCM_MAX_FD). With a smaller buffer,
// the kernel would close the rest during our own call, which may block.
constexpr size_t kMaxDescriptors = 253;
constexpr size_t kDescriptorsForUs = 256;  // descriptors that are left for other uses

size_t MostEvents() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return kDescriptorsForUs;
  const auto all = static_cast<size_t>(std::min<rlim_t>(limit.rlim_cur, 1u << 20));
  return all > 2 * kDescriptorsForUs ? all - kDescriptorsForUs : all / 2;
}

bool IsPerfEvent(int descriptor) {
  const std::string path = "/proc/self/fd/" + std::to_string(descriptor);
  char kind[64];
  const ssize_t length = readlink(path.c_str(), kind, sizeof kind);
  return length > 0 &&
         std::string_view(kind, static_cast<size_t>(length)) == "anon_inode:[perf_event]";
}

std::atomic<int> g_closing{0};  // descriptors that other threads are closing, which may block

void CloseElsewhere(UniqueFd descriptor) {
  g_closing.fetch_add(1);
  const int number = descriptor.Release();
  const auto closing = [number] {
    close(number);
    g_closing.fetch_sub(1);
  };
  if (!StartDetached(closing)) closing();
}

}  // namespace

struct PerfEvents::Message {
  union {
    wire::PerfEventMessage event;
    wire::JoinRequest join;
  } content{};
  size_t bytes = 0;
  sockaddr_un from{};
  socklen_t from_bytes = 0;
  ucred sender{};
  std::vector<UniqueFd> descriptors;
};

namespace {

template <class Message>
void TakeExtras(msghdr& head, Message& message) {
  for (cmsghdr* c = CMSG_FIRSTHDR(&head); c != nullptr; c = CMSG_NXTHDR(&head, c)) {
    if (c->cmsg_level != SOL_SOCKET) continue;
    if (c->cmsg_type == SCM_RIGHTS) {
      const size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
      for (size_t i = 0; i < count; ++i) {
        int fd = -1;
        std::memcpy(&fd, CMSG_DATA(c) + i * sizeof fd, sizeof fd);
        message.descriptors.emplace_back(fd);
      }
    } else if (c->cmsg_type == SCM_CREDENTIALS) {
      std::memcpy(&message.sender, CMSG_DATA(c), sizeof message.sender);
    }
  }
}

}  // namespace

PerfEvents::PerfEvents(Session& session) : session_(session), most_(MostEvents()) {}

void PerfEvents::Receive() {
  for (int i = 0; i < kMaxMessages && ReceiveOne(); ++i) {
  }
}

bool PerfEvents::ReceiveOne() {
  if (session_.socket() < 0) return false;
  Message message;
  iovec part{&message.content, sizeof message.content};
  alignas(
      cmsghdr) char control[CMSG_SPACE(sizeof(ucred)) + CMSG_SPACE(kMaxDescriptors * sizeof(int))];
  msghdr head{};
  head.msg_name = &message.from;
  head.msg_namelen = sizeof message.from;
  head.msg_iov = &part;
  head.msg_iovlen = 1;
  head.msg_control = control;
  head.msg_controllen = sizeof control;
  const ssize_t bytes = recvmsg(session_.socket(), &head, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (bytes < 0) return false;
  message.bytes = static_cast<size_t>(bytes);
  message.from_bytes = head.msg_namelen;
  TakeExtras(head, message);
  if (message.bytes == sizeof(wire::JoinRequest) && message.descriptors.empty()) {
    Answer(message);
  } else {
    Take(message);
  }
  return true;
}

void PerfEvents::Answer(const Message& message) {
  if (message.content.join.secret != session_.secret() || message.sender.pid <= 0) return;
  const int memory = session_.MemoryFor(message.sender.uid);
  if (memory < 0) return;
  if (!AnswerJoin({memory, session_.secret()}, message.from, message.from_bytes,
                  message.sender.pid)) {
    ++refused_;
  }
}

void PerfEvents::Refuse(UniqueFd descriptor, uid_t sender) {
  ++refused_;
  if (!descriptor || IsPerfEvent(descriptor.get())) return;
  CloseElsewhere(std::move(descriptor));
  ++strange_[sender];
  if (g_closing.load() < kMaxClosing || session_.socket() < 0) return;
  session_.CloseSocket();
  stopped_ = true;
}

bool PerfEvents::HasRoom(uint32_t region) const {
  if (events_.size() >= most_) return false;
  return region < wire::kMaxProcesses || of_others_ < most_ / 2;
}

void PerfEvents::Take(Message& message) {
  const wire::PerfEventMessage& event = message.content.event;
  const auto user = message.bytes == sizeof event && event.secret == session_.secret()
                        ? session_.UserWithToken(event.token)
                        : std::nullopt;
  const auto strange = strange_.find(message.sender.uid);
  const bool is_trusted = strange == strange_.end() || strange->second < kMaxStrange;
  const bool valid = user && is_trusted && message.descriptors.size() == 1 &&
                     event.region < wire::kMaxProcesses && event.thread < wire::kMaxThreads &&
                     IsPerfEvent(message.descriptors[0].get());
  const uint32_t region = valid ? Session::RegionOf(*user, event.region) : 0;
  const auto owner = owners_.find(region);
  const bool is_own =
      owner == owners_.end() || message.sender.pid == 0 || owner->second == message.sender.pid;
  if (!valid || !is_own) {
    for (UniqueFd& descriptor : message.descriptors) {
      Refuse(std::move(descriptor), message.sender.uid);
    }
    if (message.descriptors.empty()) ++refused_;
    return;
  }
  if (ended_ || !HasRoom(region)) return;
  // Close the events of older generations of this slot. A slot has one thread at a time.
  const Key first{region, event.thread, 0}, last{region, event.thread, event.generation};
  for (auto at = events_.lower_bound(first); at != events_.upper_bound(last);) {
    of_others_ -= region >= wire::kMaxProcesses ? 1 : 0;
    at = events_.erase(at);
  }
  UniqueFd& descriptor = message.descriptors[0];
  if (paused_) ioctl(descriptor.get(), PERF_EVENT_IOC_DISABLE, 0);
  // Set the period, because it may have changed since the event was opened.
  if (period_ns_ != 0) ioctl(descriptor.get(), PERF_EVENT_IOC_PERIOD, &period_ns_);
  of_others_ += region >= wire::kMaxProcesses ? 1 : 0;
  events_[last] = {std::move(descriptor), message.sender.pid, {}};
}

void PerfEvents::SetOwner(uint32_t region, int64_t pid) {
  owners_[region] = pid;
  const auto end = events_.lower_bound(Key{region + 1, 0, 0});
  for (auto at = events_.lower_bound(Key{region, 0, 0}); at != end;) {
    const int64_t sender = at->second.sender;
    if (sender == 0 || sender == pid) {
      ++at;
      continue;
    }
    ++refused_;
    of_others_ -= region >= wire::kMaxProcesses ? 1 : 0;
    at = events_.erase(at);
  }
}

void PerfEvents::SetPeriods(uint64_t period_ns) {
  period_ns_ = period_ns;
  for (const auto& [thread, event] : events_) {
    ioctl(event.descriptor.get(), PERF_EVENT_IOC_PERIOD, &period_ns);
  }
}

double RatePairs::Next(std::minstd_rand& random) {
  if (first_ != 0) return 2 - std::exchange(first_, 0);
  first_ = std::uniform_real_distribution<double>(0.85, 1.15)(random);
  return first_;
}

void PerfEvents::VaryPeriods(uint64_t period_ns, HostNs now) {
  // At each change the kernel starts a new period, and the elapsed part of the old one is never
  // sampled. Change periods rarely.
  constexpr HostNs kPeriods = 30;
  if (now < next_change_) return;
  next_change_ = now + kPeriods * static_cast<HostNs>(period_ns);
  constexpr int kAtOnce = 16;  // the call interrupts the thread if it is running
  for (int i = 0; i < kAtOnce && static_cast<size_t>(i) < events_.size(); ++i) {
    auto next = events_.upper_bound(varied_);
    if (next == events_.end()) next = events_.begin();
    varied_ = next->first;
    const double rate = next->second.rates.Next(random_);
    auto period = static_cast<uint64_t>(static_cast<double>(period_ns) / rate);
    ioctl(next->second.descriptor.get(), PERF_EVENT_IOC_PERIOD, &period);
  }
}

void PerfEvents::Pause(bool paused) {
  paused_ = paused;
  for (const auto& [thread, event] : events_) {
    ioctl(event.descriptor.get(), paused ? PERF_EVENT_IOC_DISABLE : PERF_EVENT_IOC_ENABLE, 0);
  }
}

void PerfEvents::End() {
  events_.clear();
  of_others_ = 0;
  ended_ = true;
}

bool PerfEvents::CloseThread(uint32_t region, uint32_t slot, uint32_t generation) {
  const size_t closed = events_.erase(Key{region, slot, generation});
  if (region >= wire::kMaxProcesses) of_others_ -= closed;
  return closed != 0;
}

void PerfEvents::CloseRegion(uint32_t region) {
  const auto first = events_.lower_bound(Key{region, 0, 0});
  const auto last = events_.lower_bound(Key{region + 1, 0, 0});
  if (region >= wire::kMaxProcesses) {
    of_others_ -= static_cast<size_t>(std::distance(first, last));
  }
  events_.erase(first, last);
  owners_.erase(region);
}

}  // namespace gprofx
