// Encodes and decodes the blobs of the table `chunk`. A blob holds up to kMaxChunkRows rows, column
// by column. It consists of a header, a directory, and one zstd frame per column.
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
// Decoding accepts any bytes. It checks sizes before it allocates memory or decompresses data; a
// value takes at most 10 raw bytes. It returns false for inconsistent data. A ChunkReader belongs
// to one thread. Use one ChunkReader for many chunks, because it reuses its buffers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace gprofx {

constexpr int kChunkCodec = 1;             // value of chunk.codec for this layout
constexpr uint32_t kMaxChunkRows = 65536;  // for writers; readers refuse chunks with more
constexpr size_t kMaxChunkBytes = size_t{64} << 20;

enum class ColumnEncoding : uint16_t { kVarint = 1, kDelta = 2 };

struct ChunkColumn {
  uint16_t id = 0;
  ColumnEncoding encoding = ColumnEncoding::kVarint;
  std::span<const int64_t> values;
};

// An encoded chunk, with the values of its row in the table `chunk`.
struct TimedChunk {
  int64_t begin = 0, end = 0;  // minimum and maximum time of its rows, both inclusive
  uint32_t rows = 0;
  std::vector<std::byte> data;  // empty: zstd ran out of memory
  int64_t reaches = 0;  // not stored: latest time that the rows describe, if it is after `end`
};

// Encodes columns as the blob of a chunk. All columns must have the same number of values, at most
// kMaxChunkRows. Returns an empty result if zstd runs out of memory.
std::vector<std::byte> EncodeChunk(std::span<const ChunkColumn> columns);

class ChunkReader {
 public:
  ChunkReader();
  ~ChunkReader();

  // Reads the directory. `data` must stay valid until the last call of Decode. Returns false if the
  // bytes are not a chunk.
  bool Open(std::span<const std::byte> data);

  uint32_t rows() const { return rows_; }

  // Decodes the rows() numbers of a column into `values`. Returns false if the column is absent or
  // damaged.
  bool Decode(uint16_t column, std::vector<int64_t>& values);

  // Decodes columns 1 to N. The resulting spans are valid until the next call, because they point
  // into buffers of this reader. Returns false if a column is absent or damaged.
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
