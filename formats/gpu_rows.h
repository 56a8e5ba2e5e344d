// The GPU tables of a Profile into the tables of one database, again and again as they grow. A part
// of ProfileRows, see there.
//
// Configurations, cubins and sources are append-only; the other tables are compared with a copy.
#pragma once

#include <cstdint>
#include <vector>

#include "core/gpu.h"
#include "formats/sqlite.h"

namespace gprofx {

// Readers refuse larger blobs and texts. The data of larger cubins and sources is left away.
constexpr size_t kMaxBlobBytes = size_t{48} << 20;

class GpuRows {
 public:
  explicit GpuRows(sqlite3* db);

  bool Write(const GpuTables& gpu);     // inside a transaction
  void Remember(const GpuTables& gpu);  // that transaction is durable

 private:
  struct Stored {
    std::vector<GpuDevice> devices;
    std::vector<GpuContext> contexts;
    std::vector<GpuStreamRow> streams;
    std::vector<WallPart> wall;
    std::vector<WallLane> lanes;
    size_t configs = 0, cubins = 0, sources = 0;
  };

  bool WriteHardware(const GpuTables& gpu);
  bool WriteConfigs(const GpuTables& gpu);
  bool WriteCode(const GpuTables& gpu);
  bool WriteWall(const std::vector<WallPart>& wall);
  bool WriteLanes(const std::vector<WallLane>& lanes);

  sqlite::Statement device_, context_, stream_, config_, cubin_, source_, no_wall_, wall_;
  sqlite::Statement no_lane_, lane_, no_lane_part_, lane_part_;
  Stored stored_;
};

}  // namespace gprofx
