// What a file records about each of its steps besides GPU work: what the host waited for, and the
// GPU's clock. stages/build_causes.cpp tests whether this evidence explains longer steps.
//
// A table of integers for each process with steps, made once by the reader of the file. -1 =
// unknown. Plain data.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/variability/stages/bytes.h"

namespace gprofx::variability {

enum class Witness : uint8_t {
  kReady,      // ns runnable without a core; all threads, at most the step's time
  kCpus,       // allowed CPUs, minimum over threads
  kAllocator,  // ns in cudaMalloc, cudaFree and the like
  kFaults,     // page faults served from disk
  kLoader,     // ns in a data loader, waiting or not
  kClock,      // MHz of the multiprocessors
};
inline constexpr size_t kWitnesses = 6;

struct ProcessEvidence {
  int64_t process = 0;
  std::vector<std::array<int64_t, kWitnesses>> steps;  // parallel to ProcessSteps
  bool operator==(const ProcessEvidence&) const = default;
};
using Evidence = std::vector<ProcessEvidence>;

void WriteEvidence(const Evidence& evidence, ByteWriter& out);
Evidence ReadEvidence(ByteReader& in);

}  // namespace gprofx::variability
