// Runs in signal handlers: system calls only.
#include "samplers/agent/process/process_stat.h"

#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>

#include "samplers/agent/libc/raw_syscall.h"

namespace gprofx::agent {
namespace {

constexpr int kStateField = 3, kFlagsField = 9, kStartField = 22,
              kStackField = 28;  // field numbers as in proc(5), counted from 1

// Writes "/proc/PID/stat" to `path` without snprintf(3), which may allocate.
void PathOfStat(int64_t pid, char (&path)[32]) {
  char digits[20];
  int count = 0;
  do {
    digits[count++] = static_cast<char>('0' + pid % 10);
    pid /= 10;
  } while (pid > 0);
  char* to = path;
  for (const char* from = "/proc/"; *from != 0;) *to++ = *from++;
  while (count > 0) *to++ = digits[--count];
  for (const char* from = "/stat"; *from != 0;) *to++ = *from++;
  *to = 0;
}

uint64_t NumberAt(const char* at) {
  uint64_t number = 0;
  for (; *at >= '0' && *at <= '9'; ++at) number = number * 10 + static_cast<uint64_t>(*at - '0');
  return number;
}

}  // namespace

ProcessStat ParseStat(const char* text) {
  ProcessStat stat;
  // The name in brackets may contain anything, also blanks and brackets.
  const char* at = strrchr(text, ')');
  for (int field = kStateField; at != nullptr && field <= kStackField; ++field) {
    at = strchr(at, ' ');
    if (at == nullptr) break;
    ++at;
    if (field == kStateField) stat.state = *at;
    if (field == kFlagsField) stat.flags = NumberAt(at);
    if (field == kStartField) stat.start = NumberAt(at);
    if (field == kStackField) stat.stack = NumberAt(at);
  }
  return stat;
}

ProcessStat StatOf(int64_t pid) {
  char path[32], text[512] = {};
  if (pid <= 0) return {};
  PathOfStat(pid, path);
  const long fd = RawSyscall(SYS_openat, AT_FDCWD, AsArgument(path), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  RawSyscall(SYS_read, fd, AsArgument(text), sizeof(text) - 1);
  RawSyscall(SYS_close, fd);
  return ParseStat(text);
}

}  // namespace gprofx::agent
