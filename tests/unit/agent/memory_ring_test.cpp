#include "samplers/agent/calls/memory_ring.h"

#include <catch2/catch.hpp>
#include <memory>
#include <set>
#include <thread>
#include <vector>

namespace gprofx::agent {
namespace {

struct Ring {
  wire::MemoryHeader header{};
  std::unique_ptr<wire::MemoryRecord[]> records{new wire::MemoryRecord[wire::kMemoryRecords]()};
  bool Put(uint64_t address) {
    wire::MemoryEvent event{};
    event.kind = wire::kMemoryBlock;
    event.address = address;
    event.bytes = 3 * address;
    event.device = 2;
    return PutMemoryRecord(&header, records.get(), event, 11, 22, 33);
  }
};

TEST_CASE("a record has all of its event, and its sequence when it is whole") {
  Ring ring;
  REQUIRE(ring.Put(5));
  const wire::MemoryRecord& record = ring.records[0];
  CHECK(record.sequence == 1);
  CHECK((record.address == 5 && record.bytes == 15 && record.device == 2));
  CHECK((record.node == 11 && record.tid == 22 && record.time == 33));
  CHECK(record.kind == wire::kMemoryBlock);
}

TEST_CASE("what finds no room is dropped and counted, and nobody waits") {
  Ring ring;
  for (uint64_t i = 0; i < wire::kMemoryRecords; ++i) REQUIRE(ring.Put(i));
  CHECK_FALSE(ring.Put(1));
  CHECK(ring.header.dropped == 1);
  ring.header.tail = 1;
  CHECK(ring.Put(99));
  CHECK(ring.records[0].address == 99);
  CHECK(ring.records[0].sequence == wire::kMemoryRecords + 1);
}

TEST_CASE("threads that write at once lose nothing") {
  Ring ring;
  constexpr uint64_t kThreads = 4, kEach = 20'000;
  std::vector<std::thread> threads;
  for (uint64_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&ring, t] {
      for (uint64_t i = 0; i < kEach; ++i) ring.Put(1 + t * kEach + i);
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(ring.header.head + ring.header.dropped == kThreads * kEach);
  std::set<uint64_t> seen;
  for (uint64_t i = 0; i < ring.header.head; ++i) {
    REQUIRE(ring.records[i].sequence == i + 1);
    seen.insert(ring.records[i].address);
  }
  CHECK(seen.size() == ring.header.head);
}

}  // namespace
}  // namespace gprofx::agent
