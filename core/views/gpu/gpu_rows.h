// GPU work as flat tables: kernels and copies by time, and source lines of kernels by PC samples.
//
// Method: one pass over the nodes of the profile, parents first, finds the kernel or copy that each
// node belongs to and the Python line that it is attributed to; a second pass adds up the values.
// Kernels of one name share a row, regardless of launch configuration. Negative values occur only
// in broken files and count as 0. Linear. Invariants: the sum of self_ns (samples) over all rows is
// that of the metric over the stacks that the filters keep; sums saturate. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/gpu/gpu.h"
#include "core/model/profile.h"
#include "core/views/call_tree.h"
#include "core/views/rest.h"

namespace gprofx {

struct GpuRow {
  FrameId frame;        // a frame of the kernel, copy or line; 0 = values outside of all
  FrameId kernel;       // for a line: the kernel with most of its samples
  FrameId seen_as;      // the user's Python line with most of the time; 0 = none
  int64_t self_ns = 0;  // exact, or estimated (GpuTable::estimated)
  int64_t calls = 0;    // kernels run or copies made; also exact or estimated
  int64_t traced_ns = 0, traced = 0;  // of an estimate: the part with records
  double variance = 0;                // of self_ns if it is estimated, ns squared
  int64_t samples = 0;                // PC samples; `latency`: those without an issued instruction
  int64_t latency = 0;
  std::array<int64_t, kStallClasses> stalls = {};  // samples by StallClass
  int64_t bytes = 0;                               // of copies and memsets with records
  int64_t overlapped_ns = 0;  // part of the recorded time in which other work ran on the device
};

struct GpuTable {
  bool estimated = false;  // records cover part of the time, see core/gpu/gpu_estimates.h
  std::vector<GpuRow> rows;
  GpuRow whole;  // sums regardless of filters: the base of percentages
  size_t shown = 0;
  Rest rest;  // of self_ns; for lines, of samples
};

enum class GpuBy { kKernel, kLine };

// Returns kernels and copies by time, or lines by samples. Code without a line is one row per
// kernel.
GpuTable GpuRows(const Profile& profile, const Kept& kept, GpuBy by);

// Returns the part of the time that has records.
int64_t RecordedNs(const GpuTable& table, const GpuRow& row);
// Returns 0 if nothing was copied or no time is known.
int64_t BytesPerSecond(const GpuTable& table, const GpuRow& row);
// Returns the indices of the `most` largest rows that move bytes, largest first.
std::vector<size_t> CopyRows(const GpuTable& table, size_t most);

// Returns the name of a row's frame or kernel; a name in brackets if there is none.
std::string OperationName(const Profile& profile, FrameId frame);

int64_t StandardErrorNs(const GpuRow& row);

// Returns the StallClass with most of the row's samples, the first if several are equal.
size_t MainStall(const GpuRow& row);

// Returns the percentage of the row's samples in a StallClass, 0 to 100.
int StallPercent(const GpuRow& row, size_t stall);

// Launch configurations of a kernel. `first` is the first one in the profile, which need not be the
// most frequent: only the timeline counts launches.
struct KernelLaunches {
  const GpuKernelConfig* first = nullptr;  // nullptr = unknown
  int64_t configurations = 0;
};
KernelLaunches LaunchesOf(const Profile& profile, FrameId frame);

struct SampledKernel {
  size_t row = 0;  // index in the table
  std::string name;
  bool operator==(const SampledKernel&) const = default;
};

// Returns the names that `gprof-x annotate` accepts for the first `most` kernels with PC samples,
// in the order of `kernels`: the last component of the name if it is unique among sampled kernels,
// else the full name.
std::vector<SampledKernel> SampledKernels(const Profile& profile, const GpuTable& kernels,
                                          size_t most);

}  // namespace gprofx
