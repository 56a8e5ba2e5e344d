// Rejoin runs in fork children: only async-signal-safe calls below.
#include "samplers/agent/session.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstring>

namespace gprofx::agent {

constinit Session g_session;

int64_t MonotonicNs() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * int64_t{1000000000} + t.tv_nsec;
}

int64_t ThreadCpuNs() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec * int64_t{1000000000} + t.tv_nsec;
}

int64_t ProcessCpuNs() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec * int64_t{1000000000} + t.tv_nsec;
}

int64_t Session::Now() const { return MonotonicNs() - control_->start_ns; }

namespace {

void* MapShared(int fd, uint64_t offset, uint64_t bytes) {
  void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd,
                 static_cast<off_t>(offset));
  if (p == MAP_FAILED) return nullptr;
  madvise(p, bytes, MADV_DONTDUMP);
  return p;
}

ssize_t ReadWhole(const char* path, char* to, size_t room) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  size_t done = 0;
  while (done < room) {
    ssize_t n = read(fd, to + done, room - done);
    if (n <= 0) break;
    done += static_cast<size_t>(n);
  }
  close(fd);
  return static_cast<ssize_t>(done);
}

}  // namespace

bool Session::Join(const char* path, int64_t start_cpu_ns) {
  if (std::strlen(path) >= sizeof(path_)) return false;
  std::strcpy(path_, path);
  int fd = open(path_, O_RDWR | O_CLOEXEC);
  if (fd < 0) return false;
  // The size is checked before the control page is touched: a stale path may name any file.
  struct stat st;
  bool fits = fstat(fd, &st) == 0 && st.st_size == static_cast<off_t>(wire::FileBytes());
  if (fits) control_ = static_cast<wire::ControlPage*>(MapShared(fd, 0, wire::kControlBytes));
  bool ours = control_ != nullptr && control_->magic == wire::kMagic &&
              control_->version == wire::kVersion &&
              control_->control_bytes == wire::kControlBytes &&
              control_->region_bytes == wire::kRegionBytes;
  bool claimed = ours && ClaimRegion() && MapRegion(fd);
  close(fd);
  if (!claimed) return false;
  start_ns_ = Now();
  start_cpu_ns_ = start_cpu_ns;
  FillHeader();
  return true;
}

bool Session::Rejoin() {
  if (base_ != nullptr) munmap(base_, mapped_bytes_);
  base_ = nullptr;
  header_ = nullptr;
  forked_ = true;
  if (control_->plan.follow_children == 0) return false;
  int fd = open(path_, O_RDWR | O_CLOEXEC);
  if (fd < 0) return false;
  bool claimed = ClaimRegion() && MapRegion(fd);
  close(fd);
  if (claimed) FillHeader();
  return claimed;
}

bool Session::Postpone(int64_t start_cpu_ns) {
  forked_ = true;
  start_ns_ = Now();
  start_cpu_ns_ = start_cpu_ns;
  pid_ = static_cast<pid_t>(syscall(SYS_getpid));
  header_ = control_->plan.follow_children == 0 ? nullptr : &nowhere_;
  return header_ != nullptr;
}

void Session::Note(wire::ProcessNoteKind kind, int32_t pid, int32_t from, int64_t cpu_ns) {
  const uint64_t number = control_->notes.fetch_add(1, std::memory_order_relaxed);
  wire::ProcessNote& note = control_->note[number % wire::kProcessNotes];
  note.sequence.store(0, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  note.kind = kind;
  note.pid = pid;
  note.from = from;
  note.cpu_ns = cpu_ns;
  note.time_ns = kind == wire::kNoteForked ? start_ns_ : Now();
  note.sequence.store(number + 1, std::memory_order_release);
}

bool Session::ClaimRegion() {
  for (uint32_t i = 0; i < wire::kMaxProcesses; ++i) {
    uint32_t expected = wire::kRegionFree;
    if (control_->region_state[i].compare_exchange_strong(expected, wire::kRegionClaimed)) {
      region_ = i;
      return true;
    }
  }
  control_->processes_without_region.fetch_add(1, std::memory_order_relaxed);
  return false;
}

bool Session::MapRegion(int fd) {
  // A limit on address space (RLIMIT_AS) may forbid the full number of threads.
  for (uint32_t rings = wire::kMaxThreads; rings >= wire::kRingsPerBlock; rings /= 4) {
    mapped_bytes_ = wire::kRingsOffset + rings * wire::kRingBytes;
    base_ = static_cast<uint8_t*>(MapShared(fd, wire::RegionOffset(region_), mapped_bytes_));
    ring_count_ = rings;
    if (base_ != nullptr) return true;
  }
  control_->region_state[region_].store(wire::kRegionFree);
  control_->processes_without_region.fetch_add(1, std::memory_order_relaxed);
  return false;
}

void Session::FillHeader() {
  auto* header = At<wire::ProcessHeader>(0);
  pid_ = getpid();
  header->pid = pid_;
  header->parent_pid = getppid();
  header->start_ns = start_ns_;
  header->start_cpu_ns = start_cpu_ns_;
  header->forked = forked_ ? 1 : 0;
  ssize_t n = readlink("/proc/self/exe", header->executable, sizeof(header->executable) - 1);
  header->executable[n > 0 ? n : 0] = 0;
  header->command_bytes = static_cast<uint32_t>(
      ReadWhole("/proc/self/cmdline", header->command, sizeof(header->command)));
  header->nodes.store(1);                      // 0 is the root
  header->arena_used.store(wire::kArenaUnit);  // 0 means none
  header_ = header;
  control_->region_state[region_].store(wire::kRegionReady, std::memory_order_release);
}

void* Session::Allocate(uint64_t bytes, uint64_t* offset) {
  uint64_t rounded = (bytes + wire::kArenaUnit - 1) & ~(wire::kArenaUnit - 1);
  if (header_->arena_used.load(std::memory_order_relaxed) + rounded > wire::kArenaBytes)
    return nullptr;
  uint64_t at = header_->arena_used.fetch_add(rounded, std::memory_order_relaxed);
  if (at + rounded > wire::kArenaBytes) return nullptr;
  *offset = at;
  return base_ + wire::kArenaOffset + at;
}

}  // namespace gprofx::agent
