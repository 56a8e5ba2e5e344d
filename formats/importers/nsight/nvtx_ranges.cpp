// Reads NVTX ranges. Those of one thread become frames and markers, all others only markers.
#include <unordered_map>

#include "formats/importers/call_words.h"
#include "formats/importers/nsight/host_spans.h"
#include "formats/importers/nsight/readers.h"
#include "formats/importers/nsight/table_names.h"

namespace gprofx::importers::nsight {
namespace {

using Row = ExportTables::Row;

// Event types in the column eventType: values of ENUM_NSYS_EVENT_TYPE.
constexpr int64_t kMark = 34, kPushPop = 59, kStartEnd = 60;

std::string NameOf(const Row& row, ExportTables& tables) {
  std::string text(row.Text(4));
  return text.empty() ? tables.TextOf(row, 5) : text;
}

void AddMarker(const Row& row, std::string_view name, TraceGather& gather) {
  TraceMarker marker;
  marker.start = row.Int(0);
  if (!IsNull(row, 1)) marker.duration = DurationOf(row);
  marker.thread = ThreadOf(row, 3, gather);
  marker.name = gather.profile().Intern(name);
  gather.AddMarker(marker);
}

class RangeFrames {
 public:
  explicit RangeFrames(TraceGather& gather) : gather_(gather) {}

  FrameId Of(const std::string& name) {
    FrameId& frame = frames_[name];
    if (!frame)
      frame = gather_.Frame(FrameKind::kOperator,
                            name.empty() ? std::string_view("[range without a name]") : name);
    return frame;
  }

 private:
  TraceGather& gather_;
  std::unordered_map<std::string, FrameId> frames_;
};

void AddRange(const Row& row, std::string_view text, RangeFrames& frames, TraceGather& gather) {
  const std::string name(WithoutNumbers(text));
  HostSpan span = SpanOf(row, frames.Of(name));
  span.sequence = SequenceOf(text);
  span.is_backward = IsBackwardName(name);
  span.is_range = true;
  gather.AddHost(ThreadOf(row, 3, gather), span);
}

}  // namespace

Status ReadRanges(ExportTables& tables, TraceGather& gather) {
  RangeFrames frames(gather);
  return tables.Rows(kRanges, {"start", "end", "eventType", "globalTid", "text", "textId"}, 4,
                     [&](const Row& row) {
                       const int64_t type = row.Int(2);
                       if (type != kMark && type != kPushPop && type != kStartEnd) {
                         return gather.LeaveOut("nvtx_records");
                       }
                       if (IsNull(row, 1) && type != kMark)
                         return gather.LeaveOut("ranges_without_an_end");
                       const std::string text = NameOf(row, tables);
                       AddMarker(row, text, gather);
                       if (type == kPushPop) AddRange(row, text, frames, gather);
                     });
}

}  // namespace gprofx::importers::nsight
