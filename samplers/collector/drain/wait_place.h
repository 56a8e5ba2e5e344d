// Finds out, in wall-clock mode, whether a sample shows the wait because of which its thread was
// signalled.
#pragma once

#include <cstdint>
#include <string_view>

#include "samplers/collector/drain/region.h"
#include "samplers/collector/processes/procfs.h"
#include "samplers/wire/machine/machine.h"

namespace gprofx {

// True if the stack `wire_node` ends in the call that waits at `place` (PlaceInSyscall). If false,
// the thread woke up before the signal arrived. Compares only offsets within a page, because the
// load address of the code is not looked up.
inline bool EndsIn(const Region& region, uint32_t wire_node, std::string_view place) {
  constexpr uint64_t kInPage = 0xfff;
  const uint64_t after = ReturnInSyscall(place);
  if (after == 0) return false;
  auto record = region.Node(wire_node);
  if (record && wire::KindOf(record->frame) == wire::WireFrame::kLayer)
    record = region.Node(record->parent);
  if (!record) return false;
  const wire::WireFrame kind = wire::KindOf(record->frame);
  if (kind != wire::WireFrame::kNative && kind != wire::WireFrame::kAbsolute) return false;
  // The stack ends after the instruction that entered the kernel, or at that instruction if the
  // call will be restarted.
  const uint64_t behind = (after - wire::NativeOffset(record->frame)) & kInPage;
  return behind == 0 || behind == wire::kEnterBytes;
}

}  // namespace gprofx
