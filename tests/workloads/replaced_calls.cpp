// Loaded first, takes the place of libc's system calls, as tools do that follow a program, and
// tells at the end which of them the profiler's agent made: it interrupts the allocator, so
// functions that may allocate are none for it.
#include <link.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstring>

namespace {

uintptr_t g_begin, g_end;       // of the agent
const char* volatile g_called;  // by it

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

__attribute__((constructor)) void Begin() { dl_iterate_phdr(FindAgent, nullptr); }

__attribute__((destructor)) void End() {
  if (g_called != nullptr) std::fprintf(stderr, "the agent called %s\n", g_called);
}

void Note(const char* name, const void* caller) {
  const auto address = reinterpret_cast<uintptr_t>(caller);
  if (address >= g_begin && address < g_end) g_called = name;
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
  return static_cast<int>(syscall(SYS_openat, -100, path, flags, mode));
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
