// The tables of a profile database, in SQL with comments. SQLite stores this text, so every file
// documents itself.
#pragma once

namespace gprofx {

extern const char kSchemaSql[];  // every CREATE statement

}  // namespace gprofx
