// Any bytes in a process's shared memory: the collector drains them into a valid profile, in
// bounded time and memory.
//
// The input is a list of pokes of 16 bytes: where (area, index, field offset) and what. A valid
// small recording lies below them, so that a few pokes reach far.
#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "samplers/collector/drain.h"
#include "samplers/collector/quality.h"

namespace {

using namespace gprofx;

struct Poke {
  uint8_t area, index_low, index_high, field;
  uint32_t spread;  // added to the index where the area is large
  uint64_t value;
};
static_assert(sizeof(Poke) == 16);

std::byte* Memory() {
  static std::byte* memory =
      static_cast<std::byte*>(mmap(nullptr, wire::kRegionBytes, PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  return memory;
}

struct Area {
  uint64_t begin, stride, count;
};
constexpr Area kAreas[] = {
    {0, 8, wire::kHeaderBytes / 8},
    {wire::kModulesOffset, sizeof(wire::ModuleRecord), wire::kMaxModules},
    {wire::kArenaOffset, wire::kArenaUnit, wire::kArenaBytes / wire::kArenaUnit},
    {wire::kNodesOffset, sizeof(wire::NodeRecord), wire::kMaxNodes},
    {wire::kRingsOffset, wire::kRingBytes, wire::kMaxThreads},
    {wire::kRingsOffset + offsetof(wire::ThreadRing, entries), sizeof(wire::SampleRecord),
     wire::kRingEntries},
};

void Seed(std::byte* memory) {
  auto& header = *reinterpret_cast<wire::ProcessHeader*>(memory);
  header.pid = 2;
  header.threads_high = 2;
  auto* nodes = reinterpret_cast<wire::NodeRecord*>(memory + wire::kNodesOffset);
  nodes[1] = {wire::MakeNative(0, 16), 0, 0};
  nodes[2] = {wire::MakePython(4, 2), 1, 0};
  nodes[3] = {wire::MakeAbsolute(4096), 2, 0};
  nodes[4] = {wire::MakeTruncated(1), 0, 0};
  auto* module = reinterpret_cast<wire::ModuleRecord*>(memory + wire::kModulesOffset);
  module->path = 16;
  module->build_id_bytes = 20;
  module->ready = 1;
  std::memcpy(memory + wire::kArenaOffset + 16, "/lib/x", 7);
  auto* code = reinterpret_cast<wire::CodeRecord*>(memory + wire::kArenaOffset + 64);
  code->name_width = code->file_width = 1;
  code->name_chars = code->file_chars = 4;
  code->table_bytes = 8;
  code->line_format = wire::LineFormat::kLocations;
  code->ready = 1;
  for (uint32_t slot = 0; slot < 2; ++slot) {
    auto* ring =
        reinterpret_cast<wire::ThreadRing*>(memory + wire::kRingsOffset + slot * wire::kRingBytes);
    ring->state = wire::kThreadActive;
    ring->generation = 1;
    ring->tid = 3;
    for (uint32_t i = 0; i < 5; ++i) ring->entries[i] = {wire::MakeWhen(i, 0), i, 1000};
    ring->head = 5;
  }
}

void Apply(std::byte* memory, const Poke& poke) {
  const Area& area = kAreas[poke.area % std::size(kAreas)];
  const uint64_t index =
      (uint64_t{poke.index_low} | uint64_t{poke.index_high} << 8) + poke.spread % 16 * 4096;
  const uint64_t at = area.begin + index % area.count * area.stride +
                      poke.field % std::max<uint64_t>(area.stride, 8);
  if (at + sizeof poke.value > wire::kRegionBytes) return;
  std::memcpy(memory + at, &poke.value, sizeof poke.value);
}

void Check(bool fine) {
  if (!fine) std::abort();
}

void CheckProfile(const Profile& profile, const std::vector<SampleRow>& rows, HostNs now) {
  for (size_t i = 1; i < profile.nodes.size(); ++i) Check(profile.nodes[i].parent.value <= i);
  for (const SampleRow& row : rows) {
    Check(row.node.value >= 1 && row.node.value <= profile.nodes.size());
    Check(row.thread.value >= 1 && row.thread.value <= profile.threads.size());
    Check(row.time >= 0 && row.time <= now);
  }
  for (const Thread& thread : profile.threads) {
    Check(thread.cpu_ns >= 0 && thread.lost_ns >= 0 && thread.end >= 0 && thread.start >= 0);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr HostNs kNow = 1'000'000'000;
  constexpr size_t kMostPokes = 64;
  std::byte* memory = Memory();
  madvise(memory, wire::kRegionBytes, MADV_DONTNEED);  // all zero again
  Seed(memory);

  Profile profile;
  profile.processes.push_back({2, 1});
  ModuleTable modules(profile);
  const bool wall = size > 0 && (data[0] & 1) != 0;
  const Metrics metrics = AddMetrics(profile, wall);
  ProcessDrain drain(profile, modules, metrics, Region::Over(memory), ProcessId{1}, wall);
  std::vector<SampleRow> rows;
  const auto ended = [](uint32_t, uint32_t) {};
  // Pokes come between two looks, as from a program that scribbles while it runs.
  const size_t pokes = std::min(size / sizeof(Poke), kMostPokes);
  for (size_t i = 0; i < pokes; ++i) {
    Poke poke;
    std::memcpy(&poke, data + i * sizeof poke, sizeof poke);
    Apply(memory, poke);
    if (i % 8 == 7) drain.Drain(kNow, rows, ended);
  }
  drain.Drain(kNow, rows, ended);
  drain.Close(kNow, rows, ended);
  CheckProfile(profile, rows, kNow);
  AgentCounters counters;
  counters.Add(drain.region().header());
  PublishCounters(counters, profile.quality);
  for (const auto& [name, value] : profile.quality) Check(value >= 0);
  return 0;
}
