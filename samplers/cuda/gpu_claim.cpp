#include "samplers/cuda/gpu_claim.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstring>

namespace gprofx::cuda {
namespace {

// Lower numbers are left to the program, which may expect them for its own files.
constexpr int kMinFd = 200;
constexpr size_t kMaxClaims = 64;
// Descriptor + 1 of each claim; fork children read them.
std::array<std::atomic<int>, kMaxClaims> claimed{};

constexpr char kPrefix[] = "\0gprof-x.instruction-samples.";

struct Address {
  sockaddr_un name{};
  socklen_t length = 0;
};

Address AddressOf(const DeviceId& device) {
  constexpr char kDigits[] = "0123456789abcdef";
  Address address;
  address.name.sun_family = AF_UNIX;
  char* at = address.name.sun_path;
  std::memcpy(at, kPrefix, sizeof(kPrefix) - 1);
  at += sizeof(kPrefix) - 1;
  for (const uint8_t byte : device) {
    *at++ = kDigits[byte >> 4];
    *at++ = kDigits[byte & 15];
  }
  address.length = static_cast<socklen_t>(at - reinterpret_cast<char*>(&address.name));
  return address;
}

// True if `fd` is still our socket. The program may have closed it, and the number may now belong
// to another file.
bool IsStillOurs(int fd) {
  sockaddr_un name{};
  socklen_t length = sizeof(name);
  return getsockname(fd, reinterpret_cast<sockaddr*>(&name), &length) == 0 &&
         std::memcmp(name.sun_path, kPrefix, sizeof(kPrefix) - 1) == 0;
}

void CloseOurs(int fd) {
  if (IsStillOurs(fd)) close(fd);
}

int BoundSocket(const DeviceId& device, bool* taken) {
  const int low = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (low < 0) return -1;
  const int high = fcntl(low, F_DUPFD_CLOEXEC, kMinFd);
  const int fd = high < 0 ? low : high;
  if (high >= 0) close(low);
  const Address address = AddressOf(device);
  if (bind(fd, reinterpret_cast<const sockaddr*>(&address.name), address.length) == 0) return fd;
  *taken = errno == EADDRINUSE;
  close(fd);
  return -1;
}

void Replace(int before, int after) {
  for (auto& slot : claimed) {
    int expected = before;
    if (slot.compare_exchange_strong(expected, after)) return;
  }
}

}  // namespace

bool GpuClaim::Take(const DeviceId& device) {
  Release();
  bool taken = false;
  fd_ = BoundSocket(device, &taken);
  if (fd_ >= 0) Replace(0, fd_ + 1);
  return !taken;
}

void GpuClaim::Release() {
  if (fd_ < 0) return;
  Replace(fd_ + 1, 0);
  CloseOurs(fd_);
  fd_ = -1;
}

void ForgetClaims() {
  for (auto& slot : claimed) {
    const int fd = slot.exchange(0) - 1;
    if (fd >= 0) CloseOurs(fd);
  }
}

}  // namespace gprofx::cuda
