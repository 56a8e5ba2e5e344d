#include "formats/gpu_rows.h"

#include <cstdio>
#include <string_view>

#include "formats/changed_rows.h"

namespace gprofx {

GpuRows::GpuRows(sqlite3* db)
    : device_(db, "INSERT OR REPLACE INTO gpu_device VALUES(?,?,?,?,?,?,?,?,?,?,?)"),
      context_(db, "INSERT OR REPLACE INTO gpu_context VALUES(?,?,?,?)"),
      stream_(db, "INSERT OR REPLACE INTO gpu_stream VALUES(?,?,?,?)"),
      config_(db, "INSERT INTO gpu_kernel_config VALUES(?,?,?,?,?,?,?,?,?,?,?,?)"),
      cubin_(db, "INSERT INTO cubin VALUES(?,?,?)"),
      source_(db, "INSERT INTO source VALUES(?,?,?)"),
      no_wall_(db, "DELETE FROM wall_part"),
      wall_(db, "INSERT INTO wall_part VALUES(?,?,?)"),
      no_lane_(db, "DELETE FROM wall_lane"),
      lane_(db, "INSERT INTO wall_lane VALUES(?,?,?,?,?,?)"),
      no_lane_part_(db, "DELETE FROM wall_lane_part"),
      lane_part_(db, "INSERT INTO wall_lane_part VALUES(?,?,?,?)") {}

bool GpuRows::Write(const GpuTables& gpu) {
  return WriteHardware(gpu) && WriteConfigs(gpu) && WriteCode(gpu) && WriteWall(gpu.wall) &&
         WriteLanes(gpu.lanes);
}

bool GpuRows::WriteHardware(const GpuTables& gpu) {
  return WriteChanged(gpu.devices, stored_.devices,
                      [this](uint32_t id, const GpuDevice& d) {
                        return device_.Run(id, d.name.value, d.uuid.value, d.pci_bus.value,
                                           d.compute_major, d.compute_minor, d.multiprocessors,
                                           d.clock_hz, d.memory_bytes, d.memory_bytes_per_s,
                                           d.driver.value);
                      }) &&
         WriteChanged(gpu.contexts, stored_.contexts,
                      [this](uint32_t id, const GpuContext& c) {
                        return context_.Run(id, c.process.value, c.device, c.number);
                      }) &&
         WriteChanged(gpu.streams, stored_.streams, [this](uint32_t id, const GpuStreamRow& s) {
           return stream_.Run(id, s.context, s.number, s.priority);
         });
}

bool GpuRows::WriteConfigs(const GpuTables& gpu) {
  for (size_t i = stored_.configs; i < gpu.configs.size(); ++i) {
    const GpuKernelConfig& c = gpu.configs[i];
    if (!config_.Run(uint64_t{i + 1}, c.function.value, c.grid[0], c.grid[1], c.grid[2], c.block[0],
                     c.block[1], c.block[2], c.registers, c.static_shared, c.dynamic_shared,
                     c.local)) {
      return false;
    }
  }
  return true;
}

bool GpuRows::WriteCode(const GpuTables& gpu) {
  for (size_t i = stored_.cubins; i < gpu.cubins.size(); ++i) {
    const GpuCubin& cubin = gpu.cubins[i];
    char hash[17];
    snprintf(hash, sizeof(hash), "%016llx", static_cast<unsigned long long>(cubin.hash));
    std::span<const std::byte> data = cubin.data;
    if (data.size() > kMaxBlobBytes) data = {};
    if (!cubin_.Run(uint64_t{i + 1}, std::string_view(hash), data)) return false;
  }
  for (size_t i = stored_.sources; i < gpu.sources.size(); ++i) {
    std::string_view text = gpu.sources[i].text;
    if (text.size() > kMaxBlobBytes) text = {};
    if (!source_.Run(uint64_t{i + 1}, gpu.sources[i].path.value, text)) return false;
  }
  return true;
}

bool GpuRows::WriteWall(const std::vector<WallPart>& wall) {
  if (wall == stored_.wall) return true;
  if (!no_wall_.Run()) return false;
  for (size_t i = 0; i < wall.size(); ++i) {
    if (!wall_.Run(uint64_t{i + 1}, std::string_view(wall[i].name), wall[i].ns)) return false;
  }
  return true;
}

bool GpuRows::WriteLanes(const std::vector<WallLane>& lanes) {
  if (lanes == stored_.lanes) return true;
  if (!no_lane_.Run() || !no_lane_part_.Run()) return false;
  uint64_t parts = 0;
  for (size_t i = 0; i < lanes.size(); ++i) {
    const WallLane& lane = lanes[i];
    if (!lane_.Run(uint64_t{i + 1}, lane.process.value, lane.device, lane.begin, lane.end,
                   lane.hidden_communication_ns))
      return false;
    for (const WallPart& part : lane.parts) {
      if (!lane_part_.Run(++parts, uint64_t{i + 1}, std::string_view(part.name), part.ns))
        return false;
    }
  }
  return true;
}

void GpuRows::Remember(const GpuTables& gpu) {
  stored_.devices = gpu.devices;
  stored_.contexts = gpu.contexts;
  stored_.streams = gpu.streams;
  stored_.wall = gpu.wall;
  stored_.lanes = gpu.lanes;
  stored_.configs = gpu.configs.size();
  stored_.cubins = gpu.cubins.size();
  stored_.sources = gpu.sources.size();
}

}  // namespace gprofx
