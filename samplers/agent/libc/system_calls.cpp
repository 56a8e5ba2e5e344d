// Defines the system call functions of this library. They use the processor's instruction and not
// libc.
//
// A program may replace libc's functions (LD_PRELOAD) with ones that allocate or lock.
// compute-sanitizer and Nsight replace some, for example to record each close(). A sample may have
// interrupted the allocator, so the agent must not call these. It therefore defines the functions
// itself, under the same names. They are hidden: no other library binds to them. They are not
// cancellation points, because a handler must not be one. Async-signal-safe; they set errno as libc
// does.
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdarg>

#include "samplers/agent/exec/elf_image.h"
#include "samplers/agent/libc/raw_syscall.h"
#include "samplers/agent/process/clock.h"

namespace {

using gprofx::agent::AsArgument;
using gprofx::agent::RawSyscall;

constexpr long kMaxErrno = 4095;

long Answer(long result) {
  if (result >= 0 || result < -kMaxErrno) return result;
  errno = static_cast<int>(-result);
  return -1;
}

template <class... Arguments>
long Call(long number, Arguments... arguments) {
  return Answer(RawSyscall(number, static_cast<long>(arguments)...));
}

template <class... Arguments>
int CallInt(long number, Arguments... arguments) {
  return static_cast<int>(Call(number, arguments...));
}

using Clock = int (*)(clockid_t, timespec*);  // returns -errno on failure

int ClockByInstruction(clockid_t clock, timespec* to) {
  return static_cast<int>(RawSyscall(SYS_clock_gettime, clock, AsArgument(to)));
}

// Returns the clock_gettime of the vDSO, which takes a fifth of the time of the system call.
// Returns null if there is none.
Clock VdsoClock() {
  const uint64_t begin = getauxval(AT_SYSINFO_EHDR);
  if (begin == 0) return nullptr;
  const auto* header = reinterpret_cast<const Elf64_Ehdr*>(begin);
  const auto* parts = reinterpret_cast<const Elf64_Phdr*>(begin + header->e_phoff);
  for (int i = 0; i < header->e_phnum; ++i) {
    if (parts[i].p_type != PT_DYNAMIC) continue;
    const gprofx::agent::ElfImage image(begin + parts[i].p_vaddr, begin);
    return reinterpret_cast<Clock>(image.Find(gprofx::agent::machine::kVdsoClock).address);
  }
  return nullptr;
}

int FirstClock(clockid_t clock, timespec* to);
constinit std::atomic<Clock> g_clock{FirstClock};

// True if reading the TSC faults in the calling thread. Threads inherit this setting from their
// creator.
bool ClockFaultsHere() {
  int mode = PR_TSC_ENABLE;
  return RawSyscall(SYS_prctl, PR_GET_TSC, AsArgument(&mode)) == 0 && mode == PR_TSC_SIGSEGV;
}

int FirstClock(clockid_t clock, timespec* to) {
  const Clock vdso = ClockFaultsHere() ? nullptr : VdsoClock();
  Clock first = FirstClock;
  g_clock.compare_exchange_strong(first, vdso != nullptr ? vdso : ClockByInstruction);
  return g_clock.load(std::memory_order_relaxed)(clock, to);
}

}  // namespace

namespace gprofx::agent {

void ReadClockBySystemCall() { g_clock.store(ClockByInstruction); }
bool ClockMayFault() { return g_clock.load(std::memory_order_relaxed) == ClockByInstruction; }

}  // namespace gprofx::agent

