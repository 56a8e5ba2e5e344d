// Defines evidence for why steps took longer: what a file says about each step in addition to GPU
// work, such as what the host waited for and the clock rate of the GPU. stages/build_causes.cpp
// tests whether it explains longer steps.
//
// Each process with steps has one table of integers. The reader of the file makes it once. -1 =
// unknown. Plain data.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/variability/stages/bytes.h"

namespace gprofx::variability {

enum class Witness : uint8_t {
  // Time (ns) in which threads were runnable but had no core. Sum over all threads, at most the
  // step's time.
  kReady,
  kCpus,       // allowed CPUs, minimum over threads
  kAllocator,  // ns in cudaMalloc, cudaFree and similar calls
  kFaults,     // page faults that read from disk
  kLoader,     // ns in a data loader, waiting or working
  kClock,      // MHz of the GPU's multiprocessors
};
inline constexpr size_t kWitnesses = 6;

struct ProcessEvidence {
  int64_t process = 0;
  // Has a row for each step in ProcessSteps::steps.
  std::vector<std::array<int64_t, kWitnesses>> steps;
  bool operator==(const ProcessEvidence&) const = default;
};
using Evidence = std::vector<ProcessEvidence>;

void WriteEvidence(const Evidence& evidence, ByteWriter& out);
Evidence ReadEvidence(ByteReader& in);

}  // namespace gprofx::variability
