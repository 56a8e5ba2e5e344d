// What a file knows of its steps besides the work of the GPU: what the host waited for in each, and
// the clock of the GPU. The tests of build_causes.cpp ask whether it goes with longer steps.
//
// A plain table of integers for each process that has steps, made once by who reads the file.
// -1 = the file does not say. Plain data.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/variability/stages/bytes.h"

namespace gprofx::variability {

enum class Witness : uint8_t {
  kReady,      // ns: threads could run and had no core; of all threads, at most the step
  kCpus,       // that its threads may run on, the fewest
  kAllocator,  // ns in cudaMalloc, cudaFree and the like
  kFaults,     // of pages that came from a disk
  kLoader,     // ns in a data loader, waiting or not
  kClock,      // MHz of the multiprocessors
};
inline constexpr size_t kWitnesses = 6;

struct ProcessEvidence {
  int64_t process = 0;
  std::vector<std::array<int64_t, kWitnesses>> steps;  // as in ProcessSteps
  bool operator==(const ProcessEvidence&) const = default;
};
using Evidence = std::vector<ProcessEvidence>;

void WriteEvidence(const Evidence& evidence, ByteWriter& out);
Evidence ReadEvidence(ByteReader& in);

}  // namespace gprofx::variability
