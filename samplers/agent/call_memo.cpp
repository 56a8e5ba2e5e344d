// Signal path: no allocation (Make apart), no locks, bounded loops.
#include "samplers/agent/call_memo.h"

#include <sys/mman.h>

#include "samplers/agent/modules.h"
#include "samplers/agent/python/runtime.h"
#include "samplers/agent/safe_load.h"

namespace gprofx::agent {
CallMemo* CallMemo::Make() {
  void* p = mmap(nullptr, sizeof(CallMemo), PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return p == MAP_FAILED ? nullptr : static_cast<CallMemo*>(p);
}

CallMemo::Key CallMemo::MakeKey(const Registers& registers, const PythonOwner& owner,
                                uint32_t call) {
  Key key{registers.sp(), owner.thread, 0, 0, call};
  key.python_frame = g_python.TopFrame(owner.thread);
  if (key.python_frame != 0) g_python.LoadInstruction(key.python_frame, &key.instruction);
  return key;
}

uint32_t CallMemo::SetOf(const Key& key) {
  uint64_t h = key.sp ^ key.instruction * 0x9e3779b97f4a7c15 ^ uint64_t { key.call } << 40;
  h *= 0xbf58476d1ce4e5b9;
  return static_cast<uint32_t>(h >> 40) % kSets;
}

bool CallMemo::Same(const Key& a, const Key& b) {
  return a.sp == b.sp && a.python_thread == b.python_thread && a.python_frame == b.python_frame &&
         a.instruction == b.instruction && a.call == b.call;
}

// From 3.11 on a frame points at the instruction itself, which belongs to one code object.
bool CallMemo::LoadPython(uint64_t frame, PythonWord* word) {
  uint64_t instruction = 0, code = 0;
  if (!g_python.LoadInstruction(frame, &instruction)) return false;
  const PyLayout& layout = g_python.layout();
  if (layout.minor <= 10 && !SafeLoad(frame + layout.f_code, &code)) return false;
  *word = {frame, static_cast<uint32_t>(instruction), static_cast<uint32_t>(code)};
  return true;
}

bool CallMemo::StillThere(Entry& entry) {
  const uint64_t sp = entry.key.sp;
  const NativeWord* natives = entry.natives();
  for (uint32_t i = 0; i < entry.inner; ++i) {
    uint32_t value = 0;
    if (!SafeLoad(sp + natives[i].slot, &value) || value != natives[i].value) return false;
  }
  const PythonWord* python = entry.python();
  for (uint32_t i = 0; i < entry.pythons; ++i) {
    PythonWord now{};
    if (!LoadPython(python[i].frame, &now) || now.instruction != python[i].instruction ||
        now.code != python[i].code)
      return false;
  }
  if (OuterStillThere(entry)) return true;
  g_session.Count(wire::kCallMemoStale);
  return false;
}

bool CallMemo::OuterStillThere(Entry& entry) {
  const NativeWord* outers = entry.outers();
  const uint32_t part = entry.part;
  entry.part = static_cast<uint16_t>((part + 1) % kOuterParts);
  const uint32_t end = entry.outer * (part + 1) / kOuterParts;
  for (uint32_t i = entry.outer * part / kOuterParts; i < end; ++i) {
    uint32_t value = 0;
    if (!SafeLoad(entry.key.sp + outers[i].slot, &value) || value != outers[i].value) return false;
  }
  return true;
}

uint32_t CallMemo::Find(const Key& key) {
  const uint64_t generation = g_modules.generation();
  for (Entry& entry : entries_[SetOf(key)]) {
    if (entry.generation == generation && Same(entry.key, key) && StillThere(entry))
      return entry.node;
  }
  return 0;
}

void CallMemo::Add(const Key& key, const ThreadState& state, const Stack& stack) {
  const WalkResult& walk = state.walk;
  if (!stack.whole || walk.count == 0 || walk.count > kMostNative || stack.python > kMostPython)
    return;
  const uint32_t set = SetOf(key);
  Entry& entry = entries_[set][next_way_[set]++ % kWays];
  entry.generation = 0;
  entry.key = key;
  entry.node = stack.node;
  entry.part = 0;
  // The loop of the innermost Python frame is the last of the inner ones.
  const uint32_t natives = walk.count - 1;
  uint32_t inner = 0;
  while (inner < natives && inner < kMostInner && !g_python.IsEvalLoop(walk.frames[inner].pc))
    ++inner;
  entry.inner = static_cast<uint16_t>(inner);
  entry.outer = static_cast<uint16_t>(natives - inner);
  entry.pythons = static_cast<uint16_t>(stack.python);
  for (uint32_t i = 0; i < natives; ++i) {
    if (!walk.frames[i].called) return;  // a signal frame or the like: its caller lies elsewhere
    const uint64_t slot = walk.frames[i + 1].sp - 8 - key.sp;
    if (slot > UINT32_MAX) return;  // on another stack
    NativeWord& word = i < inner ? entry.natives()[i] : entry.outers()[i - inner];
    word = {static_cast<uint32_t>(slot), static_cast<uint32_t>(walk.frames[i + 1].pc + 1)};
  }
  for (uint32_t i = 0; i < stack.python; ++i) {
    if (!LoadPython(state.python[i].address, &entry.python()[i])) return;
  }
  entry.generation = g_modules.generation();
}

}  // namespace gprofx::agent
