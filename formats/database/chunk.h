// The column codec of table `chunk`: integers as varints, one zstd frame per column, after a
// directory.
//
//   header     u32 rows, u16 columns, u16 0
//   directory  per column: u16 column, u16 encoding, u32 raw size, u32 frame size
//   frames     in the order of the directory, with nothing between them and nothing after them
//
// All numbers are little-endian. Encodings: 1 = LEB128 varint of the value as an unsigned 64-bit
// number; 2 = the difference to the previous value (for the first value: to 0), modulo 2^64,
// zigzag-mapped, then LEB128. Frames are zstd level 1 with content size and checksum. A reader
// decodes only the columns that it needs and skips unknown ones.
//
// Decoding accepts any bytes: sizes are checked before anything is allocated or decompressed (at
// most 10 raw bytes per value), and inconsistent data returns false. A reader belongs to one
// thread. To read many chunks, keep the reader, because it reuses its decoding buffers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace gprofx {

constexpr int kChunkCodec = 1;             // value of chunk.codec for this layout
constexpr uint32_t kMaxChunkRows = 65536;  // maximum for writers; readers refuse more
constexpr size_t kMaxChunkBytes = size_t{64} << 20;

enum class ColumnEncoding : uint16_t { kVarint = 1, kDelta = 2 };

struct ChunkColumn {
  uint16_t id = 0;
  ColumnEncoding encoding = ColumnEncoding::kVarint;
  std::span<const int64_t> values;
};

// An encoded chunk with the values of its row in table `chunk`.
struct TimedChunk {
  int64_t begin = 0, end = 0;  // minimum and maximum time of its rows, both inclusive
  uint32_t rows = 0;
  std::vector<std::byte> data;  // empty: zstd ran out of memory
  int64_t reaches = 0;  // end of the time that the rows describe, if later than `end`; not stored
};

// Encodes the columns, which must all have the same number of values, at most kMaxChunkRows.
// Returns an empty result if zstd runs out of memory.
std::vector<std::byte> EncodeChunk(std::span<const ChunkColumn> columns);

class ChunkReader {
 public:
  ChunkReader();
  ~ChunkReader();

  // Reads the directory. `data` must stay valid until the last Decode. Returns false if the bytes
  // are not a chunk.
  bool Open(std::span<const std::byte> data);

  uint32_t rows() const { return rows_; }

  // Fills `values` with rows() numbers. Returns false if the column is absent or damaged.
  bool Decode(uint16_t column, std::vector<int64_t>& values);

  // Decodes columns 1 to N into buffers of the reader, which the next call overwrites. Returns
  // false if one is absent or damaged.
  template <size_t N>
  bool DecodeFirst(std::array<std::span<const int64_t>, N>& columns) {
    if (decoded_.size() < N) decoded_.resize(N);
    for (size_t i = 0; i < N; ++i) {
      if (!Decode(static_cast<uint16_t>(i + 1), decoded_[i])) return false;
      columns[i] = decoded_[i];
    }
    return true;
  }

 private:
  struct Zstd;
  struct Entry {
    uint16_t id = 0;
    uint16_t encoding = 0;
    uint32_t raw_size = 0;
    std::span<const std::byte> frame;
  };
  uint32_t rows_ = 0;
  std::vector<Entry> entries_;
  std::unique_ptr<Zstd> zstd_;
  std::vector<std::byte> raw_;
  std::vector<std::vector<int64_t>> decoded_;
};

}  // namespace gprofx
