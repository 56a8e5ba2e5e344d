// A process that attacks the recording it is part of, or, in mode "outside", one that it is not
// part of: usage: hostile_target MODE SECONDS [ARGUMENT].
//
//   outside SOCKET   floods the recorder's socket without knowing the secret
//   jump             heads of all rings jump in each look
//   claim PID        regions by the hundred name the process PID, and threads of it
//   descriptors      sends descriptors that are no perf events, and events for regions of others
//   garbage          random bytes all over the memory
//   all PID          the latter four by turns
//
// Ends with status 0; 3 where it could not join.
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <random>
#include <string>
#include <vector>

#include "samplers/wire/layout.h"

namespace {

namespace wire = gprofx::wire;

double Now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
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

template <class Message>
void Send(int socket, Address& to, Message message, const std::vector<int>& descriptors) {
  iovec part{&message, sizeof message};
  std::vector<char> data(CMSG_SPACE(descriptors.size() * sizeof(int)));
  msghdr head{};
  head.msg_name = &to.address;
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
  sendmsg(socket, &head, MSG_DONTWAIT | MSG_NOSIGNAL);
}

class Hostile {
 public:
  bool Join() {
    const char* variable = std::getenv(wire::kSessionVariable);
    if (variable == nullptr) return false;
    const std::string text(variable);
    const size_t first = text.find('@'), second = text.find('@', first + 1);
    if (second == std::string::npos) return false;
    to_ = Address(text.substr(first + 1, second - first - 1));
    secret_ = std::strtoull(text.c_str() + second + 1, nullptr, 16);
    memory_ = open(text.substr(0, first).c_str(), O_RDWR);
    if (memory_ < 0) memory_ = Ask();
    if (memory_ < 0) return false;
    socket_ = socket(AF_UNIX, SOCK_DGRAM, 0);
    void* page = mmap(nullptr, wire::kControlBytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory_, 0);
    control_ = static_cast<wire::ControlPage*>(page);
    return page != MAP_FAILED;
  }

  void Jump() {
    for (uint32_t region = 0; region < 8; ++region) {
      uint8_t* whole = Region(region);
      if (whole == nullptr) return;
      reinterpret_cast<wire::ProcessHeader*>(whole)->threads_high = 384;
      for (uint32_t slot = 0; slot < 384; ++slot) {
        auto* ring = reinterpret_cast<wire::ThreadRing*>(whole + wire::kRingsOffset +
                                                         slot * wire::kRingBytes);
        ring->state = wire::kThreadActive;
        ring->generation.fetch_add(random_() % 4 == 0 ? 1 : 0);
        if (ring->generation == 0) ring->generation = 1;
        ring->tid = static_cast<int32_t>(random_());
        ring->grown = 1;
        ring->head += wire::kMaxRingEntries;
      }
    }
  }

  void Claim(int64_t pid) {
    for (uint32_t region = 0; region < 200; ++region) {
      uint8_t* whole = Region(region);
      if (whole == nullptr) return;
      auto& header = *reinterpret_cast<wire::ProcessHeader*>(whole);
      header.pid = header.host_pid = pid;
      header.command_bytes = sizeof header.command;
      for (char& c : header.command) c = static_cast<char>('a' + random_() % 26);
      header.threads_high = 4;
      for (uint32_t slot = 0; slot < 4; ++slot) {
        auto* ring = reinterpret_cast<wire::ThreadRing*>(whole + wire::kRingsOffset +
                                                         slot * wire::kRingBytes);
        ring->state = wire::kThreadActive;
        ring->generation = 1;
        ring->tid = static_cast<int32_t>(pid);
        ring->head += 1;
      }
      control_->region_state[region] = wire::kRegionReady;
    }
  }

  void SendDescriptors() {
    perf_event_attr attr{};
    attr.size = sizeof attr;
    attr.type = PERF_TYPE_SOFTWARE;
    attr.config = PERF_COUNT_SW_TASK_CLOCK;
    attr.exclude_kernel = attr.exclude_hv = 1;
    const int event = static_cast<int>(syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0));
    const int null = open("/dev/null", O_RDONLY);
    for (uint32_t i = 0; i < 64; ++i) {
      const wire::PerfEventMessage message{secret_,
                                           control_->facts.token,
                                           i % wire::kMaxProcesses,
                                           static_cast<uint32_t>(random_() % 4096),
                                           1,
                                           0};
      Send(socket_, to_, message, std::vector<int>(30, null));
      if (event >= 0) Send(socket_, to_, message, {event});
    }
    close(event);
    close(null);
  }

