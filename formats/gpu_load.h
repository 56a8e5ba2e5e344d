// Reads the GPU tables of a profile. Used inside formats/ only.
#pragma once

#include "core/profile.h"
#include "formats/table_reader.h"

namespace gprofx {

// Fills profile.gpu, without cubins and sources. Strings, processes and functions must have been
// read. Tables that the file does not have (schema 1.0) stay empty.
bool LoadGpuTables(TableReader& reader, Profile& profile);

}  // namespace gprofx
