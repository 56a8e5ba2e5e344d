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

#include "samplers/collector/drain/drain.h"
#include "samplers/collector/drain/drain_bounds.h"
#include "samplers/collector/quality.h"
#include "tests/unit/collector/gpu_stream.h"

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
    {wire::kGpuOffset, 8, sizeof(wire::GpuHeader) / 8},
    {wire::kGpuStreamOffset, 8, 512},
    {wire::kMarkerOffset, 8, sizeof(wire::MarkerHeader) / 8},
    {wire::kMarkerStreamOffset, 8, 64},
    {wire::kMemoryOffset, 8, sizeof(wire::MemoryHeader) / 8},
    {wire::kMemoryStreamOffset, 8, 256},
};

// Ranges in each other, one that goes on and one that ends by its number.
void SeedMarkers(std::byte* memory) {
  auto& header = *reinterpret_cast<wire::MarkerHeader*>(memory + wire::kMarkerOffset);
  uint64_t head = 0;
  const auto write = [&](wire::MarkerKind kind, uint16_t depth, int64_t time, uint64_t range) {
    auto* record = reinterpret_cast<wire::MarkerRecord*>(memory + wire::kMarkerStreamOffset + head);
    const bool is_end = kind == wire::kMarkerPop || kind == wire::kMarkerEnd;
    record->kind = kind;
    record->depth = depth;
    record->time = time;
    record->range = range;
    record->tid = 3;
    record->name_bytes = is_end ? 0 : 8;
    record->lost = wire::kNoDepth;
    if (!is_end) std::memcpy(reinterpret_cast<char*>(record + 1), "step 123", 8);
    record->bytes = static_cast<uint32_t>(sizeof *record) + record->name_bytes;
    head += record->bytes;
  };
  write(wire::kMarkerPush, 0, 10, 0);
  write(wire::kMarkerStart, wire::kNoDepth, 15, 1);
  write(wire::kMarkerPush, 1, 20, 0);
  write(wire::kMarkerMoment, wire::kNoDepth, 25, 0);
  write(wire::kMarkerPop, 1, 30, 0);
  write(wire::kMarkerEnd, wire::kNoDepth, 40, 1);
  write(wire::kMarkerPush, 1, 50, 0);
  header.head = head;
}

// One record of each kind, so that pokes change their fields.
void SeedGpu(std::byte* memory) {
  test::StreamWriter gpu(memory);
  gpu.header().active = 1;
  gpu.Write(test::TextRecord(wire::kGpuName, 1, "_Z4axpyPf"));
  gpu.Write(test::TextRecord(wire::kGpuStall, 1, "smsp__pcsamp_warps_issue_stalled_wait"));
  gpu.Write(
      test::TextRecord(wire::kGpuStall, 2, "smsp__pcsamp_warps_issue_stalled_wait_not_issued"));
  gpu.Write(test::TextRecord(wire::kGpuNotice, 3, "text"));
  gpu.Write(test::TextRecord(wire::kGpuFact, 0, "cupti=13"));
  wire::GpuDeviceRecord device{};
  device.name_length = 4;
  gpu.Write(test::MakeRecord(wire::kGpuDevice, device, test::TextBytes("H200")));
  gpu.Write(test::MakeRecord(wire::kGpuContext, wire::GpuContextRecord{{}, 1, 0}));
  gpu.Write(test::MakeRecord(wire::kGpuModule, wire::GpuModuleRecord{{}, 7, 100, 0, 100}));
  gpu.Write(test::MakeRecord(wire::kGpuGraphNode, wire::GpuGraphNodeRecord{{}, 9, 0, 2, 0}));
  gpu.Write(test::KernelRecord(1, 1, 100, 900, 9));
  gpu.Write(test::CopyRecord(2, 100, 200, 4096, 1, 1, 3));
  gpu.Write(test::MakeRecord(wire::kGpuSet, wire::GpuSetRecord{}));
  gpu.Write(test::MakeRecord(wire::kGpuSync, wire::GpuSyncRecord{}));
  gpu.Write(test::MakeRecord(wire::kGpuOverhead, wire::GpuOverheadRecord{{}, 5, 9, 6u << 16, 0}));
  gpu.Write(test::WindowRecord(0, 1000, 12, 2));
  gpu.Write(test::PcRecord(7, 1, 0x40, {{1, 10}, {2, 4}}));
}

// A block that comes and goes, twice.
void SeedMemory(std::byte* memory) {
  auto& header = *reinterpret_cast<wire::MemoryHeader*>(memory + wire::kMemoryOffset);
  auto* ring = reinterpret_cast<wire::MemoryRecord*>(memory + wire::kMemoryStreamOffset);
  constexpr wire::MemoryKind kKinds[] = {wire::kMemoryAlloc, wire::kMemoryFree, wire::kMemoryBlock,
                                         wire::kMemoryBlockFree};
  for (uint64_t i = 0; i < std::size(kKinds); ++i) {
    ring[i].time = static_cast<int64_t>(20 + i);
    ring[i].address = 0x1000;
    ring[i].bytes = 512;
    ring[i].node = 2;
    ring[i].tid = 3;
    ring[i].kind = kKinds[i];
    ring[i].sequence = i + 1;
  }
  header.head = std::size(kKinds);
}

