// Writes the GPU tables of a Profile into a database. Used by ProfileRows.
#pragma once

#include <cstdint>

#include "core/gpu/gpu.h"
#include "formats/database/row_putter.h"
#include "formats/profile/profile_changes.h"
#include "formats/sqlite/sqlite.h"

namespace gprofx {

// Maximum size of a cubin or source text. Larger ones are written without their data, because
// readers refuse larger blobs and texts.
constexpr size_t kMaxBlobBytes = size_t{48} << 20;

class GpuRows : private RowPutter<GpuRows> {
 public:
  explicit GpuRows(sqlite3* db);

  bool Write(const GpuTables& gpu);  // the tables must be empty
  bool Write(const GpuChanges& changes);

 private:
  friend RowPutter;
  bool Put(uint32_t id, const GpuDevice& device);
  bool Put(uint32_t id, const GpuContext& context);
  bool Put(uint32_t id, const GpuStreamRow& stream);
  bool Put(uint32_t id, const GpuKernelConfig& config);
  bool Put(uint32_t id, const GpuCubin& cubin);
  bool Put(uint32_t id, const SourceText& source);
  bool Put(uint32_t id, const WallPart& part);
  bool Put(uint32_t id, const WallLane& lane);

  sqlite::Statement device_, context_, stream_, config_, cubin_, source_, no_wall_, wall_;
  sqlite::Statement no_lane_, lane_, no_lane_part_, lane_part_;
  uint64_t lane_parts_ = 0;  // number of ids assigned so far
};

}  // namespace gprofx
