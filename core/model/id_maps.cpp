// Implements IdMaps (core/model/merge.h), which translates rows of event streams after a merge.
#include "core/base/arithmetic.h"
#include "core/model/merge.h"

namespace gprofx {
namespace {

template <class Tag>
int64_t Mapped(const std::vector<Id<Tag>>& map, int64_t id) {
  return id >= 1 && static_cast<uint64_t>(id) <= map.size() ? map[static_cast<size_t>(id - 1)].value
                                                            : 0;
}

int64_t MappedId(const IdMaps& maps, ColumnRole role, int64_t id) {
  switch (role) {
    case ColumnRole::kNode:
      return Mapped(maps.nodes, id);
    case ColumnRole::kThread:
      return Mapped(maps.threads, id);
    case ColumnRole::kString:
      return Mapped(maps.strings, id);
    case ColumnRole::kFunction:
      return Mapped(maps.functions, id);
    case ColumnRole::kProcess:
      return Mapped(maps.processes, id);
    case ColumnRole::kGpuContext:
      return Mapped(maps.contexts, id);
    case ColumnRole::kGpuStream:
      return Mapped(maps.streams, id);
    case ColumnRole::kGpuConfig:
      return Mapped(maps.configs, id);
    case ColumnRole::kCubin:
      return Mapped(maps.cubins, id);
    case ColumnRole::kGpuDevice:
      return Mapped(maps.devices, id);
    case ColumnRole::kPlain:
    case ColumnRole::kTime:
      break;
  }
  return id;
}

}  // namespace

void IdMaps::Translate(EventTable& rows) const {
  const EventStream* stream = FindEventStream(rows.stream());
  if (stream == nullptr) return;
  for (size_t i = 0; i < rows.columns(); ++i) {
    const ColumnRole role = stream->columns[i].role;
    if (role == ColumnRole::kPlain) continue;
    for (int64_t& value : rows.column(i)) {
      if (role != ColumnRole::kTime) {
        value = MappedId(*this, role, value);
      } else if (i == 0 || value != 0) {  // in column 0 (the begin), 0 does not mean "unknown"
        value = AddSaturated(value, clock_offset);
      }
    }
  }
}

void IdMaps::Translate(SampleRow& row) const {
  row.time = AddSaturated(row.time, clock_offset);
  row.thread.value = static_cast<uint32_t>(Mapped(threads, row.thread.value));
  row.node.value = static_cast<uint32_t>(Mapped(nodes, row.node.value));
}

}  // namespace gprofx
