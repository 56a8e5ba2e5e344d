// The stream as its writer makes it: records whole, padding at the end of the ring, drops counted.
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "core/kernels/cupti_kinds.h"
#include "samplers/cuda/cupti/translate.h"
#include "samplers/cuda/names.h"
#include "samplers/cuda/state.h"

using namespace gprofx;
using namespace gprofx::cuda;

namespace {

uint32_t Region() { return 3; }
int64_t Now() { return 1000; }
uint32_t Begin(uint32_t, uint64_t, uint32_t, int64_t) { return 1; }
void End(uint32_t, uint64_t) {}

int NoSpool() { return -1; }
int g_memory = -1;
void* Map(uint64_t offset, uint64_t bytes) {
  void* mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, g_memory,
                      static_cast<off_t>(offset));
  return mapped == MAP_FAILED ? nullptr : mapped;
}

// The memory of a recording, in which this process has region 3.
struct Recording {
  wire::SessionFacts facts{};
  wire::AgentEntry entry{};
  Recording() {
    g_memory = memfd_create("test", MFD_CLOEXEC);
    REQUIRE(ftruncate(g_memory, static_cast<off_t>(wire::FileBytes())) == 0);
    auto* control = static_cast<wire::ControlPage*>(Map(0, wire::kControlBytes));
    REQUIRE(control != nullptr);
    control->sampling.store(1);
    facts.start_ns = 500;
    entry = {wire::kAgentEntryVersion,
             sizeof(entry),
             &facts,
             control,
             NoSpool,
             Region,
             Begin,
             End,
             nullptr,
             nullptr,
             Now,
             nullptr,
             Map,
             nullptr,
             nullptr,
             nullptr,
             [] { return false; },
             nullptr};
    REQUIRE(g_state.Start(&entry));
    // What follows is not mapped.
    void* p = Map(wire::RegionOffset(Region()) + wire::kGpuOffset,
                  wire::kGpuHeaderBytes + wire::kGpuStreamBytes);
    REQUIRE(p != nullptr);
    header = static_cast<wire::GpuHeader*>(p);
    stream = static_cast<const char*>(p) + wire::kGpuHeaderBytes;
  }
  wire::GpuHeader* header = nullptr;
  const char* stream = nullptr;

  // Takes all records that are there.
  std::vector<std::string> Read() {
    std::vector<std::string> records;
    uint64_t tail = header->tail.load();
    while (tail < header->head.load()) {
      wire::GpuRecord record;
      std::memcpy(&record, stream + tail % wire::kGpuStreamBytes, sizeof(record));
      REQUIRE(record.bytes >= sizeof(record));
      REQUIRE(record.bytes % 8 == 0);
      REQUIRE(tail % wire::kGpuStreamBytes + record.bytes <= wire::kGpuStreamBytes);
      if (record.type != wire::kGpuPad)
        records.emplace_back(stream + tail % wire::kGpuStreamBytes, record.bytes);
      tail += record.bytes;
    }
    header->tail.store(tail);
    return records;
  }
};

Recording& TheRecording() {
  static Recording recording;
  return recording;
}

}  // namespace

TEST_CASE("records go round the ring whole") {
  Recording& r = TheRecording();
  uint64_t sent = 0, seen = 0;
  const uint64_t wanted = 3 * wire::kGpuStreamBytes;
  for (uint32_t i = 0; sent < wanted; ++i) {
    const std::string text(i * 37 % 5000, static_cast<char>('a' + i % 26));
    REQUIRE(WriteText(wire::kGpuFact, i, text));
    sent += text.size();
    if (i % 200 != 0) continue;
    for (const std::string& bytes : r.Read()) {
      wire::GpuTextRecord record;
      std::memcpy(&record, bytes.data(), sizeof(record));
      const uint32_t n = record.id;
      REQUIRE(record.length == n * 37 % 5000);
      const std::string back(bytes.data() + sizeof(record), record.length);
      REQUIRE(back == std::string(record.length, static_cast<char>('a' + n % 26)));
      seen += record.length;
    }
  }
  for (const std::string& bytes : r.Read()) seen += bytes.size() > 0 ? 0 : 1;
  CHECK(seen > wanted / 2);
}

TEST_CASE("what finds no room is dropped and counted") {
  Recording& r = TheRecording();
  r.Read();
  const uint64_t before = r.header->counters[wire::kGpuStreamFull].load();
  const std::string text(8000, 'x');
  uint64_t written = 0;
  while (WriteText(wire::kGpuFact, 0, text)) ++written;
  CHECK(written >= wire::kGpuStreamBytes / 8100);
  CHECK(r.header->counters[wire::kGpuStreamFull].load() == before + 1);
  CHECK(r.Read().size() == written);
  CHECK(WriteText(wire::kGpuFact, 0, text));
}

