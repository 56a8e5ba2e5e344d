#include "formats/variability/memory_events.h"

#include <algorithm>
#include <tuple>

namespace gprofx {

using namespace variability;

namespace {
constexpr size_t kBlockRows = 65536;
}

uint32_t MemoryEvents::Group(const GroupKey& key) {
  const auto [found, is_new] = group_of_.try_emplace(TextOf(key), groups_.size());
  if (is_new) groups_.push_back(key);
  return found->second;
}

uint32_t MemoryEvents::Lane(int64_t process, int64_t device) {
  for (uint32_t i = 0; i < lanes_.size(); ++i) {
    if (lanes_[i].process == process && lanes_[i].device == device) return i;
  }
  lanes_.push_back({0, process, device});
  return static_cast<uint32_t>(lanes_.size() - 1);
}

void MemoryEvents::AddWait(int64_t process, std::string_view call, int64_t begin, int64_t end) {
  auto known = calls_.find(call);
  if (known == calls_.end()) {
    known = calls_.emplace(call, host_.calls.size()).first;
    host_.calls.emplace_back(call);
  }
  auto& all = host_.processes;
  auto host = std::find_if(all.begin(), all.end(),
                           [&](const ProcessHost& one) { return one.process == process; });
  if (host == all.end()) host = all.insert(all.end(), {process, {}, {}, {}});
  host->waits.push_back({begin, end, known->second});
}

Result<HostActivity> MemoryEvents::ReadHost(TimeRange window) {
  HostActivity out;
  out.calls = host_.calls;
  for (const ProcessHost& host : host_.processes) {
    ProcessHost& inside = out.processes.emplace_back();
    inside.process = host.process;
    for (const HostWait& wait : host.waits) {
      if (wait.begin < window.end && wait.end > window.begin) inside.waits.push_back(wait);
    }
  }
  return out;
}

void MemoryEvents::Sort() {
  std::sort(events_.begin(), events_.end(), [](const Event& a, const Event& b) {
    return std::tie(a.start, a.lane, a.stream, a.duration, a.group) <
           std::tie(b.start, b.lane, b.stream, b.duration, b.group);
  });
}

Status MemoryEvents::ReadPart(size_t part, size_t parts, const BlockSink& sink) {
  const size_t blocks = (events_.size() + kBlockRows - 1) / kBlockRows;
  for (size_t i = blocks * part / parts; i < blocks * (part + 1) / parts; ++i) {
    const BlockId id{0, static_cast<int64_t>(i), 1};
    if (Status read = ReadBlocks(std::span(&id, 1), sink); !read) return read;
  }
  return Ok();
}

Status MemoryEvents::ReadBlocks(std::span<const BlockId> blocks, const BlockSink& sink) {
  for (const BlockId& block : blocks) {
    const size_t at = static_cast<size_t>(block.first) * kBlockRows;
    if (block.first < 0 || at >= events_.size()) continue;
    sink(block, std::span(events_).subspan(at, std::min(kBlockRows, events_.size() - at)));
  }
  return Ok();
}

}  // namespace gprofx
