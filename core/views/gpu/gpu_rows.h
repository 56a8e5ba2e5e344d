// Builds two flat tables of GPU work: kernels and copies by time, and source lines of kernels by PC
// samples.
//
// Method: one pass over the nodes of the profile, parents first, finds the kernel or copy to which
// each node belongs and the Python line to which it is attributed. A second pass adds up the
// values. Kernels with the same name share a row, regardless of launch configuration. Negative
// values occur only in broken files and count as 0. Linear. Invariant: the sum of self_ns (in a
// table of lines, of `samples`) over all rows equals the sum of the metric over the stacks that the
// filters keep. Sums saturate. Pure.
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
  FrameId frame;        // a frame of the kernel, copy or line; 0 = values that belong to none
  FrameId kernel;       // set for a line: the kernel with most of its samples
  FrameId seen_as;      // the user's Python line with most of its time; 0 = none
  int64_t self_ns = 0;  // exact, or estimated (GpuTable::estimated)
  int64_t calls = 0;    // runs of the kernel, or copies; exact or estimated, like self_ns
  int64_t traced_ns = 0, traced = 0;  // set for an estimate: recorded time and number
  double variance = 0;                // of self_ns if it is estimated, ns squared
  int64_t samples = 0;  // PC samples; `latency`: samples in which no instruction was issued
  int64_t latency = 0;
  std::array<int64_t, kStallClasses> stalls = {};  // samples by StallClass
  int64_t bytes = 0;                               // of copies and memsets with records
  int64_t overlapped_ns = 0;  // part of the recorded time during which other work ran on the device
};

struct GpuTable {
  bool estimated = false;  // records cover part of the time (core/gpu/gpu_estimates.h)
  std::vector<GpuRow> rows;
  GpuRow whole;  // sums regardless of filters, the 100 % of percentages
  size_t shown = 0;
  Rest rest;  // left-out rows: sums of self_ns or, in a table of lines, of samples
};

enum class GpuBy { kKernel, kLine };

// Returns kernels and copies by time, or source lines by PC samples. Samples without a line are in
// one row per kernel.
GpuTable GpuRows(const Profile& profile, const Kept& kept, GpuBy by);

// Returns the part of the row's time that was recorded.
int64_t RecordedNs(const GpuTable& table, const GpuRow& row);
// Returns the rate of a copy or memset over its recorded time. 0 if no bytes or no time are known.
int64_t BytesPerSecond(const GpuTable& table, const GpuRow& row);
// Returns the indices of at most `most` rows of copies and memsets: those that move the most bytes,
// largest first.
std::vector<size_t> CopyRows(const GpuTable& table, size_t most);

// Returns the name of a kernel or copy. If it has none, returns a name in brackets.
std::string OperationName(const Profile& profile, FrameId frame);

int64_t StandardErrorNs(const GpuRow& row);

// Returns the StallClass with most of the row's samples; the first one if several are equal.
size_t MainStall(const GpuRow& row);

// Returns the percentage of the row's samples in a StallClass, 0 to 100.
int StallPercent(const GpuRow& row, size_t stall);

// The launch configurations of a kernel. `first` is the first one in the profile, which need not be
// the most frequent one: only the timeline knows how often each was launched.
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

// Returns the first `most` kernels with PC samples, in the order of `kernels`, with the names under
// which `gprof-x annotate` finds them. The name is the last component if that is unique among
// sampled kernels, otherwise the full name.
std::vector<SampledKernel> SampledKernels(const Profile& profile, const GpuTable& kernels,
                                          size_t most);

}  // namespace gprofx
