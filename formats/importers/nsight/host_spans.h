// Makes spans of host threads from rows of an export. The first columns of the rows must be start,
// end and globalTid.
#pragma once

#include "formats/importers/nsight/row_values.h"
#include "formats/importers/trace_gather.h"

namespace gprofx::importers::nsight {

inline HostSpan SpanOf(const ExportTables::Row& row, FrameId frame) {
  HostSpan span;
  span.start = row.Int(0);
  span.duration = DurationOf(row);
  span.frame = frame;
  return span;
}

inline ThreadId ThreadOf(const ExportTables::Row& row, int column, TraceGather& gather) {
  return gather.Thread(PidOf(row.Int(column)), TidOf(row.Int(column)));
}

}  // namespace gprofx::importers::nsight
