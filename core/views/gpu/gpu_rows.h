// What the GPU did, as flat tables: kernels and copies by their time, and source lines of kernels
// by their PC samples.
//
// Method: one pass over the nodes of the profile, parents first, which finds the kernel or copy
// that each node belongs to and the Python line that it is seen as, then one over the values.
// Kernels of one name are one row, whatever their launch configuration. Negative values, which only
// a broken file has, count as 0. Linear. Invariants: the sum of self_ns (samples) over all rows is
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
  FrameId frame;        // a frame of the kernel, copy or line; 0 = values below none
  FrameId kernel;       // of a line: the kernel with most of its samples
  FrameId seen_as;      // the user's Python line with most of the time; 0 = there is none
  int64_t self_ns = 0;  // exact, or estimated (GpuTable::estimated)
  int64_t calls = 0;    // kernels run, copies made; likewise
  int64_t traced_ns = 0, traced = 0;  // of an estimate: the part of which there are records
  double variance = 0;                // of self_ns where it is estimated, ns squared
  int64_t samples = 0;  // PC samples, and those of them in which the scheduler issued nothing
  int64_t latency = 0;
  std::array<int64_t, kStallClasses> stalls = {};  // samples by StallClass
  int64_t bytes = 0;  // of copies and memsets of which there are records
  int64_t overlapped_ns =
      0;  // of the time of which there are records: other work of the device ran, too
};

struct GpuTable {
  bool estimated = false;  // records were made for a part of the time, see core/gpu/gpu_estimates.h
  std::vector<GpuRow> rows;
  GpuRow whole;  // sums over the whole profile, whatever the filters keep: the base of percentages
  size_t shown = 0;
  Rest rest;  // of self_ns, of lines of samples
};

enum class GpuBy { kKernel, kLine };

// Kernels and copies, by time; lines, by samples. Of lines, code without one is a row per kernel.
GpuTable GpuRows(const Profile& profile, const Kept& kept, GpuBy by);

// Of the time of which there are records.
int64_t RecordedNs(const GpuTable& table, const GpuRow& row);
// 0 where nothing was copied or no time is known.
int64_t BytesPerSecond(const GpuTable& table, const GpuRow& row);
// Positions of the rows that move bytes, at most `most`, largest first.
std::vector<size_t> CopyRows(const GpuTable& table, size_t most);

// Of a row's frame or kernel; in brackets for none.
std::string OperationName(const Profile& profile, FrameId frame);

int64_t StandardErrorNs(const GpuRow& row);

// The StallClass with most of the row's samples, the first of equal ones.
size_t MainStall(const GpuRow& row);

// Part of the row's samples that is of a StallClass, 0 to 100.
int StallPercent(const GpuRow& row, size_t stall);

// How a kernel was launched. Launches are counted in the timeline only, so of several
// configurations the first one seen stands here.
struct KernelLaunches {
  const GpuKernelConfig* first = nullptr;  // nullptr = unknown
  int64_t configurations = 0;
};
KernelLaunches LaunchesOf(const Profile& profile, FrameId frame);

struct SampledKernel {
  size_t row = 0;  // in the table
  std::string name;
  bool operator==(const SampledKernel&) const = default;
};

// What `gprof-x annotate` may be asked for, in the order of `kernels` and out of the first `most`
// with PC samples: a kernel's last part of the name where no other sampled kernel is called so,
// else its full name.
std::vector<SampledKernel> SampledKernels(const Profile& profile, const GpuTable& kernels,
                                          size_t most);

}  // namespace gprofx
