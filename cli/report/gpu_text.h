// The parts of a report that only a profile with a GPU has, as text. Each function returns whole
// lines. What is a share of what is said at each table: GPU time, CPU time, wall time and waiting
// are never added to each other.
#pragma once

#include <string>
#include <vector>

#include "cli/report/analysis.h"
#include "cli/report/gpu_rows.h"

namespace gprofx {

// "1x NVIDIA H200", "1,203,551 GPU operations": parts of the first line.
std::vector<std::string> GpuHeadParts(const Analysis& analysis);

// The line on the quality of the GPU's data; "" without a GPU.
std::string GpuDataLine(const Analysis& analysis);

// Whether this view is the one picture of wall, GPU and CPU: --top without a choice of rows.
bool ShowsGpuPicture(const Analysis& analysis);

std::string WallText(const Analysis& analysis);  // busy and idle parts; "" without a partition
// The same by GPU and process; "" where there is one of each.
std::string LanesText(const Analysis& analysis);
// The table of kernels and copies; `gpu` from GpuRows(..., GpuBy::kKernel).
std::string KernelsText(const Analysis& analysis, const GpuTable& gpu, size_t usual_rows);
std::string GpuWaitText(const Analysis& analysis);  // host threads that waited; "" if none did
std::string GpuLinesText(const Analysis& analysis, size_t usual_rows);  // "" without PC samples

// Commands that go on from here, ready to paste.
std::vector<std::string> GpuHints(const Analysis& analysis, const GpuTable& gpu);

}  // namespace gprofx
