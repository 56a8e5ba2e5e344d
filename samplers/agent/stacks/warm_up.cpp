// Runs in signal handlers: no allocation, no locks, no exceptions, bounded loops.
#include "samplers/agent/stacks/warm_up.h"

#include "samplers/agent/python/codes.h"
#include "samplers/agent/python/runtime.h"
#include "samplers/agent/signals/safe_load.h"

namespace gprofx::agent {
namespace {

constexpr uint64_t kLine = 64;
constexpr uint32_t kMaxFrames = 256;  // deeper stacks are rare, and would not fit in the caches

void Fetch(uint64_t address) { __builtin_prefetch(reinterpret_cast<const void*>(address)); }

void FetchBytes(const void* begin, uint64_t bytes) {
  const auto at = reinterpret_cast<uint64_t>(begin);
  for (uint64_t line = at & ~(kLine - 1); line < at + bytes; line += kLine) Fetch(line);
}

uint32_t AtMost(uint32_t count) { return count < kMaxFrames ? count : kMaxFrames; }

}  // namespace

void WarmUp(const ThreadState& state) {
  const WalkResult& walk = state.walk;
  const uint32_t natives = AtMost(walk.count), pythons = AtMost(state.python_count);
  const uint32_t frames = AtMost(state.path.count);
  FetchBytes(walk.frames, natives * sizeof(NativeFrame));
  FetchBytes(state.python, pythons * sizeof(PyFrame));
  FetchBytes(state.path.frames, frames * sizeof(uint64_t));
  FetchBytes(state.owner, pythons * sizeof(uint32_t));
  FetchBytes(g_session.header().counters, sizeof(g_session.header().counters));
  for (uint32_t i = 1; i < natives; ++i) Fetch(walk.frames[i].sp - 8);
  const uint64_t instruction = g_python.layout().f_instruction;
  for (uint32_t i = 0; i < pythons; ++i) {
    Fetch(state.python[i].address);
    Fetch(state.python[i].address + instruction);
  }
}

void WarmUpPython(uint64_t python_thread) {
  if (UseCopies::current != nullptr) return;  // memory is copied page by page instead
  const PyLayout& layout = g_python.layout();
  uint64_t frame = g_python.TopFrame(python_thread), code = 0;
  for (uint32_t i = 0; i < kMaxFrames && frame != 0; ++i) {
    if (!SafeLoad(frame + layout.f_code, &code)) return;
    code = layout.ObjectOf(code);
    Fetch(frame + layout.f_instruction);
    g_codes.Fetch(code, layout);
    if (!SafeLoad(frame + layout.f_back, &frame)) return;
  }
}

void WarmUpLayers(const LayerCalls& layers) {
  if (UseCopies::current != nullptr) return;
  const PyLayout& layout = g_python.layout();
  for (uint32_t i = 0; i < layers.count; ++i) {
    uint64_t module = 0;
    if (!SafeLoad(layers.frames[i] + layout.f_locals, &module)) continue;
    Fetch(layout.ObjectOf(module) + layout.ob_type);
  }
}

}  // namespace gprofx::agent
