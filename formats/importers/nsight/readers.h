// Declares the functions that read the tables of an export, one for each kind of event. They pass
// rows to `gather`. Rows that cannot be used are counted there by name. Blocking; one thread.
#pragma once

#include "core/base/result.h"
#include "formats/importers/nsight/export_tables.h"
#include "formats/importers/trace_gather.h"

namespace gprofx::importers::nsight {

Status ReadDevices(ExportTables& tables, TraceGather& gather);
Status ReadKernels(ExportTables& tables, TraceGather& gather);
Status ReadGraphs(ExportTables& tables, TraceGather& gather);
Status ReadCopies(ExportTables& tables, TraceGather& gather);
Status ReadSets(ExportTables& tables, TraceGather& gather);
Status ReadSyncs(ExportTables& tables, TraceGather& gather);
Status ReadCalls(ExportTables& tables, TraceGather& gather);
Status ReadLibraryCalls(ExportTables& tables, TraceGather& gather);
Status ReadRanges(ExportTables& tables, TraceGather& gather);
Status ReadNames(ExportTables& tables, TraceGather& gather);

// Counts the events of all tables that are not read, including tables of future versions of nsys.
Status CountOtherTables(const ExportTables& tables, TraceGather& gather);

}  // namespace gprofx::importers::nsight
