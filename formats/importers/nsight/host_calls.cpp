// Reads calls of CUDA and of libraries.
#include <array>
#include <unordered_map>

#include "formats/importers/call_words.h"
#include "formats/importers/nsight/host_spans.h"
#include "formats/importers/nsight/readers.h"
#include "formats/importers/nsight/table_names.h"

namespace gprofx::importers::nsight {
namespace {

using Row = ExportTables::Row;

class CallFrames {
 public:
  CallFrames(ExportTables& tables, TraceGather& gather) : tables_(tables), gather_(gather) {}

  FrameId Of(const Row& row, int column) {
    FrameId& frame = IsNull(row, column) ? without_name_ : frames_[row.Int(column)];
    if (!frame) frame = Make(tables_.TextOf(row, column));
    return frame;
  }

 private:
  FrameId Make(const std::string& text) {
    const std::string_view call = WithoutVersion(text);
    return gather_.Frame(IsWaitingCall(call) ? FrameKind::kCudaApi : FrameKind::kNative,
                         call.empty() ? "[call without a name]" : call);
  }

  ExportTables& tables_;
  TraceGather& gather_;
  FrameId without_name_;
  std::unordered_map<int64_t, FrameId> frames_;
};

Status ReadTable(const CallTable& calls, ExportTables& tables, TraceGather& gather,
                 CallFrames& frames) {
  // A call that waits for several requests has a row for each of them. Only the first row is used.
  std::array<int64_t, 4> last = {-1, -1, -1, -1};
  return tables.Rows(
      calls.table, {"start", "end", "globalTid", calls.name}, 3, [&](const Row& row) {
        if (IsNull(row, 1)) return gather.LeaveOut("calls_without_an_end");
        const std::array<int64_t, 4> here = {row.Int(0), row.Int(1), row.Int(2), row.Int(3)};
        if (here == last) return gather.LeaveOut("repeated_rows_of_a_call");
        last = here;
        gather.AddHost(ThreadOf(row, 2, gather), SpanOf(row, frames.Of(row, 3)));
      });
}

}  // namespace

Status ReadCalls(ExportTables& tables, TraceGather& gather) {
  CallFrames frames(tables, gather);
  return tables.Rows(kCalls, {"start", "end", "globalTid", "nameId", "correlationId"}, 4,
                     [&](const Row& row) {
                       if (IsNull(row, 1)) return gather.LeaveOut("calls_without_an_end");
                       HostSpan span = SpanOf(row, frames.Of(row, 3));
                       span.correlation = Unsigned(row.Int(4));
                       gather.AddHost(ThreadOf(row, 2, gather), span);
                     });
}

Status ReadLibraryCalls(ExportTables& tables, TraceGather& gather) {
  CallFrames frames(tables, gather);
  for (const CallTable& calls : kLibraryCalls) {
    if (Status read = ReadTable(calls, tables, gather, frames); !read) return read;
  }
  return Ok();
}

}  // namespace gprofx::importers::nsight
