// Manages PC sampling of one CUDA context: sets it up, reads the samples from the hardware, and
// adapts the sampling period.
//
// Uses CUPTI's continuous mode for the life of the context and never serializes kernels. Not
// thread-safe: PcSampling holds a lock around all calls. Method: documentation of the CUPTI PC
// Sampling API. The sequence is Enable, stall reasons, configuration, then GetData into a buffer
// other than the configured one.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "samplers/cuda/cupti/cupti_api.h"
#include "samplers/cuda/devices.h"
#include "samplers/cuda/names.h"

namespace gprofx::cuda {

// A buffer for PC records in CUPTI's layout. Its pages take memory only when they are filled.
class PcBuffer {
 public:
  PcBuffer(size_t pcs, size_t reasons);
  CUpti_PCSamplingData* data() { return &data_; }

 private:
  struct Free {
    void operator()(void* p) const { std::free(p); }
  };
  std::unique_ptr<CUpti_PCSamplingStallReason[], Free> reasons_;
  std::vector<CUpti_PCSamplingPCData> pcs_;
  CUpti_PCSamplingData data_{};
};

class PcContext {
 public:
  PcContext(CUcontext context, uint32_t id, uint32_t device, const DeviceFacts& facts);

  // Starts sampling. Called from a callback in which the context is current. Returns CUPTI_SUCCESS
  // or the error.
  CUptiResult Start();
  // Reads until no samples are left, and writes windows and samples to the stream.
  void Drain(Names& names);
  // Reads the samples that CUPTI still has, and stops sampling. The context may be destroyed
  // afterwards.
  void Stop(Names& names);

  CUcontext context() const { return context_; }
  uint32_t period() const { return period_; }
  // True if CUPTI cannot continue with this context. Stop must then be called.
  bool broken() const { return broken_; }
  // True if the hardware's buffer has overflowed. No more samples arrive until RestartSlower() is
  // called.
  bool full() const { return full_; }
  // Sets sampling up again with a longer period. Called if full(). No thread may be inside a CUDA
  // call (call_gate.h).
  void RestartSlower();

 private:
  CUptiResult Configure();
  CUptiResult ReadReasons();
  void DescribeSetup();
  CUptiResult Enable();
  void Disable();
  // Returns the number of samples in `data` that belong to the program and have a program counter.
  uint64_t CountPlaced(const CUpti_PCSamplingData& data) const;
  uint64_t SamplesOf(const CUpti_PCSamplingPCData& pc) const;
  void Write(const CUpti_PCSamplingData& data, int64_t begin, int64_t end, Names& names,
             uint64_t without_room = 0);
  void WritePc(const CUpti_PCSamplingPCData& pc, Names& names);

  CUcontext context_;
  uint32_t id_, device_;
  DeviceFacts facts_;
  uint32_t period_;
  size_t hardware_bytes_;          // 0 = CUPTI's default
  std::vector<uint32_t> indexes_;  // CUPTI's indexes of the stall reasons
  std::vector<bool> counts_;       // by index: true if samples with the reason count in the sum
  std::unique_ptr<PcBuffer> configured_, drained_;
  int64_t last_drain_ = 0;
  bool broken_ = false, full_ = false;
};

// Returns the default period, as log2 of the number of SM cycles between two samples. It gives
// about a million samples a second on a busy GPU.
uint32_t UsualPeriod(const DeviceFacts& facts);

}  // namespace gprofx::cuda
