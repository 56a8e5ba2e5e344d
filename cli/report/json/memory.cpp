#include "cli/report/json/memory.h"

#include <utility>

#include "core/model/gpu_numbers.h"
#include "core/views/naming/names.h"

namespace gprofx {
namespace {

Json Known(int64_t number) { return number < 0 ? Json() : Json(number); }

Json AllocatorJson(const Profile& profile, const AllocatorMemory& row) {
  Json json = {{"gpu", row.device ? Json(GpuNumbers(profile)[row.device.index()]) : Json()},
               {"pid", row.process ? Json(profile.process(row.process).pid) : Json()},
               {"allocator", row.is_framework ? "framework" : "driver"},
               {"lines", row.is_shown},
               {"peak_bytes", row.peak},
               {"peak_ns", row.peak_time},
               {"end_bytes", row.at_end},
               {"reserved_at_peak_bytes", Known(row.reserved_at_peak)},
               {"most_reserved_bytes", Known(row.most_reserved)},
               {"most_in_pools_bytes", row.most_in_pools},
               {"unknown_at_peak_bytes", row.unknown_at_peak},
               {"allocations", row.allocations},
               {"allocated_bytes", row.allocated},
               {"frees", row.frees},
               {"freed_bytes", row.freed},
               {"never_freed", row.never_freed},
               {"never_freed_bytes", row.never_freed_bytes},
               {"unmatched_frees", row.unmatched},
               {"live", row.live}};
  json["reserved"] = Json::array();
  for (const int64_t bytes : row.reserved) json["reserved"].push_back(Known(bytes));
  return json;
}

Json LineJson(const Profile& profile, const MemoryLine& line) {
  Json json = {{"name", ""},
               {"file", ""},
               {"line", 0},
               {"at_peak_bytes", line.at_peak},
               {"allocated_bytes", line.allocated},
               {"allocations", line.allocations},
               {"never_freed", line.never_freed},
               {"never_freed_bytes", line.never_freed_bytes},
               {"all_steps_bytes", line.before_steps_bytes},
               {"grows_bytes_per_step", line.grows_by},
               {"median_life_ns", Known(line.median_life_ns)},
               {"longest_life_ns", Known(line.longest_life_ns)}};
  if (line.frame) {
    const Frame& frame = profile.frame(line.frame);
    json["name"] = Utf8(FrameName(profile, frame));
    json["file"] = Utf8(FrameFile(profile, frame));
    json["line"] = frame.line;
  }
  return json;
}

}  // namespace

Json MemoryJson(const View& view) {
  const MemoryTable& table = *view.memory;
  Json allocators = Json::array(), lines = Json::array();
  for (const AllocatorMemory& row : table.allocators) {
    allocators.push_back(AllocatorJson(view.profile, row));
  }
  for (size_t i = 0; i < table.shown; ++i) {
    lines.push_back(LineJson(view.profile, table.lines[i]));
  }
  return {{"begin_ns", table.range.begin},       {"end_ns", table.range.end},
          {"allocators", std::move(allocators)}, {"at_peaks_bytes", table.at_peaks},
          {"rows_total", table.lines.size()},    {"rows", std::move(lines)}};
}

}  // namespace gprofx
