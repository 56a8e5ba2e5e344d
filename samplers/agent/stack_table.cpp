// Signal path: no allocation, no locks, bounded loops.
#include "samplers/agent/stack_table.h"

namespace gprofx::agent {
namespace {

constexpr uint32_t kMaxProbes = 64;  // the hash is at most half full: longer runs do not happen by chance

uint32_t HashOf(uint32_t parent, uint64_t frame) {
  uint64_t h = (frame ^ uint64_t{parent} << 32 ^ parent) * 0x9e3779b97f4a7c15;
  h ^= h >> 29;
  h *= 0xbf58476d1ce4e5b9;
  return static_cast<uint32_t>(h >> 32);
}

}  // namespace

uint32_t ChildNode(Session& session, uint32_t parent, uint64_t frame) {
  std::atomic<uint32_t>* hash = session.hash();
  wire::NodeRecord* nodes = session.nodes();
  uint32_t fresh = 0;
  uint32_t slot = HashOf(parent, frame);
  for (uint32_t i = 0; i < kMaxProbes; ++i, ++slot) {
    std::atomic<uint32_t>& cell = hash[slot & (wire::kHashSlots - 1)];
    uint32_t found = cell.load(std::memory_order_acquire);
    if (found == 0) {
      if (fresh == 0) {
        if (session.header().nodes.load(std::memory_order_relaxed) >= wire::kMaxNodes) return 0;
        fresh = session.header().nodes.fetch_add(1, std::memory_order_relaxed);
        if (fresh >= wire::kMaxNodes) return 0;
        nodes[fresh].frame = frame;
        nodes[fresh].parent = parent;
      }
      if (cell.compare_exchange_strong(found, fresh, std::memory_order_acq_rel)) return fresh;
    }
    if (nodes[found].frame == frame && nodes[found].parent == parent) return found;
  }
  return 0;
}

uint32_t StackNode(Session& session, StackPath& path, const uint64_t* frames, uint32_t count, bool* full) {
  uint32_t i = 0;
  uint32_t common = path.count < count ? path.count : count;
  while (i < common && path.frames[i] == frames[i]) ++i;
  uint32_t node = i == 0 ? 0 : path.nodes[i - 1];
  for (; i < count; ++i) {
    uint32_t child = ChildNode(session, node, frames[i]);
    if (child == 0) {
      *full = true;
      break;
    }
    node = child;
    path.frames[i] = frames[i];
    path.nodes[i] = node;
  }
  path.count = i;
  return node;
}

}  // namespace gprofx::agent
