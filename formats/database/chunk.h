// The column codec of table `chunk`: integers as varints, one zstd frame per column, a directory in
// front.
//
//   header     u32 rows, u16 columns, u16 0
//   directory  per column: u16 column, u16 encoding, u32 raw size, u32 frame size
//   frames     one after another in the order of the directory, nothing between and nothing after
//
// All numbers little-endian. Encodings: 1 = LEB128 varint of the value as unsigned 64-bit number; 2
// = the difference to the value before (the first: to 0), modulo 2^64, zigzag-mapped, then LEB128.
// Frames are zstd level 1 with content size and checksum. A reader decodes only the columns that it
// needs and skips those it does not know.
//
// Decoding accepts any bytes: sizes are checked before anything is allocated or decompressed (at
// most 10 raw bytes per value), and false is the answer to whatever does not fit. A reader belongs
// to one thread; who reads many chunks keeps it, and with it the memory that it decodes into.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace gprofx {

constexpr int kChunkCodec = 1;             // chunk.codec of this layout
constexpr uint32_t kMaxChunkRows = 65536;  // writers stop there, readers refuse more
constexpr size_t kMaxChunkBytes = size_t{64} << 20;

enum class ColumnEncoding : uint16_t { kVarint = 1, kDelta = 2 };

struct ChunkColumn {
  uint16_t id = 0;
  ColumnEncoding encoding = ColumnEncoding::kVarint;
  std::span<const int64_t> values;
};

// A chunk and what table `chunk` says of it.
struct TimedChunk {
  int64_t begin = 0, end = 0;  // smallest and largest time of its rows, both inclusive
  uint32_t rows = 0;
  std::vector<std::byte> data;  // empty: zstd had no memory
  int64_t reaches = 0;          // until when they say something, if that is later; not stored
};

// All columns must have the same number of values, at most kMaxChunkRows. An empty answer means
// that zstd had no memory.
std::vector<std::byte> EncodeChunk(std::span<const ChunkColumn> columns);

class ChunkReader {
 public:
  ChunkReader();
  ~ChunkReader();

  // Reads the directory; `data` is used until the last Decode of it. False if the bytes are no
  // chunk.
  bool Open(std::span<const std::byte> data);

  uint32_t rows() const { return rows_; }

  // Fills `values` with rows() numbers. False if the column is absent or damaged.
  bool Decode(uint16_t column, std::vector<int64_t>& values);

  // Columns 1 to N into memory of the reader, which the next call writes over. False: one is absent
  // or damaged.
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
