#include "samplers/collector/processes/faults.h"

#include <algorithm>
#include <csignal>
#include <cstring>

namespace gprofx {
namespace {

FaultFrame AtAddress(const Region& region, uint64_t address) {
  const uint32_t modules = std::min(region.header().modules.load(), wire::kMaxModules);
  for (uint32_t i = modules; i-- > 0;) {  // search backwards: the module that was mapped last wins
    auto module = region.Module(i);
    if (!module || address < module->begin || address >= module->end) continue;
    return {std::move(module->path), std::move(module->build_id), address - module->base};
  }
  return {"", "", address};
}

FaultFrame FrameOf(const Region& region, uint64_t wire_frame) {
  if (wire::KindOf(wire_frame) != wire::WireFrame::kNative) {
    return AtAddress(region, wire::AbsoluteAddress(wire_frame));
  }
  auto module = region.Module(wire::NativeModule(wire_frame));
  if (!module) return {"", "", wire::NativeOffset(wire_frame)};
  return {std::move(module->path), std::move(module->build_id), wire::NativeOffset(wire_frame)};
}

}  // namespace

std::optional<Fault> ReadFault(const Region& region) {
  const wire::FaultNote& note = region.header().fault;
  const uint32_t frames = std::min(note.frames.load(std::memory_order_acquire), wire::kFaultFrames);
  if (frames == 0) return std::nullopt;
  Fault fault;
  fault.signal = note.signal == SIGBUS ? SIGBUS : SIGSEGV;
  // SI_KERNEL means that the address was not canonical. The processor does not report such an
  // address.
  if (note.code != SI_KERNEL) fault.address = note.address;
  char thread[sizeof(note.thread)];
  std::memcpy(thread, note.thread, sizeof thread);
  fault.thread.assign(thread, strnlen(thread, sizeof thread));
  for (uint32_t i = 0; i < frames; ++i) fault.stack.push_back(FrameOf(region, note.stack[i]));
  return fault;
}

}  // namespace gprofx
