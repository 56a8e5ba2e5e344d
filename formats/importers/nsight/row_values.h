// Interprets values in rows of an export. Pure.
#pragma once

#include <cstdint>

#include "formats/importers/nsight/export_tables.h"
#include "formats/importers/sqlite_rows.h"

namespace gprofx::importers::nsight {

// Return the pid and the tid in a global id. A global id has 8 bits for the machine, 8 for the
// virtual machine, 24 for the process and 24 for the thread.
inline int64_t PidOf(int64_t global) { return (global >> 24) & 0xffffff; }
inline int64_t TidOf(int64_t global) { return global & 0xffffff; }

inline bool IsUnsigned(int64_t number) { return number >= 0 && number <= UINT32_MAX; }
inline bool IsNull(const ExportTables::Row& row, int column) {
  return row.Type(column) == SQLITE_NULL;
}

// Returns the duration of a row: its second column (end) minus its first (start). Returns -1 if
// there is no end or if the result does not fit.
inline int64_t DurationOf(const ExportTables::Row& row) {
  int64_t duration = -1;
  const bool overflows = __builtin_sub_overflow(row.Int(1), row.Int(0), &duration);
  return overflows || IsNull(row, 1) ? -1 : duration;
}

}  // namespace gprofx::importers::nsight
