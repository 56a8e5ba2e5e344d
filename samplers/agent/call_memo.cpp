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

bool CallMemo::StillThere(const Entry& entry) {
  for (uint32_t i = 0; i < entry.natives; ++i) {
    uint64_t value = 0;
    if (!SafeLoad(entry.native[i].slot, &value) || value != entry.native[i].value) return false;
  }
  const PyLayout& layout = g_python.layout();
  for (uint32_t i = 0; i < entry.pythons; ++i) {
    const PythonWords& then = entry.python[i];
    PythonWords now{};
    if (!SafeLoad(then.frame + layout.f_code, &now.code) || now.code != then.code ||
        !g_python.LoadInstruction(then.frame, &now.instruction) ||
        now.instruction != then.instruction || !SafeLoad(then.frame + layout.f_back, &now.back) ||
        now.back != then.back)
      return false;
  }
  return true;
}

uint32_t CallMemo::Find(const Key& key) {
  const uint64_t generation = g_modules.generation();
  for (const Entry& entry : entries_[SetOf(key)]) {
    if (entry.generation == generation && Same(entry.key, key) && StillThere(entry))
      return entry.node;
  }
  return 0;
}

void CallMemo::Add(const Key& key, const ThreadState& state, const Stack& stack) {
  const WalkResult& walk = state.walk;
  if (!stack.whole || walk.count > kMostNative || stack.python > kMostPython) return;
  const uint32_t set = SetOf(key);
  Entry& entry = entries_[set][next_way_[set]++ % kWays];
  entry.generation = 0;
  entry.key = key;
  entry.node = stack.node;
  entry.natives = 0;
  for (uint32_t i = 0; i + 1 < walk.count; ++i) {
    if (!walk.frames[i].called) return;  // a signal frame or the like: its caller lies elsewhere
    entry.native[entry.natives++] = {walk.frames[i + 1].sp - 8, walk.frames[i + 1].pc + 1};
  }
  const PyLayout& layout = g_python.layout();
  for (uint32_t i = 0; i < stack.python; ++i) {
    PythonWords& words = entry.python[i];
    words.frame = state.python[i].address;
    if (!SafeLoad(words.frame + layout.f_code, &words.code) ||
        !g_python.LoadInstruction(words.frame, &words.instruction) ||
        !SafeLoad(words.frame + layout.f_back, &words.back))
      return;
  }
  entry.pythons = stack.python;
  entry.generation = g_modules.generation();
}

}  // namespace gprofx::agent
