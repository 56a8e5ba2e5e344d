// Writes the initial content of the two files of a recording: the one written during the recording
// and the final one. Also translates SQLite's errors to those of output_file.h. Used only inside
// formats/.
#pragma once

#include <string>

#include "core/base/result.h"
#include "formats/sqlite/sqlite.h"

namespace gprofx {

Error SqliteError(const std::string& path, const sqlite::Database& db);

// Writes the schema and the first entries of meta into an empty file that no other process knows
// yet. Uses no journal and does not wait for the disk. Returns false on an SQLite error.
bool SetUp(sqlite::Database& db);

// Writes a new profile into the empty file `file`. Errors name `path`.
Status MakeEmptyProfile(const std::string& file, const std::string& path);

}  // namespace gprofx
