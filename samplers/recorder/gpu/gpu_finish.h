// Finishes the GPU instruction samples (PC samples) of a recording: moves them from kernels to
// source lines.
//
// Samples are moved if the module of the sampled function is in the spool and has line information.
// They then move from the kernel's node to the line in which they were taken. The path is: kernel >
// line in the kernel > inlined functions (kInlined, each with the line that runs inside) > line in
// the innermost one. Lines are kGpuInstruction frames. Without line information, samples stay at
// the kernel. The needed parts of the cubins (kMaxCubinBytes in total) and the sources of the lines
// are stored in the profile. Sums per thread and metric do not change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/base/result.h"
#include "core/events/events.h"
#include "core/model/profile.h"
#include "samplers/collector/gpu/pc_table.h"

namespace gprofx::recorder {

constexpr size_t kMaxCubinBytes = size_t{64} << 20;

// Reads the code of the module with this hash. The hash is our own and not CUPTI's.
using ReadModule = std::function<Result<std::vector<std::byte>>(uint64_t hash)>;

// Turns the samples of `pc` into rows. `profile` is the resolved profile, and `node_of` is as in
// core/model/resolve.h. Stores the sources of the lines if `sources` is true. Counts the sampled
// modules whose code is missing in quality["gpu_cubins_missing"]. Returns the rows of
// Stream::kPcSamples, with nodes of `profile`.
EventTable FinishPcSamples(const PcTable& pc, const ReadModule& read,
                           const std::vector<NodeId>& node_of, Profile& profile,
                           bool sources = true);

}  // namespace gprofx::recorder
