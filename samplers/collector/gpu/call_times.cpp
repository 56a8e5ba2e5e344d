#include "samplers/collector/gpu/call_times.h"

#include <algorithm>

namespace gprofx {
namespace {

constexpr uint32_t kFullPart = UINT32_MAX;

}  // namespace

void CallTimes::Give(ThreadId thread, const Parts& parts, const Sink& sink) {
  sink({thread, parts.node, parts.call, std::max<HostNs>(parts.end - parts.ns, 0), parts.end});
}

void CallTimes::Add(ThreadId thread, NodeId node, uint32_t call, HostNs end, uint32_t ns,
                    const Sink& sink) {
  Parts parts{node, call, end, ns};
  if (const auto found = open_.find(thread.value); found != open_.end()) {
    const Parts before = found->second;
    open_.erase(found);
    if (before.call == call && before.node == node && end - ns == before.end) {
      // Limit the sum: no call is longer than the recording.
      parts.ns = std::min<int64_t>(before.ns + ns, std::max<HostNs>(end, 0));
    } else {
      Give(thread, before, sink);
    }
  }
  if (ns == kFullPart) {
    open_[thread.value] = parts;
  } else {
    Give(thread, parts, sink);
  }
}

void CallTimes::Finish(const Sink& sink) {
  for (const auto& [thread, parts] : open_) Give(ThreadId{thread}, parts, sink);
  open_.clear();
}

}  // namespace gprofx
