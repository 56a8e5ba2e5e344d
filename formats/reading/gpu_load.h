// Reads the GPU tables of a profile. Used inside formats/ only.
#pragma once

#include <vector>

#include "core/model/profile.h"
#include "formats/database/table_reader.h"

namespace gprofx {

// Fills profile.gpu, without cubins and sources. Strings, processes and functions must have been
// read. Tables that the file does not have (schema 1.0) stay empty.
bool LoadGpuTables(TableReader& reader, Profile& profile);

// In the order of their ids; none where the file lacks the table.
Result<std::vector<GpuCubin>> ReadCubins(const ProfileFile& file);
Result<std::vector<SourceText>> ReadSources(const ProfileFile& file);

// Tables of wall time, of the whole recording or of a part. False: reader.error() says why.
bool ReadWallParts(TableReader& reader, const char* table, std::vector<WallPart>& parts);
bool ReadWallLanes(TableReader& reader, const char* table, const Profile& profile,
                   std::vector<WallLane>& lanes);
bool ReadLaneParts(TableReader& reader, const char* table, std::vector<WallLane>& lanes);

}  // namespace gprofx
