// Makes the GPU data in the JSON of a view; see "JSON" in gprof-x-report(1).
#pragma once

#include "cli/json_text.h"
#include "core/views/view.h"

namespace gprofx {

Json WallJson(const View& view);  // busy and idle shares of wall time; null if unknown
Json GpuJson(const View& view);   // devices, totals, quality

// Return the rows of a table: kernels and copies, waiting host threads, GPU source lines.
Json KernelRowsJson(const View& view);
Json WaitRowsJson(const View& view);
Json GpuLineRowsJson(const View& view);

}  // namespace gprofx
