// Memory events from the ring that a program writes to what a profile has of them.
#include <catch2/catch.hpp>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "core/gpu/gpu_timeline_builder.h"
#include "samplers/collector/memory/ingest.h"

namespace gprofx {
namespace {

// A ring as the agent writes it (samplers/agent/calls/memory_ring.cpp has a test of its own).
struct Ring {
  wire::MemoryHeader header{};
  std::unique_ptr<wire::MemoryRecord[]> records{new wire::MemoryRecord[wire::kMemoryRecords]()};
  void Put(uint64_t address, bool finished = true) {
    const uint64_t at = header.head++;
    wire::MemoryRecord& record = records[at % wire::kMemoryRecords];
    record.address = address;
    if (finished) record.sequence = at + 1;
  }
};

struct Reading {
  std::vector<uint64_t> Read(Ring& ring, HostNs now) {
    std::vector<uint64_t> out;
    reader.Read(ring.header, ring.records.get(), ring.header.head, now,
                [&](const MemoryRecord& record) { out.push_back(record.address); });
    return out;
  }
  MemoryRingReader reader;
};

using Addresses = std::vector<uint64_t>;

TEST_CASE("a record is read once it is finished, in the order of the ring") {
  Ring ring;
  Reading reading;
  ring.Put(1);
  ring.Put(2, false);
  ring.Put(3);
  CHECK(reading.Read(ring, 0) == Addresses{1});
  CHECK(reading.Read(ring, 1).empty());
  ring.records[1].sequence = 2;
  CHECK(reading.Read(ring, 2) == Addresses{2, 3});
  CHECK(ring.header.tail == 3);
  CHECK(reading.reader.bad_records() == 0);
}

TEST_CASE("one that is never finished is left out, alone") {
  Ring ring;
  Reading reading;
  ring.Put(1, false);
  ring.Put(2);
  CHECK(reading.Read(ring, 0).empty());
  CHECK(reading.Read(ring, MemoryRingReader::kPatience - 1).empty());
  CHECK(reading.Read(ring, MemoryRingReader::kPatience) == Addresses{2});
  CHECK(reading.reader.bad_records() == 1);
}

TEST_CASE(
    "records of a round before are not taken for new ones, nor is a head that makes no sense") {
  Ring ring;
  Reading reading;
  for (uint64_t i = 0; i < wire::kMemoryRecords; ++i) ring.Put(i);
  CHECK(reading.Read(ring, 0).size() == wire::kMemoryRecords);
  ring.Put(7, false);
  CHECK(reading.Read(ring, 1).empty());
  ring.header.head = uint64_t{1} << 60;
  CHECK(reading.Read(ring, 2).empty());
  CHECK(reading.reader.bad_records() == 1);
  ring.header.head = 5;  // back
  CHECK(reading.Read(ring, 3).empty());
}

TEST_CASE("physical memory goes when it is released and nothing is mapped to it") {
  PhysicalMemory memory;
  memory.Create(10);
  const uint64_t key = memory.KeyOf(10);
  memory.Map(0x1000, 10);
  memory.Map(0x3000, 10);
  CHECK(memory.Release(10).empty());
  CHECK(memory.KeyOf(10) == 0);
  memory.Create(10);  // the number is used again
  CHECK(memory.KeyOf(10) != key);
  CHECK(memory.Unmap(0x1000, 0x1000).empty());
  CHECK(memory.Unmap(0x2000, 0x2000) == std::vector{key});
  CHECK(memory.Unmap(0x3000, 0x1000).empty());
  const uint64_t second = memory.KeyOf(10);
  CHECK(memory.Release(10) == std::vector{second});
  CHECK(memory.Release(10).empty());
  CHECK(memory.Release(99).empty());
}

struct Bench {
  Bench() {
    profile.processes.push_back({100, 1});
    profile.threads.push_back({ProcessId{1}, 101});
    ingest.AddThread(101, ThreadId{1});
    ingest.AddContext(3, 0);
    ingest.AddContext(4, 1);
  }
  void Take(uint16_t kind, uint64_t address, uint64_t bytes, uint32_t context = 3,
            uint64_t other = wire::kMemoryUnknown) {
    MemoryRecord record;
    record.kind = kind;
    record.address = address;
    record.bytes = bytes;
    record.context = context;
    record.other = other;
    record.reserved = wire::kMemoryUnknown;
    record.tid = 101;
    record.time = ++time;
    ingest.Take(record, 1'000'000, [](uint32_t) { return NodeId{1}; });
  }
  using Row = std::vector<int64_t>;  // device, bytes, source
  std::vector<Row> Rows() {
    std::vector<Row> rows;
    const EventTable& table = timeline.events().memory;
    for (size_t i = 0; i < table.rows(); ++i) {
      rows.push_back({table.column(column::kMemoryDevice)[i], table.column(column::kMemoryBytes)[i],
                      table.column(column::kMemorySource)[i]});
    }
    return rows;
  }
  Profile profile;
  GpuTimeline timeline{profile};
  GpuTimelineBuilder builder{timeline, profile, ProcessId{1}};
  MemoryIngest ingest{builder};
  int64_t time = 0;
};

TEST_CASE("memory that is freed in another context is that of the device where it lies") {
  Bench bench;
  bench.Take(wire::kMemoryAlloc, 0x1000, 64, 3);
  bench.Take(wire::kMemoryPoolAlloc, 0x2000, 32, 4);
  bench.Take(wire::kMemoryFree, 0x2000, 0, 3);
  bench.Take(wire::kMemoryFree, 0x1000, 0, 4);
  CHECK(bench.Rows() == std::vector<Bench::Row>{{1, 64, 1}, {2, 32, 2}, {2, -32, 1}, {1, -64, 1}});
  CHECK(bench.timeline.has_memory());
  CHECK_FALSE(bench.timeline.used());
}

TEST_CASE("records that make no sense are counted") {
  Bench bench;
  bench.Take(0, 1, 1);
  bench.Take(99, 1, 1);
  bench.Take(wire::kMemoryAlloc, 1, UINT64_MAX);
  bench.Take(wire::kMemoryBlock, 1, 0);
  CHECK(bench.ingest.bad() == 4);
  CHECK(bench.Rows().empty());
  bench.Take(wire::kMemoryUnmap, 1, UINT64_MAX / 2);
  bench.Take(wire::kMemoryMap, 1, 1, 3, 12345);
  bench.Take(wire::kMemoryRelease, 1, 0);
  CHECK(bench.Rows().empty());
}

TEST_CASE("times tell the order, whatever the clock says") {
  Bench bench;
  for (int i = 0; i < 3; ++i) {
    bench.time = 4;  // stands still
    bench.Take(wire::kMemoryAlloc, 0x1000 + static_cast<uint64_t>(i), 1);
  }
  const EventTable& table = bench.timeline.events().memory;
  CHECK(table.column(column::kMemoryTime) == std::vector<int64_t>{5, 6, 7});
}

}  // namespace
}  // namespace gprofx
