// Who surveys what: every part once, and nobody much more than the others.
#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <set>

#include "core/variability/units.h"

using namespace gprofx::variability;

namespace {

// Bytes of each rank. Every part of every file is there once.
std::vector<uint64_t> LoadsOf(const std::vector<FileEntry>& files, uint32_t ranks) {
  const std::vector<size_t> parts = PartCounts(files, ranks);
  std::vector<uint64_t> loads(ranks);
  std::set<std::pair<uint32_t, size_t>> seen;
  for (uint32_t rank = 0; rank < ranks; ++rank) {
    for (const Unit& unit : UnitsOf(files, parts, rank, ranks)) {
      CHECK(unit.parts == parts[unit.file]);
      CHECK(seen.insert({unit.file, unit.part}).second);
      loads[rank] += files[unit.file].size / unit.parts;
    }
  }
  CHECK(seen.size() == std::accumulate(parts.begin(), parts.end(), size_t{0}));
  return loads;
}

constexpr uint64_t kMega = 1 << 20;

}  // namespace

TEST_CASE("one file is divided evenly over the ranks, whatever its size") {
  for (const uint64_t size : {60 * kMega, 220 * kMega, 700 * kMega, 5000 * kMega}) {
    for (const uint32_t ranks : {2U, 3U, 8U, 16U}) {
      const std::vector<uint64_t> loads = LoadsOf({{"a", size, size / kMega}}, ranks);
      const auto [least, most] = std::minmax_element(loads.begin(), loads.end());
      CHECK(*most == *least);
    }
  }
}

TEST_CASE("files of all sizes leave no rank with half more than its share") {
  std::vector<FileEntry> files;
  uint64_t all = 0;
  for (uint64_t i = 1; i <= 40; ++i) {
    files.push_back(
        {"f", i * i * 3 * kMega, i % 7 == 0 ? 1 : i * i * 3});  // some cannot be divided
    if (i % 7 == 0) files.back().size = kMega;
    all += files.back().size;
  }
  for (const uint32_t ranks : {2U, 3U, 8U, 16U}) {
    const std::vector<uint64_t> loads = LoadsOf(files, ranks);
    CHECK(static_cast<double>(*std::max_element(loads.begin(), loads.end())) <
          1.5 * static_cast<double>(all) / ranks);
  }
}

TEST_CASE("what is small stays whole, and what cannot be divided, too") {
  const std::vector<FileEntry> files = {{"large", 1000 * kMega, 1000},
                                        {"small", kMega / 2, 1},
                                        {"packed", 900 * kMega, 1},
                                        {"gone", 0, 1}};
  const std::vector<size_t> parts = PartCounts(files, 16);
  CHECK(parts[0] > 8);
  CHECK(parts[1] == 1);
  CHECK(parts[2] == 1);
  CHECK(parts[3] == 1);
  LoadsOf(files, 16);
}
