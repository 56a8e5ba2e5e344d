// Signal path: no allocation (Make apart), no locks, bounded loops.
#include "samplers/agent/call_memo.h"

#include <sys/mman.h>

#include "samplers/agent/modules.h"
#include "samplers/agent/python/runtime.h"
#include "samplers/agent/safe_load.h"

namespace gprofx::agent {

// A polynomial of the words: no small changes of several of them add up to nothing, as they would
// with factors in an arithmetic progression. The products do not wait for the loads before.
class CallMemo::Hash {
 public:
  void Add(uint64_t word) {
    sum_ += (word ^ word >> 32) * factor_;
    factor_ *= 0x9e3779b97f4a7c15;
  }
  uint64_t value() const { return sum_; }

 private:
  uint64_t sum_ = 0, factor_ = 0xbf58476d1ce4e5b9;
};

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

// The chain from `frame` on, `links` long. From 3.11 on a frame points at the instruction itself,
// which belongs to one code object.
bool CallMemo::HashPython(uint64_t frame, uint32_t links, Hash* hash) {
  const PyLayout& layout = g_python.layout();
  for (uint32_t i = 0; i < links; ++i) {
    uint64_t instruction = 0, code = 0;
    if (!g_python.LoadInstruction(frame, &instruction)) return false;
    if (layout.minor <= 10 && !SafeLoad(frame + layout.f_code, &code)) return false;
    hash->Add(frame + code);
    hash->Add(instruction);
    if (!SafeLoad(frame + layout.f_back, &frame)) return false;
  }
  return frame == 0;
}

bool CallMemo::CountLinks(uint64_t frame, uint8_t* links) {
  const PyLayout& layout = g_python.layout();
  for (*links = 0; frame != 0; ++*links) {
    if (*links == kMostPython || !SafeLoad(frame + layout.f_back, &frame)) return false;
  }
  return true;
}

bool CallMemo::HashNative(uint64_t sp, const uint16_t* slots, uint32_t count, Hash* hash) {
  for (uint32_t i = 0; i < count; ++i) {
    uint64_t value = 0;
    if (!SafeLoad(sp + uint64_t{slots[i]} * 8, &value)) return false;
    hash->Add(value);
  }
  return true;
}

bool CallMemo::HashInner(const Entry& entry, const Key& key, uint64_t* value) {
  Hash hash;
  hash.Add(key.call);
  hash.Add(key.python_thread);
  if (!HashNative(entry.sp, entry.slots, entry.inner, &hash) ||
      !HashPython(key.python_frame, entry.pythons, &hash))
    return false;
  *value = hash.value();
  return true;
}

bool CallMemo::HashOuter(const Entry& entry, uint32_t part, uint64_t* value) {
  Hash hash;
  const uint32_t begin = entry.outer * part / kOuterParts;
  const uint32_t end = entry.outer * (part + 1) / kOuterParts;
  const uint16_t* slots = entry.slots + entry.inner;
  if (!HashNative(entry.sp, slots + begin, end - begin, &hash)) return false;
  *value = hash.value();
  return true;
}

bool CallMemo::StillThere(Entry& entry, const Key& key) {
  uint64_t value = 0;
  if (!HashInner(entry, key, &value) || value != entry.hash) return false;
  const uint32_t part = entry.part;
  entry.part = static_cast<uint8_t>((part + 1) % kOuterParts);
  if (HashOuter(entry, part, &value) && value == entry.outer_hash[part]) return true;
  entry.generation = 0;
  g_session.Count(wire::kCallMemoStale);
  return false;
}

uint32_t CallMemo::Find(const Key& key) {
  const uint64_t generation = g_modules.generation();
  for (Entry& entry : entries_[SetOf(key)]) {
    if (entry.generation == generation && entry.sp == key.sp && StillThere(entry, key))
      return entry.node;
  }
  return 0;
}

void CallMemo::Add(const Key& key, const ThreadState& state, const Stack& stack) {
  const WalkResult& walk = state.walk;
  if (!stack.whole || walk.count == 0 || walk.count > kMostNative) return;
  const uint32_t set = SetOf(key);
  Entry& entry = entries_[set][next_way_[set]++ % kWays];
  entry.generation = 0;
  entry.sp = key.sp;
  entry.node = stack.node;
  entry.part = 0;
  if (!CountLinks(key.python_frame, &entry.pythons)) return;
  // The loop of the innermost Python frame ends the inner ones.
  const uint32_t natives = walk.count - 1;
  uint32_t inner = 0;
  while (inner < natives && inner < kMostInner && !g_python.IsEvalLoop(walk.frames[inner].pc))
    ++inner;
  entry.inner = static_cast<uint8_t>(inner);
  entry.outer = static_cast<uint8_t>(natives - inner);
  for (uint32_t i = 0; i < natives; ++i) {
    if (!walk.frames[i].called) return;  // a signal frame or the like: its caller lies elsewhere
    const uint64_t slot = (walk.frames[i + 1].sp - 8 - key.sp) / 8;
    if (slot > UINT16_MAX) return;  // on another stack, or a very large one
    entry.slots[i] = static_cast<uint16_t>(slot);
  }
  if (!HashInner(entry, key, &entry.hash)) return;
  for (uint32_t part = 0; part < kOuterParts; ++part) {
    if (!HashOuter(entry, part, &entry.outer_hash[part])) return;
  }
  entry.generation = g_modules.generation();
}

}  // namespace gprofx::agent
