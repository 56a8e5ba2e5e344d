// Writes the initial content of the two files of a recording: the file that is written while
// recording, and the final one. Also converts SQLite's errors to those of output_file.h. Used only
// inside formats/.
#pragma once

#include <string>

#include "core/base/result.h"
#include "formats/sqlite/sqlite.h"

namespace gprofx {

Error SqliteError(const std::string& path, const sqlite::Database& db);

// Writes the schema and the first entries of meta into an empty file. No other process may know the
// file yet, because this uses no journal. Does not wait for the disk. Returns false on an SQLite
// error.
bool SetUp(sqlite::Database& db);

// Writes a new profile into the empty file `file`. Error messages name `path` instead of `file`.
Status MakeEmptyProfile(const std::string& file, const std::string& path);

}  // namespace gprofx
