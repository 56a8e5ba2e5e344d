// Reads the GPU tables of a profile. Used inside formats/ only.
#pragma once

#include <vector>

#include "core/model/profile.h"
#include "formats/database/table_reader.h"

namespace gprofx {

// Fills profile.gpu except cubins and sources. Strings, processes and functions must be loaded
// first. Tables that the file lacks (schema 1.0) stay empty.
bool LoadGpuTables(TableReader& reader, Profile& profile);

// Return the rows in id order; empty if the file lacks the table.
Result<std::vector<GpuCubin>> ReadCubins(const ProfileFile& file);
// At most kMaxSources texts of kMaxSourceBytes together; later ones are left out.
constexpr size_t kMaxSources = 20'000, kMaxSourceBytes = size_t{64} << 20;
Result<std::vector<SourceText>> ReadSources(const ProfileFile& file);

// Read wall-time tables, of the whole recording or of a range. On false, reader.error() has the
// reason.
bool ReadWallParts(TableReader& reader, const char* table, std::vector<WallPart>& parts);
bool ReadWallLanes(TableReader& reader, const char* table, const Profile& profile,
                   std::vector<WallLane>& lanes);
bool ReadLaneParts(TableReader& reader, const char* table, std::vector<WallLane>& lanes);

}  // namespace gprofx
