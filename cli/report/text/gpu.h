// The parts of a report that only a profile with a GPU has, as text. Each function returns whole
// lines. What is a share of what is said at each table: GPU time, CPU time, wall time and waiting
// are never added to each other.
#pragma once

#include <string>
#include <vector>

#include "cli/report/text/text.h"

namespace gprofx {

// "1x NVIDIA H200", "1,203,551 GPU operations": parts of the first line.
std::vector<std::string> GpuHeadParts(const Page& page);

// The line on the quality of the GPU's data; "" without a GPU.
std::string GpuDataLine(const Page& page);

std::string WallText(const Page& page);        // busy and idle parts; "" without a partition
std::string LanesText(const Page& page);       // the same by GPU and process; "" where there is one
std::string IdleCausesText(const Page& page);  // and by cause of idle time, over all of these
std::string KernelsText(const Page& page);     // the table of kernels and copies
std::string CopiesText(const Page& page);    // what they move and how fast; "" where none is known
std::string WaitsText(const Page& page);     // host threads that waited; "" if none did
std::string GpuLinesText(const Page& page);  // source lines of kernels; "" without PC samples

std::string Tenths(int tenths);  // of a percent: "70.2%"

// Commands that go on from here, ready to paste.
std::vector<std::string> GpuHints(const Page& page);

}  // namespace gprofx
