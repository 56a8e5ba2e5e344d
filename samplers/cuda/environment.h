// Reads clocks, power and temperature of the GPUs in use once a second through NVML, which comes
// with the driver. Writes nothing if NVML is missing or refuses.
//
// Called only from our own thread (service.h). A reading takes tens of microseconds to a few
// milliseconds and stops no kernel. The first one, which loads the library, happens after one
// second at the earliest, so short programs never load it. Source: the NVML API reference; its
// header is not needed.
#pragma once

#include <cstdint>
#include <vector>

namespace gprofx::cuda {

class Environment {
 public:
  // If a reading is due, writes a record for each GPU.
  void Look();

 private:
  bool Load();
  void* HandleOf(const char* pci_bus) const;

  struct Gpu {
    uint32_t device = 0;
    void* handle = nullptr;  // nvmlDevice_t; null = unknown to NVML
  };
  // Time of the next reading, in ns since the start of the recording.
  int64_t next_ = 1'000'000'000;
  bool asked_ = false, works_ = false;
  std::vector<Gpu> gpus_;
};

}  // namespace gprofx::cuda
