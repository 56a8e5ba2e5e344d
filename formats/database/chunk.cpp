#include "formats/database/chunk.h"

#include <zstd.h>

#include <bit>
#include <cstring>
#include <memory>

#include "core/base/byte_reader.h"
#include "core/base/varint.h"

namespace gprofx {
namespace {

constexpr size_t kHeaderSize = 8;
constexpr size_t kEntrySize = 12;

struct ContextCloser {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};

void PutLow(std::vector<std::byte>& out, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out.push_back(static_cast<std::byte>(value >> (8 * i)));
}

// Writes the values of a column to `out`, encoded but not compressed.
void PutValues(const ChunkColumn& column, std::vector<std::byte>& out) {
  out.resize(column.values.size() * kMaxVarint);
  std::byte* at = out.data();
  int64_t before = 0;
  for (const int64_t value : column.values) {
    uint64_t number = static_cast<uint64_t>(value);
    if (column.encoding == ColumnEncoding::kDelta) number = ZigZagDifference(value, before);
    before = value;
    at = WriteVarint<std::byte>(at, number);
  }
  out.resize(static_cast<size_t>(at - out.data()));
}

// Like ReadVarint(), but decodes a varint of up to 8 bytes without a loop. 8 bytes must be readable
// at `at`. Returns false if the varint is longer.
bool GetShortNumber(const std::byte*& at, uint64_t& value) {
  constexpr uint64_t kMore = 0x8080808080808080;
  uint64_t bytes;
  std::memcpy(&bytes, at, sizeof bytes);
  const uint64_t last = ~bytes & kMore;
  if (last == 0) return false;
  // Join the groups of 7 bits: first to pairs, then to groups of four, then to one number.
  uint64_t x = bytes & (last ^ (last - 1)) & ~kMore;
  x = (x & 0x007f007f007f007f) | (x & 0x7f007f007f007f00) >> 1;
  x = (x & 0x00003fff00003fff) | (x & 0x3fff00003fff0000) >> 2;
  value = (x & 0x000000000fffffff) | (x & 0x0fffffff00000000) >> 4;
  at += (std::countr_zero(last) >> 3) + 1;
  return true;
}

template <bool kIsDelta>
bool GetValues(std::span<const std::byte> in, std::span<int64_t> values) {
  const std::byte* at = in.data();
  const std::byte* const end = at + in.size();
  int64_t before = 0;
  for (int64_t& out : values) {
    uint64_t value = 0;
    if (at != end && std::to_integer<uint8_t>(*at) < 0x80) {  // most numbers take one byte
      value = std::to_integer<uint64_t>(*at++);
    } else if (end - at >= 8 && GetShortNumber(at, value)) {
    } else if (!ReadVarint(at, end, value)) {
      return false;
    }
    out = kIsDelta ? AddZigZag(before, value) : static_cast<int64_t>(value);
    before = out;
  }
  return at == end;
}

}  // namespace

std::vector<std::byte> EncodeChunk(std::span<const ChunkColumn> columns) {
  const std::unique_ptr<ZSTD_CCtx, ContextCloser> context(ZSTD_createCCtx());
  if (!context) return {};
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, 1);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);

  std::vector<std::byte> directory;
  PutLow(directory, columns.empty() ? 0 : columns[0].values.size(), 4);
  PutLow(directory, columns.size(), 2);
  PutLow(directory, 0, 2);
  std::vector<std::byte> frames, raw;
  for (const ChunkColumn& column : columns) {
    PutValues(column, raw);
    const size_t begin = frames.size();
    frames.resize(begin + ZSTD_compressBound(raw.size()));
    const size_t size = ZSTD_compress2(context.get(), frames.data() + begin, frames.size() - begin,
                                       raw.data(), raw.size());
    if (ZSTD_isError(size)) return {};
    frames.resize(begin + size);
    PutLow(directory, column.id, 2);
    PutLow(directory, static_cast<uint16_t>(column.encoding), 2);
    PutLow(directory, raw.size(), 4);
    PutLow(directory, size, 4);
  }
  directory.insert(directory.end(), frames.begin(), frames.end());
  return directory;
}

struct ChunkReader::Zstd {
  ZSTD_DCtx* context = ZSTD_createDCtx();
  ~Zstd() { ZSTD_freeDCtx(context); }
};

ChunkReader::ChunkReader() = default;
ChunkReader::~ChunkReader() = default;

bool ChunkReader::Open(std::span<const std::byte> data) {
  entries_.clear();
  if (data.size() < kHeaderSize || data.size() > kMaxChunkBytes) return false;
  ByteReader head(data);
  rows_ = head.Number<uint32_t>();
  const size_t columns = head.Number<uint16_t>();
  head.Skip(sizeof(uint16_t));
  if (rows_ > kMaxChunkRows || data.size() < kHeaderSize + columns * kEntrySize) return false;
  ByteReader frames(data.subspan(kHeaderSize + columns * kEntrySize));
  for (size_t i = 0; i < columns; ++i) {
    Entry entry;
    entry.id = head.Number<uint16_t>();
    entry.encoding = head.Number<uint16_t>();
    entry.raw_size = head.Number<uint32_t>();
    entry.frame = frames.Bytes(head.Number<uint32_t>());
    entries_.push_back(entry);
  }
  return frames.ok() && frames.at_end();
}

bool ChunkReader::Decode(uint16_t column, std::vector<int64_t>& values) {
  const Entry* found = nullptr;
  for (const Entry& entry : entries_) {
    if (entry.id == column) found = &entry;
  }
  if (!found) return false;
  const bool is_delta = found->encoding == static_cast<uint16_t>(ColumnEncoding::kDelta);
  if (!is_delta && found->encoding != static_cast<uint16_t>(ColumnEncoding::kVarint)) return false;
  // Check the size that the frame declares before decompressing it, because the frame may be a
  // decompression bomb.
  const std::span<const std::byte> frame = found->frame;
  if (found->raw_size > size_t{rows_} * kMaxVarint) return false;
  if (ZSTD_getFrameContentSize(frame.data(), frame.size()) != found->raw_size) return false;
  if (ZSTD_findFrameCompressedSize(frame.data(), frame.size()) != frame.size()) return false;

  if (!zstd_) zstd_ = std::make_unique<Zstd>();
  if (zstd_->context == nullptr) return false;
  if (raw_.size() < found->raw_size) raw_.resize(found->raw_size);
  const auto raw = std::span(raw_).first(found->raw_size);
  const size_t size =
      ZSTD_decompressDCtx(zstd_->context, raw.data(), raw.size(), frame.data(), frame.size());
  if (ZSTD_isError(size) || size != raw.size()) return false;
  values.resize(rows_);
  return is_delta ? GetValues<true>(raw, values) : GetValues<false>(raw, values);
}

}  // namespace gprofx
