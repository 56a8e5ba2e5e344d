// What the GPU did, as flat tables: kernels and copies by their time, and source lines of kernels
// by their PC samples.
//
// Method: one pass over the nodes of the profile, parents first, which finds the kernel or copy
// that each node belongs to and the Python line that it is seen as, then one over the values.
// Kernels of one name are one row, whatever their launch configuration. Negative values, which only
// a broken file has, count as 0. Linear. Invariants: the sum
// of self_ns (samples) over all rows is that of the metric over the stacks that the filters keep;
// sums saturate. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "cli/report/analysis.h"
#include "cli/report/group.h"
#include "cli/report/rows.h"
#include "core/gpu.h"
#include "core/profile.h"

namespace gprofx {

struct GpuRow {
  FrameId frame;        // a frame of the kernel, copy or line; 0 = values below none
  FrameId kernel;       // of a line: the kernel with most of its samples
  FrameId seen_as;      // the user's Python line with most of the time; 0 = there is none
  int64_t self_ns = 0;  // exact
  int64_t calls = 0;    // kernels run, copies made
  int64_t samples = 0;  // PC samples, and those of them in which the scheduler issued nothing
  int64_t latency = 0;
  std::array<int64_t, kStallClasses> stalls = {};  // samples by StallClass
};

struct GpuTable {
  std::vector<GpuRow> rows;
  GpuRow whole;  // sums over the whole profile, whatever the filters keep: the base of percentages
};

enum class GpuBy { kKernel, kLine };

// Kernels and copies, by time; lines, by samples. Of lines, code without one is a row per kernel.
GpuTable GpuRows(const Profile& profile, const TreeRequest& filters, GpuBy by);

// The calls in which host threads waited for the GPU, by the time of all threads together. `groups`
// are functions.
std::vector<Row> GpuWaitRows(const Analysis& analysis, const Groups& groups);

// The profile holds facts of a GPU: its report shows them.
bool HasGpuData(const Profile& profile);

}  // namespace gprofx
