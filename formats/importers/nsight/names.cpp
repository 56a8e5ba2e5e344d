// Reads the names of processes and threads.
#include "formats/importers/nsight/readers.h"
#include "formats/importers/nsight/row_values.h"
#include "formats/importers/nsight/table_names.h"

namespace gprofx::importers::nsight {

Status ReadNames(ExportTables& tables, TraceGather& gather) {
  using Row = ExportTables::Row;
  Status read = tables.Rows(kProcesses, {"pid", "name"}, 2, [&](const Row& row) {
    if (!IsNull(row, 1)) gather.NameKnownProcess(row.Int(0), row.Text(1));
  });
  if (!read) return read;
  return tables.Rows(kThreadNames, {"globalTid", "nameId"}, 2, [&](const Row& row) {
    if (IsNull(row, 1)) return;
    const int64_t thread = row.Int(0);
    gather.NameKnownThread(PidOf(thread), TidOf(thread), tables.TextOf(row, 1));
  });
}

}  // namespace gprofx::importers::nsight
