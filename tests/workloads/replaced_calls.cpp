// Loaded first, takes the place of libc's system calls, as tools do that follow a program, and
// tells of those that the profiler's agent makes: it interrupts the allocator, so functions that
// may allocate are none for it. A recorded program without an agent is told, too.
#include <fcntl.h>
#include <link.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace {

uintptr_t g_begin, g_end;  // of the agent

int FindAgent(dl_phdr_info* info, size_t, void*) {
  if (std::strstr(info->dlpi_name, "libgprofx-agent") == nullptr) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& part = info->dlpi_phdr[i];
    if (part.p_type != PT_LOAD) continue;
    if (g_begin == 0) g_begin = info->dlpi_addr + part.p_vaddr;
    g_end = info->dlpi_addr + part.p_vaddr + part.p_memsz;
  }
  return 1;
}

// At once: a child may end without any destructor.
void Say(const char* text) { syscall(SYS_write, STDERR_FILENO, text, std::strlen(text)); }

void Note(const char* name, const void* caller) {
  const auto address = reinterpret_cast<uintptr_t>(caller);
  if (address < g_begin || address >= g_end) return;
  Say("the agent called ");
  Say(name);
  Say("\n");
}

__attribute__((constructor)) void Begin() {
  dl_iterate_phdr(FindAgent, nullptr);
  if (g_end == 0 && std::getenv("GPROFX_SESSION") != nullptr) Say("there is no agent\n");
}

}  // namespace

#define NOTE(name) Note(name, __builtin_return_address(0))

extern "C" {

int close(int fd) {
  NOTE("close");
  return static_cast<int>(syscall(SYS_close, fd));
}
int open(const char* path, int flags, ...) {
  NOTE("open");
  va_list list;
  va_start(list, flags);
  const int mode = va_arg(list, int);
  va_end(list);
  return static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}
int openat(int folder, const char* path, int flags, ...) {
  NOTE("openat");
  va_list list;
  va_start(list, flags);
  const int mode = va_arg(list, int);
  va_end(list);
  return static_cast<int>(syscall(SYS_openat, folder, path, flags, mode));
}
int fcntl(int fd, int command, ...) {
  NOTE("fcntl");
  va_list list;
  va_start(list, command);
  const long argument = va_arg(list, long);
  va_end(list);
  return static_cast<int>(syscall(SYS_fcntl, fd, command, argument));
}
int clock_gettime(clockid_t clock, timespec* to) noexcept {
  NOTE("clock_gettime");
  return static_cast<int>(syscall(SYS_clock_gettime, clock, to));
}
ssize_t read(int fd, void* to, size_t bytes) {
  NOTE("read");
  return syscall(SYS_read, fd, to, bytes);
}
ssize_t pread(int fd, void* to, size_t bytes, off_t at) {
  NOTE("pread");
  return syscall(SYS_pread64, fd, to, bytes, at);
}
int socket(int domain, int type, int protocol) noexcept {
  NOTE("socket");
  return static_cast<int>(syscall(SYS_socket, domain, type, protocol));
}
ssize_t sendmsg(int fd, const msghdr* message, int flags) {
  NOTE("sendmsg");
  return syscall(SYS_sendmsg, fd, message, flags);
}
ssize_t recvmsg(int fd, msghdr* message, int flags) {
  NOTE("recvmsg");
  return syscall(SYS_recvmsg, fd, message, flags);
}
int munmap(void* at, size_t bytes) noexcept {
  NOTE("munmap");
  return static_cast<int>(syscall(SYS_munmap, at, bytes));
}
int madvise(void* at, size_t bytes, int advice) noexcept {
  NOTE("madvise");
  return static_cast<int>(syscall(SYS_madvise, at, bytes, advice));
}

}  // extern "C"
