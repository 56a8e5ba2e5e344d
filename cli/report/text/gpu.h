// Formats the GPU's parts of a text report. Each function returns whole lines. Each table says to
// what its shares refer, because GPU time, CPU time, wall time and waiting are never added up.
#pragma once

#include <string>
#include <vector>

#include "cli/report/text/text.h"

namespace gprofx {

// Returns what the first line of a report says about the GPU: "1x NVIDIA H200", "1,203,551 GPU
// operations".
std::vector<std::string> GpuHeadParts(const Page& page);

// Returns the line about the quality of the GPU data. Returns "" if there is no GPU.
std::string GpuDataLine(const Page& page);

std::string WallText(const Page& page);  // shares of busy and idle time; "" if unknown
// Returns the shares of busy and idle time for each GPU and process. Returns "" if there is only
// one.
std::string LanesText(const Page& page);
std::string IdleCausesText(const Page& page);  // idle time by cause, for each GPU and process
std::string KernelsText(const Page& page);     // table of kernels and copies
std::string CopiesText(const Page& page);      // bytes and speed of copies; "" if unknown
std::string WaitsText(const Page& page);       // host threads that waited; "" if none did
// Returns the table of source lines of kernels. Returns "" if there are no PC samples.
std::string GpuLinesText(const Page& page);

std::string Tenths(int tenths);  // formats tenths of a percent: "70.2%"

// Returns commands for further analysis, which the user can copy.
std::vector<std::string> GpuHints(const Page& page);

}  // namespace gprofx
