// Uses only async-signal-safe functions, because Rejoin runs in fork children.
#include "samplers/agent/process/session.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstring>

#include "samplers/agent/confinement/limits.h"
#include "samplers/agent/libc/raw_syscall.h"
#include "samplers/wire/remap.h"

namespace gprofx::agent {

constinit Session g_session;

[[gnu::hot]] int64_t MonotonicNs() {
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

[[gnu::hot]] int64_t Session::Now() const {
  const wire::ControlPage* control = control_;
  return control == nullptr ? 0 : MonotonicNs() - facts_.start_ns;
}

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

bool Session::MapControl(int fd, Untrusted untrusted) {
  // Check the size before reading the control page. The path may be stale and name any file.
  struct stat st;
  if (fd < 0 || fstat(fd, &st) != 0 || st.st_size != static_cast<off_t>(wire::FileBytes()))
    return false;
  const bool is_trusted = st.st_uid == 0 || st.st_uid == geteuid();
  if (!is_trusted && untrusted == Untrusted::kIgnored) return false;
  // Require memory that cannot be truncated. If another user truncated it while it is read, SIGBUS
  // would end this program.
  const int seals = is_trusted ? F_SEAL_SHRINK : fcntl(fd, F_GET_SEALS);
  if (seals < 0 || (seals & F_SEAL_SHRINK) == 0) return false;
  auto* page = static_cast<wire::ControlPage*>(MapShared(fd, 0, wire::kControlBytes));
  if (page == nullptr) return false;
  wire::SessionFacts facts;
  std::memcpy(&facts, &page->facts, sizeof facts);
  const bool is_ours = wire::FactsAreUsable(facts) && facts.secret == name_.secret;
  if (is_ours && !is_trusted) {
    control_ = page;  // used only to count this program there
    CountThisProgram(wire::NotSampled::kUnreachable);
    control_ = nullptr;
    counted_ = nullptr;
  }
  if (is_ours && is_trusted) {
    facts_ = facts;
    control_ = page;
    device_ = st.st_dev;
    inode_ = st.st_ino;
  } else {
    munmap(page, wire::kControlBytes);
    return false;
  }
  return true;
}

bool Session::Attach(const char* value) {
  recording_.fetch_add(1);
  control_ = nullptr;
  host_pid_ = parent_pid_ = 0;
  counted_ = nullptr;
  foreign_ = forked_ = late_ = left_ = false;
  if (!ParseSessionName(value, &name_)) return false;
  memory_ = OpenByPath(name_);
  if (MapControl(memory_, Untrusted::kIgnored)) return true;
  if (memory_ >= 0) close(memory_);
  memory_ = AskCollector(name_, &host_pid_);
  if (MapControl(memory_, Untrusted::kCounted)) return true;
  if (memory_ >= 0) close(memory_);
  memory_ = -1;
  return false;
}

bool Session::IsNamed(const char* value) const {
  SessionName other;
  return ParseSessionName(value, &other) && other.secret == name_.secret;
}

void Session::LeaveAlone(wire::NotSampled reason) {
  close(memory_);
  memory_ = -1;
  CountThisProgram(reason);
}

bool Session::Begin(int64_t start_cpu_ns) {
  bool claimed = FindHostPid() && ClaimRegion() && MapRegion([this](uint64_t at, uint64_t bytes) {
                   return MapShared(memory_, at, bytes);
                 });
  close(memory_);
  memory_ = -1;
  collector_ = foreign_ ? ProcessStat{} : StatOf(facts_.collector_pid);
  start_ns_ = Now();
  start_cpu_ns_ = start_cpu_ns;
  if (claimed) FillHeader(nullptr);
  return claimed;
}

bool Session::BeginLate(int64_t start_cpu_ns) {
  late_ = true;
  return Begin(start_cpu_ns);
}

void Session::Part() {
  header_ = nullptr;
  if (base_ != nullptr) munmap(base_, mapped_bytes_);
  if (control_ != nullptr) munmap(control_, wire::kControlBytes);
  base_ = nullptr;
  control_ = nullptr;
  counted_ = nullptr;
  left_ = false;
}

bool Session::Rejoin() {
  uint8_t* parent = base_;
  const uint64_t parent_bytes = mapped_bytes_;
  base_ = nullptr;
  header_ = nullptr;
  const bool claimed = facts_.plan.follow_children != 0 && ClaimForFork();
  if (claimed) FillHeader(reinterpret_cast<const wire::ProcessHeader*>(parent));
  if (parent != nullptr) munmap(parent, parent_bytes);
  return claimed;
}

bool Session::ClaimForFork() {
  parent_pid_ = host_pid_;
  host_pid_ = 0;
  int64_t pid = 0;
  if (foreign_ && Allowed(kNeedLook)) {
    const int fd = AskCollector(name_, &pid);
    if (fd >= 0) close(fd);
    host_pid_ = pid;
  }
  return FindHostPid() && ClaimRegion() &&
         MapRegion([this](uint64_t at, uint64_t bytes) { return MapAgain(at, bytes, Ask::kYes); });
}

bool Session::InCollectorsRoot() const {
  struct stat root;
  return attached() &&
         RawSyscall(SYS_newfstatat, AT_FDCWD, AsArgument("/"), AsArgument(&root)) == 0 &&
         root.st_dev == facts_.root_device && root.st_ino == facts_.root_inode;
}

// Tries three ways to map: through the control page's mapping, by the path, and by asking the
// collector. The first may fail because it briefly needs more address space, which a limit may
// forbid, or because an emulator does not support it.
void* Session::MapAgain(uint64_t at, uint64_t bytes, Ask ask) {
  if (control_ == nullptr) return nullptr;
  if (void* mapped = wire::MapThrough(control_, at, bytes)) {
    madvise(mapped, bytes, MADV_DONTDUMP);
    return mapped;
  }
  int fd = Allowed(kNeedFiles) ? OpenByPath(name_) : -1;
  if (!IsJoined(fd) && ask == Ask::kYes && Allowed(kNeedLook)) {
    if (fd >= 0) close(fd);
    int64_t pid = 0;
    fd = AskCollector(name_, &pid);
  }
  void* mapped = IsJoined(fd) ? MapShared(fd, at, bytes) : nullptr;
  if (fd >= 0) close(fd);
  return mapped;
}

// True if `fd` is the joined memory. The collector's process id may have been reused, and its path
// may then name another file.
bool Session::IsJoined(int fd) const {
  struct stat st;
  return fd >= 0 && fstat(fd, &st) == 0 && st.st_dev == device_ && st.st_ino == inode_;
}

// Finds the id of this process in the collector's PID namespace. Where /proc shows the collector,
// our id in /proc is also the id in that namespace.
bool Session::FindHostPid() {
  char text[32] = {};
  if (!forked_) {
    const ssize_t n = readlink("/proc/self/ns/pid", text, sizeof text - 1);
    foreign_ = n > 0 && facts_.pid_namespace[0] != 0 &&
               std::strncmp(text, facts_.pid_namespace, sizeof text) != 0;
    if (n <= 0 && host_pid_ != 0) foreign_ = host_pid_ != getpid();
  }
  if (!foreign_) host_pid_ = getpid();
  if (host_pid_ != 0) return true;
  if (!forked_) {
    const ssize_t n = readlink("/proc/self", text, sizeof text - 1);
    for (ssize_t i = 0; i < n && text[i] >= '0' && text[i] <= '9'; ++i) {
      host_pid_ = host_pid_ * 10 + (text[i] - '0');
    }
    if (host_pid_ != 0) return true;
  }
  CountThisProgram(wire::NotSampled::kUnreachable);
  return false;
}

void Session::CountThisProgram(wire::NotSampled reason) {
  char path[512] = {};
  if (readlink("/proc/self/exe", path, sizeof path - 1) <= 0) {
    RawSyscall(SYS_prctl, PR_GET_NAME, AsArgument(path));
  }
  pid_ = getpid();
  counted_ = CountNotSampled(reason, path);
}

void Session::Replaced(bool failed) {
  if (counted_ == nullptr || !Allowed(kNeedLook)) return;
  if (pid_ != getpid()) return;  // a vfork child shares this object with its parent
  counted_->fetch_add(failed ? 1 : -1, std::memory_order_relaxed);
}

bool Session::CollectorIsGone() const {
  if (foreign_) return !CanReach(name_);
  if (kill(static_cast<pid_t>(facts_.collector_pid), 0) != 0) return errno == ESRCH;
  if (collector_.start == 0 || !Allowed(kNeedFiles)) return false;
  // The collector has ended, too, if it is a zombie or if another process has its id by now.
  const ProcessStat now = StatOf(facts_.collector_pid);
  return now.state == 'Z' || now.state == 'X' || (now.start != 0 && now.start != collector_.start);
}

bool Session::Postpone(int64_t start_cpu_ns) {
  forked_ = true;
  start_ns_ = Now();
  start_cpu_ns_ = start_cpu_ns;
  pid_ = getpid();
  counted_ = nullptr;
  // A parent id of 0 means that the parent is outside this PID namespace. The namespace is then a
  // new one.
  foreign_ = foreign_ || getppid() == 0;
  header_ = facts_.plan.follow_children == 0 ? nullptr : &nowhere_;
  return header_ != nullptr;
}

void Session::Note(wire::ProcessNoteKind kind, int32_t pid, int32_t from, int64_t cpu_ns) {
  if (foreign_) return;  // `pid` and `from` are not ids of the collector's namespace
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

// Maps the claimed region by `map`, with as many rings as fit. If the address space is limited
// (RLIMIT_AS), takes at most an eighth of it, because the program needs the rest. If nothing can be
// mapped, frees the region, counts the program as not sampled and returns false.
template <class Map>
bool Session::MapRegion(Map map) {
  rlimit limit{RLIM_INFINITY, RLIM_INFINITY};
  getrlimit(RLIMIT_AS, &limit);
  for (uint32_t rings = wire::kMaxThreads; rings >= wire::kRingsPerBlock; rings /= 4) {
    mapped_bytes_ = wire::kRingsOffset + rings * wire::kRingBytes;
    if (limit.rlim_cur != RLIM_INFINITY && mapped_bytes_ > limit.rlim_cur / 8) continue;
    base_ = static_cast<uint8_t*>(map(wire::RegionOffset(region_), mapped_bytes_));
    ring_count_ = rings;
    if (base_ == nullptr) continue;
    // The first block of rings stays accessible. Opening more rings then only moves the border
    // between two mappings, and creates no new mapping.
    constexpr uint32_t kOpen = wire::kRingsPerBlock;
    const bool closed = ProtectRings(kOpen, rings - kOpen, PROT_NONE);
    open_rings_.store(closed ? kOpen : rings);
    return true;
  }
  control_->region_state[region_].store(wire::kRegionFree);
  CountThisProgram(wire::NotSampled::kMemory);
  return false;
}

bool Session::ProtectRings(uint32_t first, uint32_t count, int protection) {
  const uint8_t* begin = base_ + wire::kRingsOffset + first * wire::kRingBytes;
  return RawSyscall(SYS_mprotect, AsArgument(begin), static_cast<long>(count * wire::kRingBytes),
                    protection) == 0;
}

wire::ThreadRing* Session::OpenRing(uint32_t slot) {
  uint32_t open = open_rings_.load(std::memory_order_acquire);
  if (slot >= open) {
    // Two threads may do this for the same rings at the same time. That does no harm.
    const uint32_t wanted = (slot / wire::kRingsPerBlock + 1) * wire::kRingsPerBlock;
    if (!ProtectRings(open, wanted - open, PROT_READ | PROT_WRITE)) return nullptr;
    while (open < wanted && !open_rings_.compare_exchange_weak(open, wanted)) {
    }
  }
  return At<wire::ThreadRing>(wire::kRingsOffset + slot * wire::kRingBytes);
}

// Fills the header of the region. `parent` is the parent's header, or null. If this process can no
// longer read its names from /proc, it copies them from there, because a fork child runs the same
// program.
void Session::FillHeader(const wire::ProcessHeader* parent) {
  auto* header = At<wire::ProcessHeader>(0);
  pid_ = getpid();
  header->pid = pid_;
  header->host_pid = host_pid_;
  header->parent_pid = foreign_ ? parent_pid_ : getppid();
  header->start_ns = start_ns_;
  header->start_cpu_ns = start_cpu_ns_;
  header->forked = forked_ ? 1 : 0;
  header->late = late_ && !forked_ ? 1 : 0;
  const ssize_t n = readlink("/proc/self/exe", header->executable, sizeof(header->executable) - 1);
  header->executable[n > 0 ? n : 0] = 0;
  // The parent may have ended, and another process may use its region by now. Use the header only
  // if it still belongs to the parent.
  if (n <= 0 && parent != nullptr && parent->host_pid == parent_pid_) {
    std::memcpy(header->executable, parent->executable, sizeof header->executable);
    std::memcpy(header->command, parent->command, sizeof header->command);
    header->command_bytes = parent->command_bytes;
  } else {
    if (n <= 0) RawSyscall(SYS_prctl, PR_GET_NAME, AsArgument(header->executable));
    header->command_bytes = static_cast<uint32_t>(
        ReadWhole("/proc/self/cmdline", header->command, sizeof(header->command)));
  }
  header->nodes.store(1);                      // node 0 is the root
  header->arena_used.store(wire::kArenaUnit);  // offset 0 means none
  header_ = header;
  control_->region_state[region_].store(wire::kRegionReady, std::memory_order_release);
}

void* Session::Allocate(uint64_t bytes, uint64_t* offset) {
  if (bytes > wire::kArenaBytes) return nullptr;
  const uint64_t rounded = (bytes + wire::kArenaUnit - 1) & ~(wire::kArenaUnit - 1);
  // Highest offset at which the allocation can begin.
  const uint64_t last = wire::kArenaBytes - rounded;
  std::atomic<uint64_t>& used = header().arena_used;
  if (used.load(std::memory_order_relaxed) > last) return nullptr;
  const uint64_t at = used.fetch_add(rounded, std::memory_order_relaxed) & ~(wire::kArenaUnit - 1);
  if (at > last) return nullptr;
  *offset = at;
  return base_ + wire::kArenaOffset + at;
}

}  // namespace gprofx::agent
