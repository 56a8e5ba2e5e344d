// Signal path: no allocation, no locks, bounded loops.
#include "samplers/agent/stack_table.h"

namespace gprofx::agent {
namespace {

constexpr uint32_t kMaxProbes =
    64;  // a table is at most half full: longer runs do not happen by chance
constexpr uint32_t kFirstBits = 12, kLastBits = 21;
static_assert((1u << kLastBits) >= 2 * wire::kMaxNodes);
static_assert((2u << kLastBits) - (1u << kFirstBits) <= wire::kHashSlots);

uint32_t HashOf(uint32_t parent, uint64_t frame) {
  uint64_t h = (frame ^ uint64_t{parent} << 32 ^ parent) * 0x9e3779b97f4a7c15;
  h ^= h >> 29;
  h *= 0xbf58476d1ce4e5b9;
  return static_cast<uint32_t>(h >> 32);
}

// The table that is at most half full with `nodes` entries.
uint32_t BitsFor(uint32_t nodes) {
  uint32_t bits = 33 - static_cast<uint32_t>(__builtin_clz(nodes | 1));
  return bits < kFirstBits ? kFirstBits : bits > kLastBits ? kLastBits : bits;
}

struct Key {
  uint32_t parent;
  uint64_t frame;
  uint32_t hash;
};

// Walks the probe sequence of one table: the node of the key, or 0 with *hole = the first empty
// cell (null if none).
uint32_t Probe(Session& session, uint32_t bits, const Key& key, std::atomic<uint32_t>** hole) {
  std::atomic<uint32_t>* table = session.hash() + (1u << bits) - (1u << kFirstBits);
  const wire::NodeRecord* nodes = session.nodes();
  *hole = nullptr;
  for (uint32_t i = 0; i < kMaxProbes; ++i) {
    std::atomic<uint32_t>& cell = table[(key.hash + i) & ((1u << bits) - 1)];
    uint32_t found = cell.load(std::memory_order_acquire);
    if (found == 0) {
      *hole = &cell;
      return 0;
    }
    if (nodes[found].frame == key.frame && nodes[found].parent == key.parent) return found;
  }
  return 0;
}

uint32_t NewNode(Session& session, const Key& key) {
  std::atomic<uint32_t>& next = session.header().nodes;
  if (next.load(std::memory_order_relaxed) >= wire::kMaxNodes) return 0;
  uint32_t fresh = next.fetch_add(1, std::memory_order_relaxed);
  if (fresh >= wire::kMaxNodes) return 0;
  session.nodes()[fresh].frame = key.frame;
  session.nodes()[fresh].parent = key.parent;
  return fresh;
}

}  // namespace

uint32_t ChildNode(Session& session, uint32_t parent, uint64_t frame) {
  // The frames of a new stack get consecutive nodes, so the first child of a node is mostly the
  // next one: four to a cache line.
  const uint32_t next = parent + 1;
  const wire::NodeRecord* nodes = session.nodes();
  if (next < wire::kMaxNodes && nodes[next].frame == frame && nodes[next].parent == parent)
    return next;
  const Key key{parent, frame, HashOf(parent, frame)};
  const uint32_t bits = BitsFor(session.header().nodes.load(std::memory_order_relaxed));
  std::atomic<uint32_t>* hole = nullptr;
  uint32_t node = Probe(session, bits, key, &hole);
  if (node != 0 || hole == nullptr) return node;
  // A child is younger than its parent: it is in no table that was too small for that one already.
  std::atomic<uint32_t>* ignored = nullptr;
  const uint32_t smallest = BitsFor(parent);
  for (uint32_t smaller = bits; node == 0 && smaller-- > smallest;) {
    node = Probe(session, smaller, key, &ignored);
  }
  if (node == 0) node = NewNode(session, key);
  if (node == 0) return 0;
  // Another thread may take the hole first, with this key or another: then look again from there.
  for (uint32_t i = 0; i < kMaxProbes && hole != nullptr; ++i) {
    uint32_t expected = 0;
    if (hole->compare_exchange_strong(expected, node, std::memory_order_acq_rel)) return node;
    if (uint32_t theirs = Probe(session, bits, key, &hole); theirs != 0) return theirs;
  }
  return node;
}

namespace {

// Of all frames up to the end of a stride; `before`: of those before it.
uint64_t HashOfStride(uint64_t before, const uint64_t* frames) {
  constexpr uint64_t kFactor = 0x9e3779b97f4a7c15;
  uint64_t sum = (before ^ before >> 32) * 0xbf58476d1ce4e5b9, factor = kFactor;
  for (uint32_t i = 0; i < kStride; ++i, factor *= kFactor) {
    sum += (frames[i] ^ frames[i] >> 32) * factor;
  }
  return sum ^ sum >> 29;
}

StackPath::Stride& StrideOf(StackPath& path, uint64_t hash) { return path.strides[hash % kStrides]; }

// The hashes of a stack whose first `same` frames are those of the path, and what they will ask for.
void HashStrides(StackPath& path, const uint64_t* frames, uint32_t same, uint32_t count) {
  for (uint32_t s = same / kStride; (s + 1) * kStride <= count; ++s) {
    path.hashes[s + 1] = HashOfStride(path.hashes[s], frames + s * kStride);
    __builtin_prefetch(&StrideOf(path, path.hashes[s + 1]));
  }
}

// The node behind one frame after another, to frame `end`; false when the table is full.
bool Descend(Session& session, StackPath& path, const uint64_t* frames, uint32_t end,
             uint32_t* at, uint32_t* node) {
  for (; *at < end; ++*at) {
    const uint32_t child = ChildNode(session, *node, frames[*at]);
    if (child == 0) return false;
    *node = child;
    path.frames[*at] = frames[*at];
    path.nodes[*at] = child;
  }
  return true;
}

// The same for the kStride frames from `at` on, at once where they were met before.
bool DescendStride(Session& session, StackPath& path, const uint64_t* frames, uint32_t* at,
                   uint32_t* node) {
  const uint64_t hash = path.hashes[*at / kStride + 1];
  StackPath::Stride& stride = StrideOf(path, hash);
  if (stride.hash != hash || stride.node == 0 || stride.epoch != path.epoch) {
    if (!Descend(session, path, frames, *at + kStride, at, node)) return false;
    stride = {hash, *node, path.epoch};
    return true;
  }
  for (const uint32_t end = *at + kStride; *at < end; ++*at) {
    path.frames[*at] = frames[*at];
    path.nodes[*at] = 0;
  }
  *node = path.nodes[*at - 1] = stride.node;
  return true;
}

}  // namespace

uint32_t StackNode(Session& session, StackPath& path, const uint64_t* frames, uint32_t count,
                   bool* full) {
  uint32_t i = 0;
  uint32_t common = path.count < count ? path.count : count;
  while (i < common && path.frames[i] == frames[i]) ++i;
  HashStrides(path, frames, i, count);
  while (i > 0 && path.nodes[i - 1] == 0) --i;
  uint32_t node = i == 0 ? 0 : path.nodes[i - 1];
  // Strides begin at multiples of their length, so that they are met again.
  const uint32_t aligned = (i + kStride - 1) / kStride * kStride;
  bool room = Descend(session, path, frames, aligned < count ? aligned : count, &i, &node);
  while (room && i + kStride <= count) room = DescendStride(session, path, frames, &i, &node);
  if (room) room = Descend(session, path, frames, count, &i, &node);
  *full = *full || !room;
  path.count = i;
  return node;
}

}  // namespace gprofx::agent