TEST_CASE("records stay within the stream wherever others say that it ends") {
  Recording& r = TheRecording();
  r.Read();
  const std::string text(5000, 'x');
  const uint64_t size = wire::kGpuStreamBytes;
  // Behind the stream lies memory of others, or none.
  for (const uint64_t head : {size - 3, size - 7, 2 * size - 1, UINT64_MAX, UINT64_MAX - 4096}) {
    for (const uint64_t tail : {uint64_t{0}, head, head + 5, head - size, UINT64_MAX}) {
      r.header->head = head;
      r.header->tail = tail;
      WriteText(wire::kGpuFact, 0, text);
    }
  }
  r.header->head = r.header->tail = 0;
  CHECK(WriteText(wire::kGpuFact, 0, text));
  CHECK(r.Read().size() == 1);
}

TEST_CASE("numbers of copies and memory are those of CUPTI") {
  static constexpr std::pair<int, int> kNumbers[] = {
      {cupti::kHostToDevice, CUPTI_ACTIVITY_MEMCPY_KIND_HTOD},
      {cupti::kDeviceToHost, CUPTI_ACTIVITY_MEMCPY_KIND_DTOH},
      {cupti::kHostToArray, CUPTI_ACTIVITY_MEMCPY_KIND_HTOA},
      {cupti::kArrayToHost, CUPTI_ACTIVITY_MEMCPY_KIND_ATOH},
      {cupti::kArrayToArray, CUPTI_ACTIVITY_MEMCPY_KIND_ATOA},
      {cupti::kArrayToDevice, CUPTI_ACTIVITY_MEMCPY_KIND_ATOD},
      {cupti::kDeviceToArray, CUPTI_ACTIVITY_MEMCPY_KIND_DTOA},
      {cupti::kDeviceToDevice, CUPTI_ACTIVITY_MEMCPY_KIND_DTOD},
      {cupti::kHostToHost, CUPTI_ACTIVITY_MEMCPY_KIND_HTOH},
      {cupti::kPeerToPeer, CUPTI_ACTIVITY_MEMCPY_KIND_PTOP},
      {cupti::kPageable, CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE},
      {cupti::kPinned, CUPTI_ACTIVITY_MEMORY_KIND_PINNED},
      {cupti::kDevice, CUPTI_ACTIVITY_MEMORY_KIND_DEVICE},
      {cupti::kArray, CUPTI_ACTIVITY_MEMORY_KIND_ARRAY},
      {cupti::kManaged, CUPTI_ACTIVITY_MEMORY_KIND_MANAGED},
      {cupti::kDeviceStatic, CUPTI_ACTIVITY_MEMORY_KIND_DEVICE_STATIC},
      {cupti::kManagedStatic, CUPTI_ACTIVITY_MEMORY_KIND_MANAGED_STATIC},
  };
  for (const auto& [ours, of_cupti] : kNumbers) CHECK(ours == of_cupti);
}

TEST_CASE("a kernel record is translated, its name sent once") {
  Recording& r = TheRecording();
  r.Read();
  CUpti_ActivityKernel10 kernel{};
  kernel.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  kernel.start = 1500;
  kernel.end = 2500;
  kernel.correlationId = 77;
  kernel.gridX = 10;
  kernel.blockX = 128;
  kernel.registersPerThread = 40;
  kernel.name = "_Z1kv";
  kernel.graphNodeId = 9;
  const void* record = &kernel;
  Names names;
  TranslateRecord(*static_cast<const CUpti_Activity*>(record), names);
  TranslateRecord(*static_cast<const CUpti_Activity*>(record), names);
  const std::vector<std::string> out = r.Read();
  REQUIRE(out.size() == 3);
  wire::GpuTextRecord name;
  std::memcpy(&name, out[0].data(), sizeof(name));
  CHECK(name.header.type == wire::kGpuName);
  CHECK(out[0].substr(sizeof(name), name.length) == "_Z1kv");
  for (size_t i = 1; i < 3; ++i) {
    wire::GpuKernelRecord k;
    REQUIRE(out[i].size() == sizeof(k));
    std::memcpy(&k, out[i].data(), sizeof(k));
    CHECK(k.header.type == wire::kGpuKernel);
    CHECK(k.start == 1000);  // since the start of the recording
    CHECK(k.end == 2000);
    CHECK(k.correlation == 77);
    CHECK(k.name == name.id);
    CHECK(k.grid[0] == 10);
    CHECK(k.block[0] == 128);
    CHECK(k.registers == 40);
    CHECK(k.graph_node == 9);
  }
}
