#include "formats/exporters/gpu_work.h"

#include <algorithm>
#include <numeric>

#include "core/base/arithmetic.h"
#include "core/kernels/work_names.h"
#include "core/model/processes.h"
#include "core/views/naming/names.h"
#include "core/views/wall.h"

namespace gprofx::exporters {
namespace {

uint32_t Small(int64_t number) { return static_cast<uint32_t>(number); }

// Cuts an event to the exported range, before whose end it must begin. Returns false if it ends
// before the range.
bool Cut(const ExportJob& job, HostNs& start, int64_t& duration) {
  duration = std::max<int64_t>(duration, 0);
  const HostNs end = AddSaturated(start, duration);
  if (start >= job.begin) {
    duration = std::min(end, job.end) - start;
    return true;
  }
  if (end <= job.begin) return false;
  start = job.begin;
  duration = std::min(end, job.end) - start;
  return true;
}

// Calls `row` for each row of a stream that may reach into the exported range. Its argument is a
// function that returns the value of a column.
template <class Row>
Status ForEachRow(const ExportJob& job, Stream stream, const Row& row) {
  std::vector<size_t> columns(FindEventStream(stream)->columns.size());
  std::iota(columns.begin(), columns.end(), size_t{0});
  const Result<int64_t> read =
      job.reader.Events(stream, columns, kEarliest, job.end, [&](const EventTable& table) {
        for (size_t i = 0, all = table.rows(); i < all; ++i) {
          row([&](size_t column) { return table.column(column)[i]; });
        }
      });
  return read ? Ok() : Status(read.error());
}

std::string Extent(const uint32_t (&size)[3]) {
  return std::to_string(size[0]) + " " + std::to_string(size[1]) + " " + std::to_string(size[2]);
}

}  // namespace

Status ForEachGpuWork(const ExportJob& job, const std::function<void(const GpuWork&)>& sink) {
  using namespace column;
  const auto give = [&](GpuWork& work) {
    if (Cut(job, work.start, work.duration)) sink(work);
  };
  Status kernels = ForEachRow(job, Stream::kKernels, [&](const auto& at) {
    GpuWork work;
    work.start = at(kKernelStart), work.duration = at(kKernelDuration);
    work.launch = at(kKernelLaunch);
    work.thread = Small(at(kKernelThread)), work.node = Small(at(kKernelNode));
    work.stream = Small(at(kKernelStream)), work.config = Small(at(kKernelConfig));
    work.correlation = Small(at(kKernelCorrelation));
    give(work);
  });
  if (!kernels) return kernels;
  Status copies = ForEachRow(job, Stream::kCopies, [&](const auto& at) {
    GpuWork work{GpuWork::Kind::kCopy};
    work.start = at(kCopyStart), work.duration = at(kCopyDuration);
    work.launch = at(kCopyLaunch);
    work.thread = Small(at(kCopyThread)), work.node = Small(at(kCopyNode));
    work.stream = Small(at(kCopyStream)), work.bytes = at(kCopyBytes);
    work.copy_kind = Small(at(kCopyKind));
    work.source = Small(at(kCopySource)), work.target = Small(at(kCopyTarget));
    work.correlation = Small(at(kCopyCorrelation));
    give(work);
  });
  if (!copies) return copies;
  return ForEachRow(job, Stream::kSets, [&](const auto& at) {
    GpuWork work{GpuWork::Kind::kSet};
    work.start = at(kSetStart), work.duration = at(kSetDuration);
    work.launch = at(kSetLaunch);
    work.thread = Small(at(kSetThread)), work.node = Small(at(kSetNode));
    work.stream = Small(at(kSetStream)), work.bytes = at(kSetBytes);
    work.target = Small(at(kSetMemory)), work.correlation = Small(at(kSetCorrelation));
    give(work);
  });
}

Status ForEachHostMark(const ExportJob& job, const std::function<void(const HostMark&)>& sink) {
  using namespace column;
  const auto give = [&](HostMark& mark) {
    if (Cut(job, mark.start, mark.duration)) sink(mark);
  };
  Status calls = ForEachRow(job, Stream::kCalls, [&](const auto& at) {
    HostMark mark;
    mark.start = at(kCallStart), mark.duration = at(kCallDuration);
    mark.thread = Small(at(kCallThread)), mark.node = Small(at(kCallNode));
    mark.name = StringId{Small(at(kCallKind))};
    if (IsWait(job.profile, mark.node)) mark.kind = HostMark::Kind::kWait;
    give(mark);
  });
  if (!calls) return calls;
  return ForEachRow(job, Stream::kMarkers, [&](const auto& at) {
    HostMark mark{HostMark::Kind::kRange};
    mark.start = at(kMarkerStart), mark.duration = at(kMarkerDuration);
    mark.thread = Small(at(kMarkerThread));
    mark.name = StringId{Small(at(kMarkerName))}, mark.domain = StringId{Small(at(kMarkerDomain))};
    give(mark);
  });
}

std::vector<ShownStream> ShownStreams(const Profile& profile, const Who& who) {
  const GpuTables& gpu = profile.gpu;
  const std::vector<uint32_t> numbers = GpuNumbers(profile);
  const auto unknown = static_cast<uint32_t>(numbers.size());
  std::vector<ShownStream> streams{{"GPU, stream unknown", 0, unknown, 0, 0}};
  // Find the position of each process in `who` through one of its threads.
  std::vector<uint32_t> place(profile.processes.size() + 1);
  for (size_t i = 0; i < profile.threads.size(); ++i) {
    place[profile.threads[i].process.value] = who.threads[i + 1].process;
  }
  place[0] = 0;
  for (const GpuStreamRow& row : gpu.streams) {
    ShownStream shown{"", 0, unknown, 0, row.number};
    if (row.context) {
      const GpuContext& context = gpu.contexts[row.context.index()];
      shown.process = place[context.process.value];
      shown.context = context.number;
      if (context.device) shown.gpu = numbers[context.device.index()];
    }
    shown.name = (shown.gpu == unknown ? "GPU" : "GPU " + std::to_string(shown.gpu)) + ", stream " +
                 std::to_string(row.number);
    streams.push_back(std::move(shown));
  }
  return streams;
}

bool IsWait(const Profile& profile, uint32_t node) {
  const FrameId frame = node == 0 ? FrameId{} : profile.node(NodeId{node}).frame;
  return frame && profile.frame(frame).kind == FrameKind::kCudaApi;
}

std::string WorkName(const Profile& profile, const GpuWork& work) {
  if (work.node != 0) {
    const Node& node = profile.node(NodeId{work.node});
    const Frame& frame = node.frame ? profile.frame(node.frame) : Frame{};
    if (frame.kind == FrameKind::kGpuKernel || frame.kind == FrameKind::kGpuCopy) {
      return FrameName(profile, frame);
    }
  }
  if (work.kind == GpuWork::Kind::kCopy) {
    return CopyName(work.copy_kind, work.source, work.target);
  }
  if (work.kind == GpuWork::Kind::kSet) return SetName(work.target);
  Frame frame{FrameKind::kGpuKernel};
  if (work.config != 0) frame.function = profile.gpu.configs[work.config - 1].function;
  return FrameName(profile, frame);
}

std::string ConfigText(const GpuKernelConfig& config) {
  const uint64_t shared = uint64_t{config.static_shared} + config.dynamic_shared;
  return "grid " + Extent(config.grid) + ", block " + Extent(config.block) + ", " +
         std::to_string(config.registers) + " registers, " + std::to_string(shared) + " B shared";
}

size_t Rows::Place(HostNs start, HostNs end) {
  size_t row = 0;
  while (row < ends_.size() && ends_[row] > start && row + 1 < kMaxRows) ++row;
  if (row == ends_.size()) ends_.push_back(end);
  ends_[row] = std::max(ends_[row], end);
  return row;
}

}  // namespace gprofx::exporters
