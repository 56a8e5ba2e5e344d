// Reads the GPU tables of a profile. Used only inside formats/.
#pragma once

#include <vector>

#include "core/model/profile.h"
#include "formats/database/table_reader.h"

namespace gprofx {

// Fills profile.gpu except cubins and sources. Strings, processes and functions must be loaded
// before. Tables that the file lacks (schema 1.0) stay empty. On false, reader.error() has the
// reason.
bool LoadGpuTables(TableReader& reader, Profile& profile);

// Returns the cubins in the order of their ids; empty if the file lacks the table.
Result<std::vector<GpuCubin>> ReadCubins(const ProfileFile& file);
// ReadSources returns at most kMaxSources texts with a total of kMaxSourceBytes, in the order of
// their ids, and leaves out the others.
constexpr size_t kMaxSources = 20'000, kMaxSourceBytes = size_t{64} << 20;
Result<std::vector<SourceText>> ReadSources(const ProfileFile& file);

// Read wall time from `table`, which is a table either of the whole recording or of a range. On
// false, reader.error() has the reason.
bool ReadWallParts(TableReader& reader, const char* table, std::vector<WallPart>& parts);
bool ReadWallLanes(TableReader& reader, const char* table, const Profile& profile,
                   std::vector<WallLane>& lanes);
bool ReadLaneParts(TableReader& reader, const char* table, std::vector<WallLane>& lanes);

}  // namespace gprofx
