#include "formats/database/chunk.h"

#include <zstd.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <limits>
#include <random>

#include "formats/database/sample_chunk.h"
#include "formats/database/value_chunk.h"

namespace gprofx {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

std::vector<std::byte> OneColumn(const std::vector<int64_t>& values, ColumnEncoding encoding) {
  const ChunkColumn column{1, encoding, values};
  return EncodeChunk(std::span(&column, 1));
}

// A chunk of one varint column whose directory and frame are made by hand.
std::vector<std::byte> Handmade(uint32_t rows, uint32_t raw_size, const std::string& raw) {
  std::vector<char> frame(ZSTD_compressBound(raw.size()));
  frame.resize(ZSTD_compress(frame.data(), frame.size(), raw.data(), raw.size(), 1));
  std::vector<std::byte> data(20 + frame.size());
  const uint16_t one = 1;
  const uint32_t frame_size = static_cast<uint32_t>(frame.size());
  memcpy(&data[0], &rows, 4);
  memcpy(&data[4], &one, 2);
  memcpy(&data[8], &one, 2);
  memcpy(&data[10], &one, 2);
  memcpy(&data[12], &raw_size, 4);
  memcpy(&data[16], &frame_size, 4);
  memcpy(&data[20], frame.data(), frame.size());
  return data;
}

bool Decodes(std::span<const std::byte> data, std::vector<int64_t>& values) {
  ChunkReader reader;
  return reader.Open(data) && reader.Decode(1, values);
}

TEST_CASE("numbers of every size come back in both encodings") {
  std::vector<int64_t> values = {0, 1, -1, 127, 128, kMax, kMin, kMax, kMin, 16384, -64, -65};
  std::mt19937_64 random(1);
  for (int i = 0; i < 5000; ++i) {
    values.push_back(static_cast<int64_t>(random() >> (random() % 64)));
  }
  for (const ColumnEncoding encoding : {ColumnEncoding::kVarint, ColumnEncoding::kDelta}) {
    std::vector<int64_t> back;
    REQUIRE(Decodes(OneColumn(values, encoding), back));
    CHECK(back == values);
  }
  std::vector<int64_t> empty{1};
  REQUIRE(Decodes(OneColumn({}, ColumnEncoding::kDelta), empty));
  CHECK(empty.empty());
}

TEST_CASE("columns that are not asked for are skipped, missing ones are refused") {
  const std::vector<int64_t> a = {1, 2, 3}, b = {4, 5, 6};
  const ChunkColumn columns[] = {{7, ColumnEncoding::kDelta, a}, {1, ColumnEncoding::kVarint, b}};
  const std::vector<std::byte> data = EncodeChunk(columns);
  ChunkReader reader;
  REQUIRE(reader.Open(data));
  CHECK(reader.rows() == 3);
  std::vector<int64_t> values;
  REQUIRE(reader.Decode(1, values));
  CHECK(values == b);
  CHECK_FALSE(reader.Decode(2, values));
}

TEST_CASE("zstd_bomb_refused") {
  std::vector<int64_t> values;
  const std::string zeros(50 << 20, '\0');
  // The directory lies about the size, tells the truth, or the number of rows is beyond what a
  // chunk may hold.
  CHECK_FALSE(Decodes(Handmade(1000, 1000, zeros), values));
  CHECK_FALSE(Decodes(Handmade(1000, 50 << 20, zeros), values));
  CHECK_FALSE(Decodes(Handmade(50 << 20, 50 << 20, zeros), values));
  CHECK(values.capacity() < 1000000);
  CHECK(Decodes(Handmade(1000, 1000, std::string(1000, '\0')), values));
}

TEST_CASE("varints that do not end, or do not fill the column, are refused") {
  std::vector<int64_t> values;
  CHECK_FALSE(Decodes(Handmade(1, 10, std::string(10, '\xff')), values));
  CHECK_FALSE(Decodes(Handmade(2, 1, "\x05"), values));
  CHECK_FALSE(Decodes(Handmade(2, 3, std::string(3, '\x05')), values));
  CHECK_FALSE(Decodes(Handmade(2, 2, "\x05\x85"), values));
  CHECK(Decodes(Handmade(2, 3, "\x05\x85\x01"), values));
}

TEST_CASE("a chunk that is cut or has a flipped bit never decodes to other numbers") {
  std::vector<int64_t> values, back;
  for (int i = 0; i < 3000; ++i) values.push_back(i * 977 % 5003);
  const std::vector<std::byte> good = OneColumn(values, ColumnEncoding::kDelta);
  for (size_t size = 0; size < good.size(); size += 7) {
    CHECK_FALSE(Decodes(std::span(good).first(size), back));
  }
  constexpr size_t kFrames = 20;  // behind the directory everything is under a checksum
  for (size_t i = kFrames * 8; i < good.size() * 8; i += 3) {
    std::vector<std::byte> bad = good;
    bad[i / 8] ^= std::byte{1} << (i % 8);
    if (Decodes(bad, back)) REQUIRE(back == values);
  }
}

TEST_CASE("samples come back sorted by thread and time; ids out of range are refused") {
  std::vector<SampleRow> rows;
  std::mt19937 random(3);
  for (uint32_t i = 0; i < 1000; ++i) {
    rows.push_back({static_cast<HostNs>(random()), ThreadId{1 + i % 5}, NodeId{1 + i % 77},
                    static_cast<uint32_t>(random()), static_cast<uint8_t>(i)});
  }
  rows[500].time = -5;  // before the start, as a clock may say
  const TimedChunk chunk = EncodeSamples(rows);
  CHECK(chunk.rows == 1000);
  CHECK(chunk.begin == -5);
  ChunkReader reader;
  std::vector<SampleRow> back;
  REQUIRE(DecodeSamples(reader, chunk.data, {5, 77}, back));
  REQUIRE(back.size() == rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    REQUIRE((back[i].time == rows[i].time && back[i].thread == rows[i].thread &&
             back[i].node == rows[i].node && back[i].weight == rows[i].weight &&
             back[i].state == rows[i].state));
    if (i > 0 && rows[i].thread == rows[i - 1].thread) REQUIRE(rows[i].time >= rows[i - 1].time);
  }
  CHECK_FALSE(DecodeSamples(reader, chunk.data, {4, 77}, back));
  CHECK_FALSE(DecodeSamples(reader, chunk.data, {5, 76}, back));
  CHECK(back.size() == rows.size());
}

TEST_CASE("values come back; ids out of range are refused") {
  const std::vector<Value> values = {{NodeId{3}, ThreadId{1}, MetricId{1}, kMin},
                                     {NodeId{1}, ThreadId{2}, MetricId{2}, kMax}};
  const std::vector<std::byte> data = EncodeValues(values);
  ChunkReader reader;
  std::vector<Value> back;
  REQUIRE(DecodeValues(reader, data, {3, 2, 2}, back));
  REQUIRE(back.size() == 2);
  CHECK(back[0].self == kMin);
  CHECK(back[1].node == NodeId{1});
  CHECK_FALSE(DecodeValues(reader, data, {2, 2, 2}, back));
  CHECK_FALSE(DecodeValues(reader, data, {3, 1, 2}, back));
  CHECK_FALSE(DecodeValues(reader, data, {3, 2, 1}, back));
  CHECK(back.size() == 2);
  // A shorter chunk after a longer one has nothing of it.
  REQUIRE(DecodeValues(reader, EncodeValues(std::span(values).first(1)), {3, 2, 2}, back));
  REQUIRE(back.size() == 3);
  CHECK(back[2].self == kMin);
}

}  // namespace
}  // namespace gprofx
