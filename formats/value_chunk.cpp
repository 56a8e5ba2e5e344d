#include "formats/value_chunk.h"

#include <array>


namespace gprofx {
namespace {

enum Column : uint16_t { kNode = 1, kThread = 2, kMetric = 3, kSelf = 4 };
constexpr size_t kColumns = 4;

}  // namespace

std::vector<std::byte> EncodeValues(std::span<const Value> values) {
  std::array<std::vector<int64_t>, kColumns> numbers;
  for (std::vector<int64_t>& column : numbers) column.reserve(values.size());
  for (const Value& value : values) {
    numbers[0].push_back(value.node.value);
    numbers[1].push_back(value.thread.value);
    numbers[2].push_back(value.metric.value);
    numbers[3].push_back(value.self);
  }
  const ChunkColumn columns[] = {{kNode, ColumnEncoding::kDelta, numbers[0]},
                                 {kThread, ColumnEncoding::kVarint, numbers[1]},
                                 {kMetric, ColumnEncoding::kVarint, numbers[2]},
                                 {kSelf, ColumnEncoding::kVarint, numbers[3]}};
  return EncodeChunk(columns);
}

bool DecodeValues(ChunkReader& reader, std::span<const std::byte> data, const ValueLimits& limits,
                  std::vector<Value>& values) {
  std::array<std::span<const int64_t>, kColumns> numbers;
  if (!reader.Open(data) || !reader.DecodeFirst(numbers)) return false;
  const size_t highest[] = {limits.nodes, limits.threads, limits.metrics};
  for (size_t i = 0; i < 3; ++i) {
    for (const int64_t id : numbers[i]) {
      if (id < 1 || id > static_cast<int64_t>(highest[i])) return false;
    }
  }
  for (uint32_t i = 0; i < reader.rows(); ++i) {
    values.push_back({NodeId{static_cast<uint32_t>(numbers[0][i])},
                      ThreadId{static_cast<uint32_t>(numbers[1][i])},
                      MetricId{static_cast<uint32_t>(numbers[2][i])}, numbers[3][i]});
  }
  return true;
}

}  // namespace gprofx
