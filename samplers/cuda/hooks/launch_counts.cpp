#include "samplers/cuda/hooks/launch_counts.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>

#include "samplers/cuda/hooks/own_line.h"
#include "samplers/cuda/state.h"
#include "samplers/wire/hash.h"

namespace gprofx::cuda {

// Written by the thread that owns the line; read and emptied by our own thread.
struct LaunchCounts::Key {
  uint32_t tag = 0;  // 0 = unused
  std::atomic<uint32_t> node{0};
  std::atomic<uint16_t> counted{0};  // since the latest path
  uint8_t left = 0;                  // launches until the next one
  uint16_t seen = 0;                 // launches so far, as far as they matter
};

namespace {

constexpr uint32_t kWays = 4, kSets = 512;
constexpr uint16_t kManySeen = LaunchCounts::kMaxMean * LaunchCounts::kRareShare;

struct Table {
  std::atomic<uint32_t> slot, generation;  // of the thread
  uint32_t random;
  alignas(64) LaunchCounts::Key keys[kSets][kWays];
};
static_assert(sizeof(LaunchCounts::Key) == 16);

std::atomic<uint32_t> g_mean{1};
std::atomic<Table*> g_tables[OwnLine::kLines];  // kept for the next thread of a line

[[gnu::noinline, gnu::cold]] Table* MakeTable(int32_t line) {
  void* p =
      mmap(nullptr, sizeof(Table), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) return nullptr;
  g_tables[line].store(static_cast<Table*>(p));
  return static_cast<Table*>(p);
}

uint32_t RandomBelow(Table& table, uint32_t bound) {
  table.random = table.random * 1'664'525 + 1'013'904'223;
  return static_cast<uint32_t>(uint64_t{table.random} * bound >> 32);
}

// Returns a random distance to the next path, with the mean that the key has now. At least 1.
uint8_t NextDistance(Table& table, const LaunchCounts::Key& key) {
  const uint32_t most = std::min(g_mean.load(std::memory_order_relaxed), LaunchCounts::kMaxMean);
  const uint32_t mean = std::min<uint32_t>(most, 1 + key.seen / LaunchCounts::kRareShare);
  return static_cast<uint8_t>(1 + RandomBelow(table, 2 * mean - 1));
}

// Returns a key without counts, or null: then one launch more takes its path, and sometimes a key
// that the program may no longer use is given up with its counts.
LaunchCounts::Key* MakeRoom(Table& table, LaunchCounts::Key* set, uint32_t tag) {
  constexpr uint32_t kGiveUp = 16;
  const uint32_t first = RandomBelow(table, kWays);
  for (uint32_t i = 0; i < kWays; ++i) {
    LaunchCounts::Key& key = set[(first + i) % kWays];
    if (key.tag != 0 && key.counted.load(std::memory_order_relaxed) != 0 &&
        (i != 0 || RandomBelow(table, kGiveUp) != 0))
      continue;
    key.tag = tag;
    key.node.store(0, std::memory_order_relaxed);
    key.counted.store(0, std::memory_order_relaxed);
    key.seen = 0;
    key.left = 1;
    return &key;
  }
  return nullptr;
}

[[gnu::noinline]] LaunchCounts::Turn TakePath(Table& table, LaunchCounts::Key& key) {
  key.seen = static_cast<uint16_t>(
      std::min<uint32_t>(kManySeen, key.seen + key.counted.load(std::memory_order_relaxed) + 1u));
  const uint32_t told = key.counted.load(std::memory_order_relaxed) + 1u;
  key.counted.store(0, std::memory_order_relaxed);
  key.left = NextDistance(table, key);
  return {told, &key};
}

[[gnu::noinline]] LaunchCounts::Turn CountNew(Table& table, LaunchCounts::Key* set, uint32_t tag) {
  LaunchCounts::Key* key = MakeRoom(table, set, tag);
  return key == nullptr ? LaunchCounts::Turn{} : TakePath(table, *key);
}

void Tell(Table& table) {
  for (auto& set : table.keys) {
    for (LaunchCounts::Key& key : set) {
      const uint32_t counted = key.counted.exchange(0, std::memory_order_relaxed);
      const uint32_t node = key.node.load(std::memory_order_relaxed);
      if (counted == 0 || node == 0) continue;
      wire::GpuLaunchesRecord record{};
      record.time = static_cast<uint64_t>(g_state.Now());
      record.slot = table.slot.load(std::memory_order_relaxed);
      record.generation = table.generation.load(std::memory_order_relaxed);
      record.node = node;
      record.launches = counted;
      WriteRecord(wire::kGpuLaunchesTold, record);
    }
  }
}

}  // namespace

[[gnu::hot]] LaunchCounts::Turn LaunchCounts::Count(int32_t line, uint64_t kernel, uint64_t sp) {
  if (line < 0) [[unlikely]]
    return {};
  Table* table = g_tables[line].load(std::memory_order_relaxed);
  if (table == nullptr) [[unlikely]] {
    table = MakeTable(line);
    if (table == nullptr) return {};
  }
  const uint64_t hash = (kernel ^ sp * wire::kGolden) * wire::kGolden;
  const uint32_t tag = static_cast<uint32_t>(hash >> 32) | 1;
  Key* const set = table->keys[hash >> 16 & (kSets - 1)];
  for (uint32_t i = 0; i < kWays; ++i) {
    Key& key = set[i];
    if (key.tag != tag) continue;
    if (--key.left == 0) return TakePath(*table, key);
    key.counted.store(static_cast<uint16_t>(key.counted.load(std::memory_order_relaxed) + 1),
                      std::memory_order_relaxed);
    return {0, nullptr};
  }
  return CountNew(*table, set, tag);
}

void LaunchCounts::Note(int32_t line, Key* key, uint32_t node, uint32_t slot, uint32_t generation) {
  if (key == nullptr) return;
  Table* table = g_tables[line].load(std::memory_order_relaxed);
  table->slot.store(slot, std::memory_order_relaxed);
  table->generation.store(generation, std::memory_order_relaxed);
  key->node.store(node, std::memory_order_relaxed);
  if (node == 0) key->left = 1;  // without a path nothing can be counted for it
}

void LaunchCounts::SetMean(uint32_t launches) {
  g_mean.store(std::clamp<uint32_t>(launches, 1, kMaxMean), std::memory_order_relaxed);
}
uint32_t LaunchCounts::Mean() { return g_mean.load(std::memory_order_relaxed); }

void LaunchCounts::TellAll() {
  for (int32_t line = 0; line < OwnLine::kLines; ++line) TellLine(line);
}
void LaunchCounts::TellLine(int32_t line) {
  if (Table* table = g_tables[line].load(std::memory_order_relaxed)) Tell(*table);
}

}  // namespace gprofx::cuda
