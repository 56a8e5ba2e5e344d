// Wall clock mode: is a sample one of the wait in which its thread was when it was asked?
#pragma once

#include <cstdint>
#include <string_view>

#include "samplers/collector/drain/region.h"
#include "samplers/collector/processes/procfs.h"
#include "samplers/wire/machine/machine.h"

namespace gprofx {

// Does the stack end in the call that waits at `place` (PlaceInSyscall)? Else the thread woke up
// before the signal came. Of the address only the part within a page is compared, as where the file
// of the code lies in the process is not asked.
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
  // Behind the instruction that entered the kernel, or at it where it is to enter again.
  const uint64_t behind = (after - wire::NativeOffset(record->frame)) & kInPage;
  return behind == 0 || behind == wire::kEnterBytes;
}

}  // namespace gprofx
