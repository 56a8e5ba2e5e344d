#include "samplers/agent/signals/signal_room.h"

#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "samplers/agent/confinement/limits.h"

namespace gprofx::agent {
namespace {

// More timers than any program has. If the limit is at least this, the number in use is not read.
constexpr uint64_t kMany = 4096;
// A timer is created only if less than 1/kShare of the limit is in use.
constexpr uint64_t kShare = 4;

uint64_t NumberAt(std::string_view text, size_t* at) {
  uint64_t number = 0;
  for (; *at < text.size() && text[*at] >= '0' && text[*at] <= '9'; ++*at) {
    number = number * 10 + static_cast<uint64_t>(text[*at] - '0');
  }
  return number;
}

// Reads the limit and the number in use from /proc/self/status. Reads in small blocks, because a
// sample may have little stack. Each block overlaps the end of the previous one, because the line
// may span two.
SignalRoom ReadSignalRoom() {
  constexpr size_t kBlock = 384, kLine = 64;
  char block[kBlock];
  SignalRoom room;
  const int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return room;
  for (off_t at = 0; room.limit == UINT64_MAX;) {
    const ssize_t got = pread(fd, block, sizeof block, at);
    if (got <= static_cast<ssize_t>(kLine)) break;
    room = ParseSignalRoom({block, static_cast<size_t>(got)});
    at += got - static_cast<ssize_t>(kLine);
  }
  close(fd);
  return room;
}

}  // namespace

SignalRoom ParseSignalRoom(std::string_view status) {
  constexpr std::string_view kLine = "SigQ:\t";
  const size_t line = status.find(kLine);
  if (line == std::string_view::npos || status.find('\n', line) == std::string_view::npos)
    return {};
  size_t at = line + kLine.size();
  SignalRoom room;
  room.used = NumberAt(status, &at);
  room.limit = NumberAt(status, &++at);
  return room;
}

bool HasRoomForTimer() {
  rlimit limit{};
  if (!Allowed(kNeedFiles) || getrlimit(RLIMIT_SIGPENDING, &limit) != 0 || limit.rlim_cur >= kMany)
    return true;
  const SignalRoom room = ReadSignalRoom();
  return room.limit == UINT64_MAX || room.used < room.limit / kShare;
}

}  // namespace gprofx::agent
