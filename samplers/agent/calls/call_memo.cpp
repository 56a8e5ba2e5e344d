// Runs within CUDA calls: no allocation (except in Make), no locks, bounded loops.
#include "samplers/agent/calls/call_memo.h"

#include <sys/mman.h>

#include <algorithm>

#include "samplers/agent/python/layers.h"
#include "samplers/agent/python/runtime.h"
#include "samplers/agent/signals/safe_load.h"
#include "samplers/agent/stacks/modules.h"

namespace gprofx::agent {

CallMemo* CallMemo::Make() {
  // Aligns the CallMemo to 2 MiB. If the kernel provides a large page, that page holds four fifths
  // of the CallMemo. Each call reads another entry, and a TLB miss costs more than a cache miss.
  // The kernel clears the 2 MiB at the first call.
  constexpr uint64_t kLargePage = 2 << 20;
  void* p = mmap(nullptr, sizeof(CallMemo) + kLargePage, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) return nullptr;
  const uint64_t begin = (reinterpret_cast<uint64_t>(p) + kLargePage - 1) / kLargePage * kLargePage;
  void* memo = reinterpret_cast<void*>(begin);
  madvise(memo, sizeof(CallMemo), MADV_HUGEPAGE);
  return static_cast<CallMemo*>(memo);
}

[[gnu::hot]] CallMemo::Key CallMemo::MakeKey(uint64_t sp, const PythonOwner& owner, uint32_t call,
                                             uint64_t object) {
  Key key{sp, owner.thread, owner.frame, 0, object, call};
  if (key.python_frame != 0) g_python.LoadInstruction(key.python_frame, &key.instruction);
  return key;
}

// Returns the hash of all fields of `key` and of the generation of the unwind rows. Never 0.
[[gnu::hot]] uint64_t CallMemo::TagOf(const Key& key) {
  Hash hash;
  hash.Add(key.sp);
  hash.Add(key.python_frame);
  hash.Add(key.instruction);
  hash.Add(key.object);
  hash.Add(key.python_thread ^ uint64_t{key.call} << 48);
  hash.Add(g_modules.generation());
  return wire::MixBits(hash.value()) | 1;
}

// Hashes the `links` Python frames from `frame` outward. Sets *rest to the next frame. Returns
// false if there are fewer frames or one cannot be read. From CPython 3.11 on, the hashed
// instruction pointer identifies the code object, so the code object is hashed only for older
// versions.
bool CallMemo::HashPython(uint64_t frame, uint32_t links, Hash* hash, uint64_t* rest) {
  const PyLayout& layout = g_python.layout();
  for (uint32_t i = 0; i < links; ++i) {
    uint64_t instruction = 0, code = 0;
    if (frame == 0 || !g_python.LoadInstruction(frame, &instruction)) return false;
    if (layout.minor <= 10 && !SafeLoad(frame + layout.f_code, &code)) return false;
    hash->Add(frame + code);
    hash->Add(instruction);
    if (!SafeLoad(frame + layout.f_back, &frame)) return false;
  }
  *rest = frame;
  return true;
}

bool CallMemo::CountLinks(uint64_t frame, uint8_t* links) {
  const PyLayout& layout = g_python.layout();
  for (*links = 0; frame != 0; ++*links) {
    if (*links == kMaxPython || !SafeLoad(frame + layout.f_back, &frame)) return false;
  }
  return true;
}

bool CallMemo::HashNative(const Entry& entry, uint32_t begin, uint32_t end, Hash* hash) {
  for (uint32_t i = begin; i < end; ++i) {
    uint64_t value = 0;
    if (!SafeLoad(entry.sp + uint64_t{entry.slots[i]} * 8, &value)) return false;
    hash->Add(value);
  }
  return true;
}

bool CallMemo::HashFew(const Entry& entry, const Key& key, uint32_t depth, uint64_t* value) {
  Hash hash;
  uint64_t rest = 0;
  const Few few = kFew[depth];
  const uint32_t natives = std::min<uint32_t>(entry.first + few.native, entry.inners);
  const uint32_t pythons = std::min<uint32_t>(few.python, entry.pythons);
  if (!HashNative(entry, entry.first, natives, &hash) ||
      !HashPython(key.python_frame, pythons, &hash, &rest))
    return false;
  *value = hash.value();
  return true;
}

bool CallMemo::HashInner(const Entry& entry, const Key& key, uint64_t* value) {
  Hash hash;
  uint64_t rest = 0;
  if (!HashNative(entry, 0, entry.inners, &hash) ||
      !HashPython(key.python_frame, entry.pythons, &hash, &rest) || rest != 0)
    return false;
  *value = hash.value();
  return true;
}

bool CallMemo::HashOuter(const Entry& entry, uint32_t part, uint64_t* value) {
  Hash hash;
  const uint32_t begin = entry.inners + entry.outers * part / kOuterParts;
  const uint32_t end = entry.inners + entry.outers * (part + 1) / kOuterParts;
  if (!HashNative(entry, begin, end, &hash)) return false;
  *value = hash.value();
  return true;
}

// Checks an entry in full. Returns true if all its inner words and a quarter of its outer words are
// unchanged; each check reads the next quarter. Of a doubtful entry, all outer words are checked.
bool CallMemo::IsRight(Entry& entry, const Key& key) {
  uint64_t value = 0;
  if (!HashInner(entry, key, &value) || value != entry.inner) return false;
  for (uint32_t looks = entry.doubtful ? kOuterParts : 1; looks != 0; --looks) {
    const uint32_t part = entry.part;
    entry.part = static_cast<uint8_t>((part + 1) % kOuterParts);
    if (!HashOuter(entry, part, &value) || value != entry.outer[part]) return false;
  }
  return true;
}

bool CallMemo::IsKnownByKey(const Entry& entry, const Key& key) {
  return entry.right >= kKeyProof && !entry.shared && g_session.facts().gpu.budget != 0 &&
         (key.python_frame == 0 || g_python.layout().minor > 10);
}

// Updates the counters of entry `at`: adds the calls that matched it by key alone since the last
// update.
void CallMemo::CountByKey(uint32_t at) {
  Entry& entry = entries_[at];
  const auto taken = static_cast<uint8_t>(entry.key_gone - fronts_[at].key_left);
  if (taken == 0) return;
  entry.key_gone = fronts_[at].key_left;
  entry.by_key = static_cast<uint8_t>(entry.by_key + taken);
  entry.unlooked = static_cast<uint16_t>(entry.unlooked + taken);
  entry.used = true;
}

// Called after a successful check of entry `at`. Sets at random how many calls may match by key
// alone before the next check and, after a full check, how many checks may read only a few words.
void CallMemo::PlanLooks(uint32_t at, const Key& key, bool full) {
  Entry& entry = entries_[at];
  const bool by_key = IsKnownByKey(entry, key);
  entry.by_key = 0;
  const uint8_t distance = entry.right < kLongKeyProof ? kByKey : kByLongKey;
  fronts_[at].key_left = entry.key_gone =
      static_cast<uint8_t>(by_key ? RandomDistance(&random_, distance) : 0);
  if (!full) return;
  const uint8_t few = entry.right < kProof       ? 0
                      : by_key                   ? kKeyedLooks
                      : entry.right < kLongProof ? kTrustedLooks
                                                 : kProvenLooks;
  entry.few_left = static_cast<uint8_t>(RandomDistance(&random_, few));
  entry.unlooked = 0;
}

// Called if the present stack has the entry's key but is a different stack. Increases the entry's
// depth until the few words at that depth differ. If they are equal at every depth, marks the entry
// as doubtful and returns false.
bool CallMemo::LookDeeper(Entry& entry, const Key& key) {
  uint64_t value = 0;
  while (HashFew(entry, key, entry.depth, &value) && value == entry.few[entry.depth]) {
    if (entry.depth + 1 == kDepths) {
      entry.doubtful = true;
      return false;
    }
    ++entry.depth;
  }
  return true;
}

[[gnu::hot]] bool CallMemo::LooksRight(uint32_t at, const Key& key) {
  if (fronts_[at].key_left != 0) {
    --fronts_[at].key_left;
    return true;
  }
  CountByKey(at);
  Entry& entry = entries_[at];
  uint64_t value = 0;
  if (!HashFew(entry, key, entry.depth, &value) || value != entry.few[entry.depth]) {
    if (entry.by_key == 0) return false;
    g_session.Count(wire::kCallMemoStale, entry.by_key);
    entry.unlooked = static_cast<uint16_t>(entry.unlooked - entry.by_key);
    entry.by_key = 0;
    entry.shared = true;
    return false;
  }
  if (entry.few_left != 0) {
    --entry.few_left;
    ++entry.unlooked;
    PlanLooks(at, key, false);
    return true;
  }
  g_session.Count(wire::kCallMemoFull);
  if (!IsRight(entry, key)) {
    if (entry.unlooked != 0) g_session.Count(wire::kCallMemoStale, entry.unlooked);
    entry.unlooked = entry.by_key = entry.right = 0;
    LookDeeper(entry, key);
    return false;
  }
  if (entry.right < kLongProof && !entry.doubtful) ++entry.right;
  PlanLooks(at, key, true);
  return true;
}

[[gnu::hot]] bool CallMemo::IsAt(uint32_t at, uint64_t tag, const Key& key, bool* others) {
  if (fronts_[at].tag != tag) return false;
  if (LooksRight(at, key)) return true;
  *others = true;
  return false;
}

[[gnu::hot]] uint32_t CallMemo::NodeAt(uint32_t at, StackPath& path) const {
  const Front& front = fronts_[at];
  return front.layered ? LayerNode(path, front.node, entries_[at].layers) : front.node;
}

[[gnu::hot]] uint32_t CallMemo::Find(const Key& key, StackPath& path) {
  const uint64_t tag = TagOf(key);
  const uint32_t at = fronts_[last_].next;
  Front& expected = fronts_[at];
  if (expected.tag != tag || expected.key_left == 0) [[unlikely]]
    return Look(tag, key, path);
  --expected.key_left;
  if (++hits_ == kCountedHits) [[unlikely]]
    CountHits();
  last_ = at;
  __builtin_prefetch(&fronts_[expected.next]);
  return NodeAt(at, path);
}

[[gnu::hot, gnu::noinline]] uint32_t CallMemo::Look(uint64_t tag, const Key& key, StackPath& path) {
  bool others = false;
  uint32_t at = fronts_[last_].next;
  if (!IsAt(at, tag, key, &others)) {
    const uint32_t tried = at, end = FirstOf(tag) + kWays;
    for (at = FirstOf(tag); at != end; ++at) {
      if (at != tried && IsAt(at, tag, key, &others)) break;
    }
    if (at == end) {
      if (others) g_session.Count(wire::kCallMemoOthers);
      CountHits();
      return 0;
    }
  }
  if (++hits_ >= kCountedHits) CountHits();
  Follow(at);
  return NodeAt(at, path);
}

void CallMemo::CountHits() {
  if (hits_ != 0) g_session.Count(wire::kCallMemoHits, hits_);
  hits_ = 0;
}

// Makes entry `at` the latest call and prefetches what the next one will need.
void CallMemo::Follow(uint32_t at) {
  entries_[at].used = true;
  Front& before = fronts_[last_];
  if (before.next != at) before.next = static_cast<uint16_t>(at);
  last_ = at;
  const uint32_t next = fronts_[at].next;
  __builtin_prefetch(&fronts_[next]);
  __builtin_prefetch(&entries_[next]);
}

// Fills the entry with the locations of the stack's return addresses and with the hashes of the
// words there. Returns false if the stack cannot be cached.
bool CallMemo::Fill(Entry& entry, const Key& key, const WalkResult& walk) {
  if (!CountLinks(key.python_frame, &entry.pythons)) return false;
  const uint32_t natives = walk.count - 1;
  // The inner frames are those before the eval loop that runs the innermost Python frame.
  uint32_t inner = 0, first = 0;
  while (inner < natives && inner < kMaxInner && !g_python.IsEvalLoop(walk.frames[inner].pc))
    ++inner;
  while (first < inner && IsCudaPlumbing(walk.frames[first])) ++first;
  entry.inners = static_cast<uint8_t>(inner);
  entry.outers = static_cast<uint8_t>(natives - inner);
  // slots[i] is the location of the return address into frame i + 1. The location for frame `first`
  // is therefore slots[first - 1].
  entry.first = static_cast<uint8_t>(first == 0 ? 0 : first - 1);
  for (uint32_t i = 0; i < natives; ++i) {
    // A signal frame has no return address on the stack.
    if (!walk.frames[i].called) return false;
    const uint64_t slot = (walk.frames[i].ReturnSlot(walk.frames[i + 1].sp) - key.sp) / 8;
    if (slot > UINT16_MAX) return false;  // on another stack, or a very large one
    entry.slots[i] = static_cast<uint16_t>(slot);
  }
  for (uint32_t depth = 0; depth < kDepths; ++depth) {
    if (!HashFew(entry, key, depth, &entry.few[depth])) return false;
  }
  if (!HashInner(entry, key, &entry.inner)) return false;
  for (uint32_t part = 0; part < kOuterParts; ++part) {
    if (!HashOuter(entry, part, &entry.outer[part])) return false;
  }
  return true;
}

// Returns the index of an entry that may be overwritten, from the set that begins at index `first`.
// Prefers an empty entry. Otherwise returns one that was not used since the set's clock hand last
// passed it (second-chance method).
uint32_t CallMemo::MakeRoom(uint32_t first) {
  for (uint32_t at = first; at != first + kWays; ++at) {
    if (fronts_[at].tag == 0) return at;
  }
  while (true) {
    const uint32_t at = first + next_way_[first / kWays]++ % kWays;
    CountByKey(at);
    if (!entries_[at].used) return at;
    entries_[at].used = false;
  }
}

void CallMemo::Add(const Key& key, const ThreadState& state, const Stack& stack) {
  const WalkResult& walk = state.walk;
  if (!stack.whole || walk.count == 0 || walk.count > kMaxNative)
    return g_session.Count(wire::kCallMemoUnfit);
  const uint64_t tag = TagOf(key);
  const uint32_t first = FirstOf(tag), at = MakeRoom(first);
  if (fronts_[at].tag != 0) g_session.Count(wire::kCallMemoPushedOut);
  Front& front = fronts_[at];
  Entry& entry = entries_[at];
  front = {0, stack.code, 0, 0, state.layers.count != 0};
  entry.sp = key.sp;
  entry.layers.count = state.layers.count;
  std::copy_n(state.layers.frames, state.layers.count, entry.layers.frames);
  entry.part = entry.right = entry.by_key = entry.key_gone = entry.few_left = 0;
  entry.unlooked = 0;
  entry.depth = 0;
  entry.doubtful = entry.shared = entry.used = false;
  if (!Fill(entry, key, walk)) return g_session.Count(wire::kCallMemoUnfit);
  for (uint32_t other = first; other != first + kWays; ++other) {
    if (fronts_[other].tag != tag) continue;
    CountByKey(other);
    entry.shared = entries_[other].shared = true;
    fronts_[other].key_left = entries_[other].key_gone = 0;
    if (!LookDeeper(entries_[other], key)) entry.doubtful = true;
    entry.depth = std::max(entry.depth, entries_[other].depth);
  }
  front.tag = tag;
}

}  // namespace gprofx::agent
