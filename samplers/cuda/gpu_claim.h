// Makes sure that only one process at a time samples the instructions of a GPU.
//
// CUPTI samples one context per GPU, but does not always refuse a second process. If two overlap,
// one of them later gets a fatal error that ends all of its GPU records together with the samples.
// A process that wants to sample therefore claims the GPU first, by a name in the abstract
// namespace of Unix sockets. That needs no file and no permission, and the claim ends with the
// process however it ends. Recordings in other network namespaces (containers) do not see the
// claim. Between them, the only protection is that CUPTI may refuse the second process.
#pragma once

#include <array>
#include <cstdint>

namespace gprofx::cuda {

using DeviceId = std::array<uint8_t, 16>;  // UUID that the driver gives a GPU or a GPU instance

class GpuClaim {
 public:
  GpuClaim() = default;
  ~GpuClaim() { Release(); }
  GpuClaim(const GpuClaim&) = delete;
  GpuClaim& operator=(const GpuClaim&) = delete;

  // Claims the GPU until Release or the end of the process. Returns false if another process has
  // claimed it. Returns true if no socket can be created, because the claim cannot be checked then.
  // Any thread, but not in signal handlers.
  bool Take(const DeviceId& device);
  void Release();

 private:
  int fd_ = -1;
};

// Called in a fork child. Closes its copies of its parent's claims.
void ForgetClaims();

}  // namespace gprofx::cuda
