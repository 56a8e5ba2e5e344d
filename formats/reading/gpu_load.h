// Reads the GPU tables of a profile. Used only inside formats/.
#pragma once

#include <vector>

#include "core/model/profile.h"
#include "formats/database/table_reader.h"

namespace gprofx {

// Fills profile.gpu except cubins and sources. Strings, processes and functions must be loaded
// before. Tables that the file does not have (schema 1.0) stay empty. On failure, returns false,
// and reader.error() has the reason.
bool LoadGpuTables(TableReader& reader, Profile& profile);

// Returns the cubins in the order of their ids; empty if the file has no such table.
Result<std::vector<GpuCubin>> ReadCubins(const ProfileFile& file);
// Limits for ReadSources: number of texts, and their total size. It returns texts in the order of
// their ids and leaves out those that exceed the limits.
constexpr size_t kMaxSources = 20'000, kMaxSourceBytes = size_t{64} << 20;
Result<std::vector<SourceText>> ReadSources(const ProfileFile& file);

// Read wall time from `table`, which belongs either to the whole recording or to a range. On
// failure, they return false, and reader.error() has the reason.
bool ReadWallParts(TableReader& reader, const char* table, std::vector<WallPart>& parts);
bool ReadWallLanes(TableReader& reader, const char* table, const Profile& profile,
                   std::vector<WallLane>& lanes);
bool ReadLaneParts(TableReader& reader, const char* table, std::vector<WallLane>& lanes);

}  // namespace gprofx
