#include "formats/database/sample_chunk.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace gprofx {
namespace {

enum Column : uint16_t { kTime = 1, kThread = 2, kNode = 3, kWeight = 4, kState = 5 };
constexpr size_t kColumns = 5;

}  // namespace

TimedChunk EncodeSamples(std::span<SampleRow> rows) {
  std::sort(rows.begin(), rows.end(), [](const SampleRow& a, const SampleRow& b) {
    return std::tie(a.thread, a.time, a.node) < std::tie(b.thread, b.time, b.node);
  });
  std::array<std::vector<int64_t>, kColumns> values;
  for (std::vector<int64_t>& column : values) column.reserve(rows.size());
  TimedChunk chunk;
  chunk.begin = chunk.end = rows.front().time;
  chunk.rows = static_cast<uint32_t>(rows.size());
  for (const SampleRow& row : rows) {
    chunk.begin = std::min(chunk.begin, row.time);
    chunk.end = std::max(chunk.end, row.time);
    values[0].push_back(row.time);
    values[1].push_back(row.thread.value);
    values[2].push_back(row.node.value);
    values[3].push_back(row.weight);
    values[4].push_back(row.state);
  }
  const ChunkColumn columns[] = {{kTime, ColumnEncoding::kDelta, values[0]},
                                 {kThread, ColumnEncoding::kDelta, values[1]},
                                 {kNode, ColumnEncoding::kVarint, values[2]},
                                 {kWeight, ColumnEncoding::kVarint, values[3]},
                                 {kState, ColumnEncoding::kVarint, values[4]}};
  chunk.data = EncodeChunk(columns);
  return chunk;
}

bool DecodeSamples(ChunkReader& reader, std::span<const std::byte> data, const SampleLimits& limits,
                   std::vector<SampleRow>& rows) {
  std::array<std::span<const int64_t>, kColumns> values;
  if (!reader.Open(data) || !reader.DecodeFirst(values)) return false;
  const auto in_range = [](std::span<const int64_t> column, int64_t low, int64_t high) {
    return std::all_of(column.begin(), column.end(),
                       [=](int64_t value) { return value >= low && value <= high; });
  };
  if (!in_range(values[1], 1, static_cast<int64_t>(limits.threads)) ||
      !in_range(values[2], 1, static_cast<int64_t>(limits.nodes)) ||
      !in_range(values[3], 0, UINT32_MAX) || !in_range(values[4], 0, UINT8_MAX)) {
    return false;
  }
  rows.reserve(rows.size() + reader.rows());
  for (uint32_t i = 0; i < reader.rows(); ++i) {
    SampleRow row;
    row.time = values[0][i];
    row.thread.value = static_cast<uint32_t>(values[1][i]);
    row.node.value = static_cast<uint32_t>(values[2][i]);
    row.weight = static_cast<uint32_t>(values[3][i]);
    row.state = static_cast<uint8_t>(values[4][i]);
    rows.push_back(row);
  }
  return true;
}

}  // namespace gprofx
