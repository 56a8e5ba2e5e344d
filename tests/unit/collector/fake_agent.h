// An agent that is played by a forked child, for tests of the collector's side of a session: it
// finds the memory by the session variable, takes a region and writes records, as
// samplers/wire/layout.h says. What it may send that no agent does is up to the test.
#pragma once

#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/unique_fd.h"
#include "samplers/collector/session.h"
#include "tests/unit/collector/fake_region.h"

namespace gprofx::test {

// PATH, SOCKET and SECRET of a session variable.
inline std::vector<std::string> PartsOf(const std::string& variable) {
  std::vector<std::string> parts(1);
  for (const char c : variable) {
    if (c == '@') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  if (parts.size() != 4) std::abort();
  return parts;
}

struct Address {
  explicit Address(const std::string& name)
      : bytes(static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size())) {
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path + 1, name.data(), name.size());
  }
  sockaddr_un address{};
  socklen_t bytes;
};

inline int OpenPerfEvent() {
  perf_event_attr attr{};
  attr.size = sizeof attr;
  attr.type = PERF_TYPE_SOFTWARE;
  attr.config = PERF_COUNT_SW_TASK_CLOCK;
  attr.exclude_kernel = attr.exclude_hv = 1;
  return static_cast<int>(syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

// Sends a message with descriptors; false: the system call failed.
template <class Message>
bool SendWith(const std::string& name, const Message& message,
              const std::vector<int>& descriptors) {
  const UniqueFd socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0));
  const Address to(name);
  Message copy = message;
  iovec part{&copy, sizeof copy};
  std::vector<char> data(CMSG_SPACE(descriptors.size() * sizeof(int)));
  msghdr head{};
  head.msg_name = const_cast<sockaddr_un*>(&to.address);
  head.msg_namelen = to.bytes;
  head.msg_iov = &part;
  head.msg_iovlen = 1;
  if (!descriptors.empty()) {
    head.msg_control = data.data();
    head.msg_controllen = data.size();
    cmsghdr* c = CMSG_FIRSTHDR(&head);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(descriptors.size() * sizeof(int));
    std::memcpy(CMSG_DATA(c), descriptors.data(), descriptors.size() * sizeof(int));
  }
  return sendmsg(socket.get(), &head, 0) == static_cast<ssize_t>(sizeof copy);
}

class FakeAgent {  // lives in the child
 public:
  explicit FakeAgent(const std::string& variable)
      : socket_name_(PartsOf(variable)[1]),
        secret_(std::stoull(PartsOf(variable)[2], nullptr, 16)) {
    const int fd = open(PartsOf(variable)[0].c_str(), O_RDWR | O_CLOEXEC);
    if (fd < 0) _exit(2);
    void* page = mmap(nullptr, wire::kControlBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    control_ = static_cast<wire::ControlPage*>(page);
    if (control_->facts.magic != wire::kMagic) _exit(3);
    for (region_ = 0; region_ < wire::kMaxProcesses; ++region_) {
      uint32_t free = wire::kRegionFree;
      if (control_->region_state[region_].compare_exchange_strong(free, wire::kRegionClaimed))
        break;
    }
    void* memory = mmap(nullptr, wire::kRegionBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
                        static_cast<off_t>(wire::RegionOffset(region_)));
    if (memory == MAP_FAILED) _exit(4);
    writer.emplace(static_cast<std::byte*>(memory));
  }
  void Ready() {
    writer->Begin(getpid(), getppid(), "/bin/fake", std::string("fake\0", 5));
    MakeReady();
  }
  void MakeReady() { control_->region_state[region_].store(wire::kRegionReady); }
  void SendDescriptor(uint64_t token, uint32_t generation) const {
    const UniqueFd event(OpenPerfEvent());
    const wire::PerfEventMessage message{secret_, token, region_, 0, generation, 0};
    if (!event || !SendWith(socket_name_, message, {event.get()})) _exit(5);
  }
  uint64_t token() const { return control_->facts.token; }
  uint32_t region() const { return region_; }
  wire::PerfEventMessage Message(uint32_t slot, uint32_t generation) const {
    return {secret_, token(), region_, slot, generation, 0};
  }
  bool Send(const wire::PerfEventMessage& message, const std::vector<int>& descriptors) const {
    return SendWith(socket_name_, message, descriptors);
  }

  std::optional<RegionWriter> writer;

 private:
  const std::string socket_name_;
  const uint64_t secret_;
  wire::ControlPage* control_ = nullptr;
  uint32_t region_ = 0;
};

inline pid_t Play(const Session& session, const std::function<void(FakeAgent&)>& play) {
  const std::string variable = session.EnvironmentValue();
  const pid_t pid = fork();
  if (pid == 0) {
    FakeAgent agent(variable);
    play(agent);
    _exit(0);
  }
  return pid;
}

}  // namespace gprofx::test
