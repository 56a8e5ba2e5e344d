// The tables of a profile database, in SQL with comments: SQLite keeps the text, so every file
// documents itself.
#pragma once

namespace gprofx {

extern const char kSchemaSql[];  // every CREATE statement of schema version 1.0

constexpr int kCpuSampleStream = 1;  // stream.id of the timeline of CPU samples
constexpr int kValueStream = 2;      // table `value` once more, in a finished profile

}  // namespace gprofx