  void Garbage() {
    for (uint32_t i = 0; i < 2000; ++i) {
      uint8_t* whole = Region(random_() % 4);
      if (whole == nullptr) return;
      const uint64_t places[] = {random_() % wire::kHeaderBytes,
                                 wire::kModulesOffset + random_() % (1 << 16),
                                 wire::kArenaOffset + random_() % (1 << 20),
                                 wire::kNodesOffset + random_() % (1 << 20),
                                 wire::kHashOffset + random_() % (1 << 20),
                                 wire::kRingsOffset + random_() % (1 << 22),
                                 wire::kGpuOffset + random_() % (1 << 16),
                                 wire::kMarkerOffset + random_() % (1 << 16),
                                 wire::kMemoryOffset + random_() % (1 << 16)};
      const uint64_t value = uint64_t{random_()} << 32 | random_();
      std::memcpy(whole + places[random_() % std::size(places)], &value, sizeof value);
    }
    auto* page = reinterpret_cast<uint8_t*>(control_);
    for (uint32_t i = 0; i < 200; ++i) {
      page[random_() % wire::kControlBytes] = static_cast<uint8_t>(random_());
    }
  }

 private:
  int Ask() {
    const int asking = socket(AF_UNIX, SOCK_DGRAM, 0);
    sockaddr_un own{};
    own.sun_family = AF_UNIX;
    bind(asking, reinterpret_cast<sockaddr*>(&own), sizeof own.sun_family);
    Send(asking, to_, wire::JoinRequest{secret_, 0}, {});
    wire::JoinReply reply{};
    iovec part{&reply, sizeof reply};
    alignas(cmsghdr) char data[CMSG_SPACE(sizeof(int))];
    msghdr head{};
    head.msg_iov = &part;
    head.msg_iovlen = 1;
    head.msg_control = data;
    head.msg_controllen = sizeof data;
    const timeval patience{2, 0};
    setsockopt(asking, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    int memory = -1;
    if (recvmsg(asking, &head, 0) == sizeof reply && CMSG_FIRSTHDR(&head) != nullptr) {
      std::memcpy(&memory, CMSG_DATA(CMSG_FIRSTHDR(&head)), sizeof memory);
    }
    close(asking);
    return memory;
  }

  uint8_t* Region(uint32_t index) {
    if (regions_.size() <= index) regions_.resize(index + 1);
    if (regions_[index] == nullptr) {
      void* p =
          mmap(nullptr, wire::kRegionBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
               memory_, static_cast<off_t>(wire::RegionOffset(index)));
      if (p == MAP_FAILED) return nullptr;
      regions_[index] = static_cast<uint8_t*>(p);
    }
    return regions_[index];
  }

  Address to_{""};
  uint64_t secret_ = 0;
  int memory_ = -1, socket_ = -1;
  wire::ControlPage* control_ = nullptr;
  std::vector<uint8_t*> regions_;
  std::minstd_rand random_{42};
};

void Flood(const char* name, double until) {
  Address to(name);
  const int flooding = socket(AF_UNIX, SOCK_DGRAM, 0);
  const int null = open("/dev/null", O_RDONLY);
  wire::PerfEventMessage message{};
  while (Now() < until) {
    ++message.secret;
    Send(flooding, to, message, std::vector<int>(4, null));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const std::string mode = argv[1];
  const double until = Now() + std::atof(argv[2]);
  if (mode == "outside") {
    Flood(argv[3], until);
    return 0;
  }
  Hostile hostile;
  if (!hostile.Join()) return 3;
  const int64_t pid = argc > 3 ? std::atoll(argv[3]) : 0;
  while (Now() < until) {
    if (mode == "jump" || mode == "all") hostile.Jump();
    if (mode == "claim" || mode == "all") hostile.Claim(pid);
    if (mode == "descriptors" || mode == "all") hostile.SendDescriptors();
    if (mode == "garbage" || mode == "all") hostile.Garbage();
    usleep(1000);
  }
  return 0;
}
