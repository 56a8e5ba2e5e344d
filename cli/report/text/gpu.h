// The parts of a text report that only a profile with a GPU has. Each function returns whole lines.
// Each table says what its shares refer to: GPU time, CPU time, wall time and waiting are never
// added to each other.
#pragma once

#include <string>
#include <vector>

#include "cli/report/text/text.h"

namespace gprofx {

// Returns parts of the first line: "1x NVIDIA H200", "1,203,551 GPU operations".
std::vector<std::string> GpuHeadParts(const Page& page);

// Returns the line on the quality of GPU data; "" without a GPU.
std::string GpuDataLine(const Page& page);

std::string WallText(const Page& page);   // busy and idle shares; "" if unknown
std::string LanesText(const Page& page);  // the same by GPU and process; "" if there is only one
std::string IdleCausesText(const Page& page);  // idle time by cause, for each GPU and process
std::string KernelsText(const Page& page);     // table of kernels and copies
std::string CopiesText(const Page& page);      // bytes and speed of copies; "" if unknown
std::string WaitsText(const Page& page);       // host threads that waited; "" if none did
std::string GpuLinesText(const Page& page);    // source lines of kernels; "" without PC samples

std::string Tenths(int tenths);  // tenths of a percent: "70.2%"

// Returns commands for further analysis, ready to paste.
std::vector<std::string> GpuHints(const Page& page);

}  // namespace gprofx
