#include "formats/reading/gpu_rows.h"

#include <algorithm>
#include <string_view>

#include "core/base/format.h"

namespace gprofx {

GpuRows::GpuRows(sqlite3* db)
    : device_(db, "INSERT OR REPLACE INTO gpu_device VALUES(?,?,?,?,?,?,?,?,?,?,?)"),
      context_(db, "INSERT OR REPLACE INTO gpu_context VALUES(?,?,?,?)"),
      stream_(db, "INSERT OR REPLACE INTO gpu_stream VALUES(?,?,?,?)"),
      config_(db, "INSERT INTO gpu_kernel_config VALUES(?,?,?,?,?,?,?,?,?,?,?,?)"),
      cubin_(db, "INSERT INTO cubin VALUES(?,?,?)"),
      source_(db, "INSERT INTO source VALUES(?,?,?)"),
      no_wall_(db, "DELETE FROM wall_part"),
      wall_(db, "INSERT INTO wall_part VALUES(?,?,?,?)"),
      no_lane_(db, "DELETE FROM wall_lane"),
      lane_(db, "INSERT INTO wall_lane VALUES(?,?,?,?,?,?)"),
      no_lane_part_(db, "DELETE FROM wall_lane_part"),
      lane_part_(db, "INSERT INTO wall_lane_part VALUES(?,?,?,?,?)") {}

bool GpuRows::Write(const GpuTables& gpu) {
  return PutAll(gpu.devices) && PutAll(gpu.contexts) && PutAll(gpu.streams) &&
         PutAll(gpu.configs) && PutAll(gpu.cubins) && PutAll(gpu.sources) && PutAll(gpu.wall) &&
         PutAll(gpu.lanes);
}

bool GpuRows::Write(const GpuChanges& changes) {
  return PutChanged(changes.devices) && PutChanged(changes.contexts) &&
         PutChanged(changes.streams) && PutChanged(changes.configs) && PutChanged(changes.cubins) &&
         PutChanged(changes.sources) &&
         (!changes.wall || (no_wall_.Run() && PutAll(*changes.wall))) &&
         (!changes.lanes || (no_lane_.Run() && no_lane_part_.Run() && PutAll(*changes.lanes)));
}

bool GpuRows::Put(uint32_t id, const GpuDevice& d) {
  return device_.Run(id, d.name.value, d.uuid.value, d.pci_bus.value, d.compute_major,
                     d.compute_minor, d.multiprocessors, d.clock_hz, d.memory_bytes,
                     d.memory_bytes_per_s, d.driver.value);
}

bool GpuRows::Put(uint32_t id, const GpuContext& c) {
  return context_.Run(id, c.process.value, c.device.value, c.number);
}

bool GpuRows::Put(uint32_t id, const GpuStreamRow& s) {
  return stream_.Run(id, s.context.value, s.number, s.priority);
}

bool GpuRows::Put(uint32_t id, const GpuKernelConfig& c) {
  return config_.Run(id, c.function.value, c.grid[0], c.grid[1], c.grid[2], c.block[0], c.block[1],
                     c.block[2], c.registers, c.static_shared, c.dynamic_shared, c.local);
}

bool GpuRows::Put(uint32_t id, const GpuCubin& cubin) {
  std::span<const std::byte> data = cubin.data;
  if (data.size() > kMaxBlobBytes) data = {};
  return cubin_.Run(id, std::string_view(HexText(cubin.hash, 16)), data);
}

bool GpuRows::Put(uint32_t id, const SourceText& source) {
  std::string_view text = source.text;
  if (text.size() > kMaxBlobBytes) text = {};
  return source_.Run(id, source.path.value, text);
}

bool GpuRows::Put(uint32_t id, const WallPart& part) {
  return wall_.Run(id, std::string_view(part.name), part.ns, part.margin_ns);
}

bool GpuRows::Put(uint32_t id, const WallLane& lane) {
  if (!lane_.Run(id, lane.process.value, lane.device.value, lane.begin, lane.end,
                 lane.hidden_communication_ns))
    return false;
  return std::all_of(lane.parts.begin(), lane.parts.end(), [&](const WallPart& part) {
    return lane_part_.Run(++lane_parts_, id, std::string_view(part.name), part.ns, part.margin_ns);
  });
}

}  // namespace gprofx
