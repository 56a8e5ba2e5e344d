// Runs in signal handlers: no allocation, no locks, bounded loops.
#include "samplers/agent/stacks/stack_table.h"
#include "samplers/wire/hash.h"

#include <algorithm>

namespace gprofx::agent {
namespace {

constexpr uint32_t kMaxProbes = 64;  // tables are at most half full, so a longer run is improbable
constexpr uint32_t kFirstBits = 12, kLastBits = 21;
static_assert((1u << kLastBits) >= 2 * wire::kMaxNodes);
static_assert((2u << kLastBits) - (1u << kFirstBits) <= wire::kHashSlots);

uint32_t HashOf(uint32_t parent, uint64_t frame) {
  return static_cast<uint32_t>(wire::MixBits(frame ^ uint64_t{parent} << 32 ^ parent) >> 32);
}

// Returns the size of the table for `nodes` entries, as a power of two: the number of bits. The
// table is at most half full with them.
uint32_t BitsFor(uint32_t nodes) {
  uint32_t bits = 33 - static_cast<uint32_t>(__builtin_clz(nodes | 1));
  return bits < kFirstBits ? kFirstBits : bits > kLastBits ? kLastBits : bits;
}

// Returns cell `i` of the probe sequence for `hash` in the table with `bits` bits.
std::atomic<uint32_t>& CellOf(Session& session, uint32_t bits, uint32_t hash, uint32_t i = 0) {
  return session.hash()[(1u << bits) - (1u << kFirstBits) + ((hash + i) & ((1u << bits) - 1))];
}

struct Key {
  uint32_t parent;
  uint64_t frame;
  uint32_t hash;
};

// Looks a key up in the table with `bits` bits. Returns its node. If the key is not there, returns
// 0 and sets *hole to the first empty cell where it could be, or to null.
uint32_t Probe(Session& session, uint32_t bits, const Key& key, std::atomic<uint32_t>** hole) {
  const wire::NodeRecord* nodes = session.nodes();
  *hole = nullptr;
  for (uint32_t i = 0; i < kMaxProbes; ++i) {
    std::atomic<uint32_t>& cell = CellOf(session, bits, key.hash, i);
    uint32_t found = cell.load(std::memory_order_acquire);
    if (found == 0) {
      *hole = &cell;
      return 0;
    }
    if (found >= wire::kMaxNodes) continue;  // not written by an agent, so it is not valid
    if (nodes[found].frame == key.frame && nodes[found].parent == key.parent) return found;
  }
  return 0;
}

// Allocates up to `wanted` consecutive nodes and sets *first to the first one. Returns how many
// there are; near the end of the node table they may be fewer.
uint32_t NewNodes(Session& session, uint32_t wanted, uint32_t* first) {
  std::atomic<uint32_t>& next = session.header().nodes;
  if (next.load(std::memory_order_relaxed) >= wire::kMaxNodes) return 0;
  *first = next.fetch_add(wanted, std::memory_order_relaxed);
  return *first >= wire::kMaxNodes ? 0 : std::min(wanted, wire::kMaxNodes - *first);
}

// The empty cell where a missing key may be inserted. If `hole` is null, there is no room.
struct Place {
  uint32_t bits = 0;
  std::atomic<uint32_t>* hole = nullptr;
};

// Inserts `node` for a key into the empty cell place.hole. If another thread fills that cell first,
// searches on from there. Returns the node that lookups of the key find from now on.
uint32_t Publish(Session& session, const Key& key, Place place, uint32_t node) {
  for (uint32_t i = 0; i < kMaxProbes && place.hole != nullptr; ++i) {
    uint32_t expected = 0;
    if (place.hole->compare_exchange_strong(expected, node, std::memory_order_acq_rel)) break;
    if (uint32_t theirs = Probe(session, place.bits, key, &place.hole); theirs != 0) return theirs;
  }
  return node;
}

// Returns the node of a key. If there is none, returns 0 and sets *place to the cell where it may
// be inserted.
uint32_t FindChild(Session& session, const Key& key, Place* place) {
  const uint32_t next = key.parent + 1;
  const wire::NodeRecord* nodes = session.nodes();
  if (next < wire::kMaxNodes && nodes[next].frame == key.frame && nodes[next].parent == key.parent)
    return next;
  place->bits = BitsFor(session.header().nodes.load(std::memory_order_relaxed));
  // A child is newer than its parent, so it is in no table that was already too small when the
  // parent was added.
  const uint32_t smallest = BitsFor(key.parent);
  for (uint32_t bits = smallest; bits < place->bits; ++bits) {
    __builtin_prefetch(&CellOf(session, bits, key.hash));
  }
  uint32_t node = Probe(session, place->bits, key, &place->hole);
  if (node != 0 || place->hole == nullptr) return node;
  std::atomic<uint32_t>* ignored = nullptr;
  for (uint32_t smaller = place->bits; node == 0 && smaller-- > smallest;) {
    node = Probe(session, smaller, key, &ignored);
  }
  return node == 0 ? 0 : Publish(session, key, *place, node);
}

// Adds nodes for `frames`, which follow the node key.parent. The first frame is new there, so the
// later ones are, too. The nodes are consecutive. Each node except the first is found as the one
// after its parent and needs no hash entry. Sets *first to the node of the first frame.
//
// Returns the number of nodes added. It is smaller than `count` if the node table is full. It is 1
// if another thread added the first frame meanwhile.
uint32_t AddChain(Session& session, const Key& key, const Place& place, const uint64_t* frames,
                  uint32_t count, uint32_t* first) {
  if (place.hole == nullptr) return 0;
  const uint32_t fresh = NewNodes(session, count, first);
  uint32_t parent = key.parent;
  for (uint32_t i = 0; i < fresh; ++i) {
    wire::NodeRecord& node = session.nodes()[*first + i];
    node.frame = frames[i];
    node.parent = parent;
    parent = *first + i;
  }
  if (fresh == 0) return 0;
  const uint32_t published = Publish(session, key, place, *first);
  if (published == *first) return fresh;
  *first = published;
  return 1;
}

Key KeyOf(uint32_t parent, uint64_t frame) { return {parent, frame, HashOf(parent, frame)}; }

}  // namespace

uint32_t ChildNode(Session& session, uint32_t parent, uint64_t frame) {
  const Key key = KeyOf(parent, frame);
  Place place;
  uint32_t node = FindChild(session, key, &place);
  if (node == 0 && AddChain(session, key, place, &frame, 1, &node) == 0) return 0;
  return node;
}

namespace {

// Returns the hash of all frames up to the end of a stride. `frames` is the stride (kStride
// frames), `before` the hash of the frames before it.
uint64_t HashOfStride(uint64_t before, const uint64_t* frames) {
  wire::WordsHash hash;
  hash.Add(before);
  for (uint32_t i = 0; i < kStride; ++i) hash.Add(frames[i]);
  return hash.value() ^ hash.value() >> 29;
}

StackPath::Stride& StrideOf(StackPath& path, uint64_t hash) {
  return path.strides[hash % kStrides];
}

// Computes the hashes of the strides of a stack whose first `same` frames equal the previous
// stack's. Prefetches the cache entries to be looked up.
void HashStrides(StackPath& path, uint32_t same, uint32_t count) {
  for (uint32_t s = same / kStride; (s + 1) * kStride <= count; ++s) {
    path.hashes[s + 1] = HashOfStride(path.hashes[s], path.frames + s * kStride);
    __builtin_prefetch(&StrideOf(path, path.hashes[s + 1]));
  }
}

// Records `node` as the node of the stack's frames up to frame `at`.
void Remember(StackPath& path, uint32_t at, uint32_t node) {
  path.nodes[at] = node;
  if ((at + 1) % kStride != 0) return;
  const uint64_t hash = path.hashes[(at + 1) / kStride];
  StrideOf(path, hash) = {hash, node, path.epoch};
}

// Returns the node at the end of the stride that begins with frame `at`. Returns 0 if the cache
// does not contain this stride.
uint32_t KnownStride(StackPath& path, uint32_t at) {
  const uint64_t hash = path.hashes[at / kStride + 1];
  const StackPath::Stride& stride = StrideOf(path, hash);
  if (stride.hash != hash || stride.epoch != path.epoch) return 0;
  return stride.node;
}

// Finds or adds the nodes of the next frames. *at is the index of the first one and *node its
// parent; both are moved on. One call covers a whole stride if the stride is known, one frame if
// that frame has a node, otherwise all frames that are left. Returns false if the node table is
// full.
bool Descend(Session& session, StackPath& path, uint32_t count, uint32_t* at, uint32_t* node) {
  const bool whole = *at % kStride == 0 && *at + kStride <= count;
  if (const uint32_t known = whole ? KnownStride(path, *at) : 0; known != 0) {
    for (const uint32_t end = *at + kStride; *at < end; ++*at) path.nodes[*at] = 0;
    *node = path.nodes[*at - 1] = known;
    return true;
  }
  const Key key = KeyOf(*node, path.frames[*at]);
  Place place;
  if (const uint32_t child = FindChild(session, key, &place); child != 0) {
    *node = child;
    Remember(path, (*at)++, child);
    return true;
  }
  uint32_t first = 0;
  const uint32_t added = AddChain(session, key, place, path.frames + *at, count - *at, &first);
  for (uint32_t i = 0; i < added; ++i) Remember(path, (*at)++, *node = first + i);
  return added != 0;
}

}  // namespace

uint32_t StackNode(Session& session, StackPath& path, const NextStack& stack, bool* full) {
  const uint32_t count = stack.count();
  uint32_t i = stack.same();
  HashStrides(path, i, count);
  while (i > 0 && path.nodes[i - 1] == 0) --i;
  uint32_t node = i == 0 ? 0 : path.nodes[i - 1];
  while (i < count && Descend(session, path, count, &i, &node)) {
  }
  *full = *full || i < count;
  path.count = i;
  return node;
}

}  // namespace gprofx::agent
