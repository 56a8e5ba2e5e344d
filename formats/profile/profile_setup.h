// What both files of a recording begin with, and SQLite's errors in the words of output_file.h.
// Used inside formats/ only.
#pragma once

#include <string>

#include "core/base/result.h"
#include "formats/sqlite/sqlite.h"

namespace gprofx {

Error SqliteError(const std::string& path, const sqlite::Database& db);

// The schema and its first facts in an empty file that nobody else knows yet: without a journal,
// and without waiting for the disk. False on an SQLite error.
bool SetUp(sqlite::Database& db);

// A new profile in the empty `file`; errors name `path`.
Status MakeEmptyProfile(const std::string& file, const std::string& path);

}  // namespace gprofx
