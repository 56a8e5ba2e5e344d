#include "core/variability/units.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

namespace gprofx::variability {
namespace {

// Maximum bytes of a part. Reading that takes a second or two, so the threads of a rank finish at
// about the same time.
constexpr uint64_t kLargestPart = uint64_t{16} << 20;

}  // namespace

std::vector<size_t> PartCounts(std::span<const FileEntry> files, size_t workers) {
  double all = 1;
  for (const FileEntry& file : files) all += static_cast<double>(file.size);
  std::vector<size_t> parts;
  for (const FileEntry& file : files) {
    const double shares = static_cast<double>(file.size) / all * static_cast<double>(workers);
    size_t wanted = static_cast<size_t>(shares + 0.999);
    if (wanted >= workers) {
      const uint64_t share = file.size / workers;
      wanted = workers * static_cast<size_t>(share / kLargestPart + 1);
    }
    parts.push_back(std::clamp<size_t>(wanted, 1, std::max<size_t>(file.parts, 1)));
  }
  return parts;
}

std::vector<Unit> UnitsOf(std::span<const FileEntry> files, std::span<const size_t> parts,
                          uint32_t rank, uint32_t ranks) {
  std::vector<Unit> units;
  for (uint32_t i = 0; i < files.size(); ++i) {
    for (size_t part = 0; part < parts[i]; ++part) units.push_back({i, part, parts[i]});
  }
  const auto bytes = [&](const Unit& unit) { return files[unit.file].size / unit.parts; };
  std::stable_sort(units.begin(), units.end(),
                   [&](const Unit& a, const Unit& b) { return bytes(a) > bytes(b); });
  using Load = std::pair<uint64_t, uint32_t>;  // bytes, rank
  std::priority_queue<Load, std::vector<Load>, std::greater<>> loads;
  for (uint32_t i = 0; i < ranks; ++i) loads.push({0, i});
  std::vector<Unit> mine;
  for (const Unit& unit : units) {
    const auto [load, least] = loads.top();
    loads.pop();
    // Opening a file takes time even if its size is 0, so add 1.
    loads.push({load + bytes(unit) + 1, least});
    if (least == rank) mine.push_back(unit);
  }
  return mine;
}

}  // namespace gprofx::variability
