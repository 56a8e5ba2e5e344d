#include "samplers/collector/session.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <utility>

namespace gprofx {
namespace {

Error SystemError(const std::string& what, const std::string& fix) {
  return {what + ": " + std::strerror(errno), fix};
}

}  // namespace

int64_t MonotonicNs() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * int64_t{1'000'000'000} + now.tv_nsec;
}

Result<Session> Session::Create(const wire::SamplingPlan& plan, bool sampling) {
  Session session;
  session.memory_.Reset(memfd_create("gprof-x", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!session.memory_)
    return SystemError("cannot make shared memory", "check the limits of this user");
  if (ftruncate(session.memory(), static_cast<off_t>(wire::FileBytes())) != 0 ||
      fcntl(session.memory(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    return SystemError("cannot size the shared memory",
                       "raise the limit on file sizes (ulimit -f)");
  }
  void* page =
      mmap(nullptr, wire::kControlBytes, PROT_READ | PROT_WRITE, MAP_SHARED, session.memory(), 0);
  if (page == MAP_FAILED) {
    return SystemError("cannot map the shared memory",
                       "raise the limit on virtual memory (ulimit -v)");
  }
  session.control_ = static_cast<wire::ControlPage*>(page);

  uint64_t random[2];
  if (getrandom(random, sizeof random, 0) != sizeof random) {
    return SystemError("cannot read random numbers", "");
  }
  session.token_ = random[0];
  session.secret_ = random[1];
  wire::ControlPage& control = *session.control_;
  std::snprintf(control.socket_name, sizeof control.socket_name, "gprof-x-%d-%016llx",
                static_cast<int>(getpid()),
                static_cast<unsigned long long>(session.token_ * 0x9e3779b97f4a7c15));
  session.socket_.Reset(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!session.socket_) return SystemError("cannot make a socket", "");
  const int on = 1, bytes = 1 << 20;
  setsockopt(session.socket(), SOL_SOCKET, SO_PASSCRED, &on, sizeof on);
  setsockopt(session.socket(), SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const size_t length = std::strlen(control.socket_name);
  std::memcpy(address.sun_path + 1, control.socket_name, length);
  if (bind(session.socket(), reinterpret_cast<const sockaddr*>(&address),
           static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + length)) != 0) {
    return SystemError("cannot bind a socket", "");
  }

  session.socket_name_ = control.socket_name;

  session.start_ns_ = MonotonicNs();
  control.version = wire::kVersion;
  control.control_bytes = wire::kControlBytes;
  control.region_bytes = wire::kRegionBytes;
  control.collector_pid = getpid();
  control.start_ns = session.start_ns_;
  control.token = session.token_;
  control.join_secret = session.secret_;
  struct stat root {};
  stat("/", &root);
  control.root_device = root.st_dev;
  control.root_inode = root.st_ino;
  if (readlink("/proc/self/ns/pid", control.pid_namespace, sizeof control.pid_namespace - 1) < 0) {
    control.pid_namespace[0] = 0;
  }
  control.plan = plan;
  control.gpu_level.store(wire::kLevelAuto, std::memory_order_relaxed);
  session.SetSampling(sampling);
  control.magic = wire::kMagic;
  return session;
}

Session::Session(Session&& other) noexcept
    : memory_(std::move(other.memory_)),
      socket_(std::move(other.socket_)),
      control_(std::exchange(other.control_, nullptr)),
      token_(other.token_),
      secret_(other.secret_),
      socket_name_(std::move(other.socket_name_)),
      start_ns_(other.start_ns_),
      notes_read_(other.notes_read_),
      stretches_(other.stretches_) {}

Session::~Session() {
  if (control_ == nullptr) return;
  EndSampling();  // agents that live on do no more work
  munmap(control_, wire::kControlBytes);
}

std::string Session::EnvironmentValue() const {
  char secret[32];
  std::snprintf(secret, sizeof secret, "%016llx", static_cast<unsigned long long>(secret_));
  return MemoryPath() + "@" + socket_name_ + "@" + secret;
}

std::string Session::MemoryPath() const {
  return "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(memory());
}

void Session::EndSampling() {
  SetSampling(false);
  control_->over.store(1, std::memory_order_relaxed);
}

void Session::SetSampling(bool on) {
  if (on) control_->stretch_begin_ns.store(Now(), std::memory_order_relaxed);
  control_->sampling.store(on ? ++stretches_ : 0, std::memory_order_relaxed);
}

void Session::SetGpu(const wire::GpuPlan& plan, const std::string& spool_path,
                     uint64_t spool_limit) {
  control_->gpu = plan;
  const bool fits = spool_path.size() < sizeof control_->spool;
  std::snprintf(control_->spool, sizeof control_->spool, "%s", fits ? spool_path.c_str() : "");
  control_->spool_limit = fits && !spool_path.empty() ? spool_limit : 0;
}

uint32_t Session::RegionStateOf(uint32_t index) const {
  return control_->region_state[index].load(std::memory_order_acquire);
}

uint64_t Session::ReadNotes(uint64_t end, std::vector<ProcessNoteCopy>& notes) {
  uint64_t missed = 0;
  if (end - notes_read_ > wire::kProcessNotes) {  // or the target wrote nonsense
    missed = std::min<uint64_t>(end - notes_read_ - wire::kProcessNotes, 1u << 20);
    notes_read_ = end - wire::kProcessNotes;
  }
  for (; notes_read_ != end; ++notes_read_) {
    const wire::ProcessNote& note = control_->note[notes_read_ % wire::kProcessNotes];
    const uint64_t sequence = note.sequence.load(std::memory_order_acquire);
    // Its writer is in the middle of it; one that was killed there is not waited for.
    if (sequence < notes_read_ + 1 && ++waits_ < kMostWaits) break;
    waits_ = 0;
    if (sequence != notes_read_ + 1) {
      ++missed;
      continue;
    }
    const ProcessNoteCopy copy{note.kind, note.pid, note.from, note.cpu_ns, note.time_ns};
    std::atomic_thread_fence(std::memory_order_acquire);
    if (note.sequence.load(std::memory_order_relaxed) == notes_read_ + 1) {
      notes.push_back(copy);
    } else {
      ++missed;
    }
  }
  return missed;
}

void Session::FreeRegion(uint32_t index) {
  fallocate(memory(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
            static_cast<off_t>(wire::RegionOffset(index)), static_cast<off_t>(wire::kRegionBytes));
  control_->region_state[index].store(wire::kRegionFree, std::memory_order_release);
}

}  // namespace gprofx