extern "C" {

#pragma GCC visibility push(hidden)

// `mode` is always passed on, also if the caller gave none. The kernel ignores it unless `flags`
// ask for a new file.
int openat(int folder, const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const long mode = va_arg(list, long);
  va_end(list);
  return CallInt(SYS_openat, folder, AsArgument(path), flags, mode);
}
int open(const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const long mode = va_arg(list, long);
  va_end(list);
  return CallInt(SYS_openat, AT_FDCWD, AsArgument(path), flags, mode);
}
int fcntl(int fd, int command, ...) {
  va_list list;
  va_start(list, command);
  const long argument = va_arg(list, long);
  va_end(list);
  return CallInt(SYS_fcntl, fd, command, argument);
}
int close(int fd) { return CallInt(SYS_close, fd); }
ssize_t read(int fd, void* to, size_t bytes) { return Call(SYS_read, fd, AsArgument(to), bytes); }
ssize_t pread(int fd, void* to, size_t bytes, off_t at) {
  return Call(SYS_pread64, fd, AsArgument(to), bytes, at);
}
ssize_t write(int fd, const void* from, size_t bytes) {
  return Call(SYS_write, fd, AsArgument(from), bytes);
}
ssize_t readlink(const char* path, char* to, size_t bytes) noexcept {
  return Call(SYS_readlinkat, AT_FDCWD, AsArgument(path), AsArgument(to), bytes);
}
int access(const char* path, int mode) noexcept {
  return CallInt(SYS_faccessat, AT_FDCWD, AsArgument(path), mode);
}
int fstat(int fd, struct stat* to) noexcept { return CallInt(SYS_fstat, fd, AsArgument(to)); }
ssize_t fgetxattr(int fd, const char* name, void* to, size_t bytes) noexcept {
  return Call(SYS_fgetxattr, fd, AsArgument(name), AsArgument(to), bytes);
}

int socket(int domain, int type, int protocol) noexcept {
  return CallInt(SYS_socket, domain, type, protocol);
}
int bind(int fd, const sockaddr* address, socklen_t bytes) noexcept {
  return CallInt(SYS_bind, fd, AsArgument(address), bytes);
}
int connect(int fd, const sockaddr* address, socklen_t bytes) {
  return CallInt(SYS_connect, fd, AsArgument(address), bytes);
}
ssize_t sendmsg(int fd, const msghdr* message, int flags) {
  return Call(SYS_sendmsg, fd, AsArgument(message), flags);
}
ssize_t recvmsg(int fd, msghdr* message, int flags) {
  return Call(SYS_recvmsg, fd, AsArgument(message), flags);
}
int poll(pollfd* files, nfds_t count, int timeout_ms) {
  timespec time{timeout_ms / 1000, timeout_ms % 1000 * 1'000'000L};
  return CallInt(SYS_ppoll, AsArgument(files), count, timeout_ms < 0 ? 0 : AsArgument(&time), 0, 0);
}

void* mmap(void* at, size_t bytes, int protection, int flags, int fd, off_t offset) noexcept {
  return reinterpret_cast<void*>(
      Call(SYS_mmap, AsArgument(at), bytes, protection, flags, fd, offset));
}
int munmap(void* at, size_t bytes) noexcept { return CallInt(SYS_munmap, AsArgument(at), bytes); }
void* mremap(void* at, size_t bytes, size_t to_bytes, int flags, ...) noexcept {
  va_list list;
  va_start(list, flags);
  const long to = va_arg(list, long);
  va_end(list);
  return reinterpret_cast<void*>(Call(SYS_mremap, AsArgument(at), bytes, to_bytes, flags, to));
}
int madvise(void* at, size_t bytes, int advice) noexcept {
  return CallInt(SYS_madvise, AsArgument(at), bytes, advice);
}

[[gnu::hot]] int clock_gettime(clockid_t clock, timespec* to) noexcept {
  return static_cast<int>(Answer(g_clock.load(std::memory_order_relaxed)(clock, to)));
}
int nanosleep(const timespec* time, timespec* left) {
  return CallInt(SYS_nanosleep, AsArgument(time), AsArgument(left));
}
int kill(pid_t pid, int signal) noexcept { return CallInt(SYS_kill, pid, signal); }
pid_t getpid() noexcept { return CallInt(SYS_getpid); }
pid_t getppid() noexcept { return CallInt(SYS_getppid); }
uid_t getuid() noexcept { return static_cast<uid_t>(Call(SYS_getuid)); }
uid_t geteuid() noexcept { return static_cast<uid_t>(Call(SYS_geteuid)); }
gid_t getgid() noexcept { return static_cast<gid_t>(Call(SYS_getgid)); }
gid_t getegid() noexcept { return static_cast<gid_t>(Call(SYS_getegid)); }
int getrlimit(__rlimit_resource_t what, rlimit* limit) noexcept {
  return CallInt(SYS_prlimit64, 0, what, 0, AsArgument(limit));
}
int getrusage(__rusage_who_t who, rusage* usage) noexcept {
  return CallInt(SYS_getrusage, who, AsArgument(usage));
}

#pragma GCC visibility pop

}  // extern "C"
