#include "formats/database/value_chunk.h"

#include <array>

namespace gprofx {
namespace {

enum ValueColumn : uint16_t { kValueNode = 1, kValueThread = 2, kValueMetric = 3, kValueSelf = 4 };
constexpr size_t kValueColumns = 4;

bool IsId(int64_t id, size_t highest) { return static_cast<uint64_t>(id) - 1 < highest; }

}  // namespace

std::vector<std::byte> EncodeValues(std::span<const Value> values) {
  std::array<std::vector<int64_t>, kValueColumns> numbers;
  for (std::vector<int64_t>& column : numbers) column.reserve(values.size());
  for (const Value& value : values) {
    numbers[0].push_back(value.node.value);
    numbers[1].push_back(value.thread.value);
    numbers[2].push_back(value.metric.value);
    numbers[3].push_back(value.self);
  }
  const ChunkColumn columns[] = {{kValueNode, ColumnEncoding::kDelta, numbers[0]},
                                 {kValueThread, ColumnEncoding::kVarint, numbers[1]},
                                 {kValueMetric, ColumnEncoding::kVarint, numbers[2]},
                                 {kValueSelf, ColumnEncoding::kVarint, numbers[3]}};
  return EncodeChunk(columns);
}

bool DecodeValues(ChunkReader& reader, std::span<const std::byte> data, const ValueLimits& limits,
                  std::vector<Value>& values) {
  std::array<std::span<const int64_t>, kValueColumns> numbers;
  if (!reader.Open(data) || !reader.DecodeFirst(numbers)) return false;
  const size_t before = values.size();
  values.resize(before + reader.rows());
  bool in_range = true;
  for (uint32_t i = 0; i < reader.rows(); ++i) {
    const int64_t node = numbers[0][i], thread = numbers[1][i], metric = numbers[2][i];
    in_range = in_range && IsId(node, limits.nodes) && IsId(thread, limits.threads) &&
               IsId(metric, limits.metrics);
    values[before + i] = {NodeId{static_cast<uint32_t>(node)},
                          ThreadId{static_cast<uint32_t>(thread)},
                          MetricId{static_cast<uint32_t>(metric)}, numbers[3][i]};
  }
  if (!in_range) values.resize(before);
  return in_range;
}

}  // namespace gprofx
