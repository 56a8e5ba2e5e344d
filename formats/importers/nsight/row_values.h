// Values of rows of an export. Pure.
#pragma once

#include <cstdint>

#include "formats/importers/nsight/export_tables.h"
#include "formats/importers/sqlite_rows.h"

namespace gprofx::importers::nsight {

// Global ids: 8 bits of the machine, 8 of the virtual machine, 24 of the process, 24 of the thread.
inline int64_t PidOf(int64_t global) { return (global >> 24) & 0xffffff; }
inline int64_t TidOf(int64_t global) { return global & 0xffffff; }

inline bool IsUnsigned(int64_t number) { return number >= 0 && number <= UINT32_MAX; }
inline bool IsNull(const ExportTables::Row& row, int column) {
  return row.Type(column) == SQLITE_NULL;
}

// Returns end - start of the first two columns; -1 if there is no end or they lie too far apart.
inline int64_t DurationOf(const ExportTables::Row& row) {
  int64_t duration = -1;
  const bool overflows = __builtin_sub_overflow(row.Int(1), row.Int(0), &duration);
  return overflows || IsNull(row, 1) ? -1 : duration;
}

}  // namespace gprofx::importers::nsight
