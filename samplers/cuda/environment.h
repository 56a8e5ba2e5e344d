// Once a second: clocks, power and temperature of the GPUs in use, asked of NVML, which comes with
// the driver. Without it, or where it refuses, nothing is written.
//
// On the service thread only. A look takes tens of microseconds to a few milliseconds and stops no
// kernel; the first one, which loads the library, is not before the second second, so that short
// programs do without. Method: the NVML API reference; its header is not needed.
#pragma once

#include <cstdint>
#include <vector>

namespace gprofx::cuda {

class Environment {
 public:
  // Writes a record for each GPU, if it is time.
  void Look();

 private:
  bool Load();
  void* HandleOf(const char* pci_bus) const;

  struct Gpu {
    uint32_t device = 0;
    void* handle = nullptr;  // nvmlDevice_t; null = NVML does not know it
  };
  int64_t next_ = 1'000'000'000;  // ns since the start of the recording
  bool asked_ = false, works_ = false;
  std::vector<Gpu> gpus_;
};

}  // namespace gprofx::cuda
