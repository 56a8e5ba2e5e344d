#include "formats/reading/replay_read.h"

#include <algorithm>
#include <array>

#include "core/base/arithmetic.h"

namespace gprofx {
namespace {

HostNs EndOf(HostNs begin, int64_t duration) {
  return Bounded(AddSaturated(begin, std::max<int64_t>(duration, 0)));
}
uint8_t Byte(int64_t value) {
  return value >= 0 && value <= UINT8_MAX ? static_cast<uint8_t>(value) : 0;
}
template <class IdType>
IdType IdOf(int64_t value) {
  return IdType{static_cast<uint32_t>(value)};
}

Status ReadOperations(const ProfileSource& source, Stream stream, ReplayOperation::Kind kind,
                      ReplayEvents& out) {
  // Kernels, copies and memsets are read alike, because their first columns are the same.
  static_assert(int{column::kKernelStream} == int{column::kCopyStream} &&
                int{column::kKernelStream} == int{column::kSetStream} &&
                int{column::kCopyBytes} == int{column::kSetBytes});
  static constexpr std::array<size_t, 7> kKernelColumns = {
      column::kKernelStart, column::kKernelDuration, column::kKernelLaunch, column::kKernelThread,
      column::kKernelNode,  column::kKernelStream,   column::kKernelConfig};
  static constexpr std::array<size_t, 10> kCopyColumns = {
      column::kKernelStart, column::kKernelDuration, column::kKernelLaunch, column::kKernelThread,
      column::kKernelNode,  column::kKernelStream,   column::kCopyBytes,    column::kCopyKind,
      column::kCopySource,  column::kCopyTarget};
  const bool kernel = kind == ReplayOperation::kKernel;
  const std::span<const size_t> columns =
      kernel ? std::span<const size_t>(kKernelColumns)
             : std::span(kCopyColumns).first(kind == ReplayOperation::kCopy ? 10 : 7);
  const Result<int64_t> read =
      source.Events(stream, columns, kEarliest, kLatest, [&](const EventTable& rows) {
        for (size_t i = 0, all = rows.rows(); i < all; ++i) {
          const auto at = [&](size_t column) { return rows.column(column)[i]; };
          ReplayOperation operation;
          operation.kind = kind;
          operation.start = Bounded(at(column::kKernelStart));
          operation.end = EndOf(operation.start, at(column::kKernelDuration));
          operation.launch = Bounded(at(column::kKernelLaunch));
          operation.thread = IdOf<ThreadId>(at(column::kKernelThread));
          operation.node = IdOf<NodeId>(at(column::kKernelNode));
          operation.stream = IdOf<GpuStreamId>(at(column::kKernelStream));
          if (kernel) {
            operation.config = IdOf<GpuConfigId>(at(column::kKernelConfig));
          } else {
            operation.bytes = std::max<int64_t>(at(column::kCopyBytes), 0);
          }
          if (kind == ReplayOperation::kCopy) {
            operation.copy = {Byte(at(column::kCopyKind)), Byte(at(column::kCopySource)),
                              Byte(at(column::kCopyTarget))};
          }
          out.operations.push_back(operation);
        }
      });
  return read ? Ok() : Status(read.error());
}

Status ReadCalls(const ProfileSource& source, ReplayEvents& out) {
  static constexpr std::array<size_t, 5> kColumns = {column::kCallStart, column::kCallDuration,
                                                     column::kCallThread, column::kCallNode,
                                                     column::kCallKind};
  const Result<int64_t> read =
      source.Events(Stream::kCalls, kColumns, kEarliest, kLatest, [&](const EventTable& rows) {
        for (size_t i = 0, all = rows.rows(); i < all; ++i) {
          const auto at = [&](size_t column) { return rows.column(column)[i]; };
          const HostNs begin = Bounded(at(column::kCallStart));
          out.calls.push_back({begin, EndOf(begin, at(column::kCallDuration)),
                               IdOf<ThreadId>(at(column::kCallThread)),
                               IdOf<NodeId>(at(column::kCallNode)),
                               IdOf<StringId>(at(column::kCallKind))});
        }
      });
  return read ? Ok() : Status(read.error());
}

}  // namespace

Result<ReplayEvents> ReadReplayEvents(const ProfileSource& source) {
  ReplayEvents out;
  for (const auto& [stream, kind] : {std::pair(Stream::kKernels, ReplayOperation::kKernel),
                                     std::pair(Stream::kCopies, ReplayOperation::kCopy),
                                     std::pair(Stream::kSets, ReplayOperation::kSet)}) {
    if (Status read = ReadOperations(source, stream, kind, out); !read) return read.error();
  }
  if (Status read = ReadCalls(source, out); !read) return read.error();
  return out;
}

}  // namespace gprofx
