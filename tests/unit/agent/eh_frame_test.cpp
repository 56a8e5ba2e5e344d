#include "samplers/agent/unwind/eh_frame.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <vector>

#include "recorded_memory.h"

using namespace gprofx::agent;

namespace {

constexpr uint64_t kTable = 0x10000000;

// A search table whose FDE for the function at `start` is said to lie at the function's number.
RecordedMemory TableOf(const std::vector<int32_t>& starts) {
  RecordedMemory memory;
  memory.Put<uint32_t>(kTable, 0x3b031b01);
  memory.Put<int32_t>(kTable + 4, 0);
  memory.Put<uint32_t>(kTable + 8, static_cast<uint32_t>(starts.size()));
  for (size_t i = 0; i < starts.size(); ++i) {
    memory.Put<int32_t>(kTable + 12 + i * 8, starts[i]);
    memory.Put<int32_t>(kTable + 16 + i * 8, static_cast<int32_t>(i + 1));
  }
  return memory;
}

uint64_t Number(uint64_t fde) { return fde == 0 ? 0 : fde - kTable; }

}  // namespace

TEST_CASE("a part of the search table that one address of a page taught holds for all of them") {
  std::mt19937 random(5);
  for (int round = 0; round < 60; ++round) {
    // From dozens of functions in a page to pages without any.
    const int32_t widest = 1 << (4 + round % 12);
    std::vector<int32_t> starts;
    for (int32_t at = -400000; at < 400000 && starts.size() < 3000;)
      starts.push_back(at += 1 + static_cast<int32_t>(random() % static_cast<uint32_t>(widest)));
    const RecordedMemory memory = TableOf(starts);
    std::map<uint64_t, FdeRange> pages;
    size_t shorter = 0, whole = 0;
    for (int i = 0; i < 3000; ++i) {
      const auto offset = static_cast<int32_t>(random() % 900000) - 450000;
      const uint64_t pc = kTable + static_cast<uint64_t>(int64_t{offset});
      const auto truth = std::upper_bound(starts.begin(), starts.end(), offset) - starts.begin();
      FdeRange& page = pages[pc / kCodePage];
      REQUIRE(Number(FindFde(memory, kTable, pc)) == static_cast<uint64_t>(truth));
      REQUIRE(Number(FindFde(memory, kTable, pc, &page)) == static_cast<uint64_t>(truth));
      REQUIRE(page.table == 12);
      (page.high - page.low < starts.size() / 2 ? shorter : whole) += 1;
    }
    if (widest < 4096) CHECK(shorter > whole);
  }
}

TEST_CASE("nothing is learned of a table of another form") {
  RecordedMemory memory = TableOf({0, 100, 200});
  memory.Put<uint32_t>(kTable, 0x3b031b02);
  FdeRange page;
  CHECK(FindFde(memory, kTable, kTable + 150, &page) == 0);
  CHECK(page.table == 0);
}
