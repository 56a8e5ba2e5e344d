// Declares the SQL text that creates the tables of a profile, with comments. SQLite stores this
// text in the file, so every file documents itself.
#pragma once

namespace gprofx {

extern const char kSchemaSql[];  // every CREATE statement

}  // namespace gprofx
