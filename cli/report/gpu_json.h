// What only a profile with a GPU adds to the JSON of a view; see "JSON" in gprof-x-report(1).
#pragma once

#include "cli/report/analysis.h"
#include "cli/report/gpu_rows.h"
#include "cli/report/json_text.h"

namespace gprofx {

Json WallJson(const Profile& profile);   // null without a partition
Json GpuJson(const Analysis& analysis);  // devices, totals, quality

// Rows of the tables of kernels and copies, of waiting host threads and of GPU source lines. A
// limit cuts each table; `all` counts the rows before.
Json KernelRowsJson(const Analysis& analysis, size_t& all);
Json GpuWaitRowsJson(const Analysis& analysis, size_t& all);
Json GpuLineRowsJson(const Analysis& analysis, size_t& all);

// {name, file, line}, or null for no frame.
Json SeenAsJson(const Profile& profile, FrameId frame);

}  // namespace gprofx
