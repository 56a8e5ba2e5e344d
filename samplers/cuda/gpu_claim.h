// One process at a time samples a GPU's instructions.
//
// CUPTI samples one context per GPU. A second process is not always refused: where two overlap, one
// of them is given a fatal error later, which ends all of its GPU records with the samples. So who
// samples says so to the others first: by a name in the abstract space of Unix sockets, which needs
// no file, no permission, and ends with the process however it ends. Recordings in other network
// namespaces (containers) do not see it; there CUPTI's own answer remains.
#pragma once

#include <array>
#include <cstdint>

namespace gprofx::cuda {

using DeviceId = std::array<uint8_t, 16>;  // the driver's UUID of a GPU or of a part of one

class GpuClaim {
 public:
  GpuClaim() = default;
  ~GpuClaim() { Release(); }
  GpuClaim(const GpuClaim&) = delete;
  GpuClaim& operator=(const GpuClaim&) = delete;

  // False = another process has it. True also where the system gives no socket: then nobody can be
  // asked. Held until Release or the end of the process. Any thread, not from signal handlers.
  bool Take(const DeviceId& device);
  void Release();

 private:
  int fd_ = -1;
};

// In a fork child, which has copies of what its parent claimed: lets go of them.
void ForgetClaims();

}  // namespace gprofx::cuda