void Seed(std::byte* memory) {
  auto& header = *reinterpret_cast<wire::ProcessHeader*>(memory);
  header.pid = 2;
  header.threads_high = 2;
  auto* nodes = reinterpret_cast<wire::NodeRecord*>(memory + wire::kNodesOffset);
  nodes[1] = {wire::MakeNative(0, 16), 0, 0};
  nodes[2] = {wire::MakePython(4, 2), 1, 0};
  nodes[3] = {wire::MakeAbsolute(4096), 2, 0};
  nodes[4] = {wire::MakeTruncated(1, 0), 0, 0};
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
    // A launch and a call that the GPU records belong to.
    ring->entries[5] = {wire::MakeWhen(6, wire::kRecordLaunch | wire::kCallLaunch << 8), 2,
                        slot + 1};
    ring->entries[6] = {wire::MakeWhen(7, wire::kRecordCall | wire::kCallStreamSync << 8), 1, 5};
    ring->head = 7;
  }
  SeedGpu(memory);
  SeedMarkers(memory);
  SeedMemory(memory);
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

// What holds whatever was in the stream: the tree has the time of the records, and each PC sample
// is counted once.
void CheckGpu(Profile& profile, GpuRun& gpu) {
  gpu.Publish(profile.quality);
  const auto& q = profile.quality;
  Check(q.at("gpu_pc_received") == q.at("gpu_pc_exact") + q.at("gpu_pc_proportional") +
                                       q.at("gpu_pc_function_only") + q.at("gpu_pc_unattributed"));
  int64_t in_rows = 0, in_tree = 0;
  const GpuEvents& events = gpu.events();
  for (const EventTable* table : {&events.kernels, &events.copies, &events.sets}) {
    for (const int64_t ns : table->column(column::kKernelDuration)) in_rows += ns;
  }
  const MetricId time = profile.FindMetric(kMetricGpu);
  for (const Value& value : profile.values) {
    Check(value.thread.value >= 1 && value.thread.value <= profile.threads.size());
    if (time && value.metric == time) in_tree += value.self;
  }
  Check(in_rows == in_tree);
}

void CheckMarkers(const Profile& profile, MarkerRun& markers, HostNs now) {
  const EventTable rows = markers.TakeRows();
  Check(static_cast<int64_t>(rows.rows()) == markers.counts().markers);
  for (size_t i = 0; i < rows.rows(); ++i) {
    const HostNs start = rows.column(column::kMarkerStart)[i];
    const int64_t duration = rows.column(column::kMarkerDuration)[i];
    const int64_t thread = rows.column(column::kMarkerThread)[i];
    Check(start >= 0 && duration >= 0 && start + duration <= LatestTime(now));
    Check(thread >= 1 && static_cast<size_t>(thread) <= profile.threads.size());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr HostNs kNow = 1'000'000'000;
  constexpr size_t kMaxPokes = 64, kMaxEntries = 1 << 13;
  std::byte* memory = Memory();
  madvise(memory, wire::kRegionBytes, MADV_DONTNEED);  // all zero again
  Seed(memory);

  Profile profile;
  profile.processes.push_back({2, 1});
  ModuleTable modules(profile);
  const bool wall = size > 0 && (data[0] & 1) != 0;
  const Metrics metrics = AddMetrics(profile, wall);
  GpuRun gpu(profile);
  ProcessDrain drain(profile, modules, metrics, Region::Over(memory), ProcessId{1}, wall, &gpu);
  MarkerRun markers(profile);
  drain.SetMarkers(&markers);
  std::vector<SampleRow> rows;
  const auto close_perf = [](uint32_t, uint32_t) { return false; };
  // Pokes come between two looks, as from a program that scribbles while it runs.
  const size_t pokes = std::min(size / sizeof(Poke), kMaxPokes);
  for (size_t i = 0; i < pokes; ++i) {
    Poke poke;
    std::memcpy(&poke, data + i * sizeof poke, sizeof poke);
    Apply(memory, poke);
    if (i % 8 != 7) continue;
    const size_t before = rows.size();
    drain.Drain(kNow, rows, close_perf, kMaxEntries);
    // Threads that are closed leave rows of what they used since their latest sample.
    Check(rows.size() - before <= 2 * kMaxEntries && drain.entries_read() <= kMaxEntries);
  }
  drain.Drain(kNow, rows, close_perf, kMaxEntries);
  drain.Close(kNow, rows, close_perf);
  CheckProfile(profile, rows, kNow);
  CheckGpu(profile, gpu);
  CheckMarkers(profile, markers, kNow);
  markers.Publish(profile.quality);
  AgentCounters counters;
  counters.Add(drain.region().header());
  PublishCounters(counters, profile.quality);
  for (const auto& [name, value] : profile.quality) {
    Check(value >= 0 || name == "gpu_pc_missing");
  }
  return 0;
}
