// The chunks of a raw recording (samplers/collector/drain/raw_recording.h). Throws
// std::runtime_error for bytes that are none; any bytes will do.
#pragma once

#include <zstd.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "samplers/collector/drain/raw_recording.h"

namespace gprofx::test {

struct RawPiece {
  RawChunk head;
  std::string_view data;
};

inline std::string FileText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline std::string UnpackRaw(std::string_view packed) {
  constexpr size_t kMaxBytes = size_t{256} << 20;
  std::string out, part(ZSTD_DStreamOutSize(), '\0');
  const std::unique_ptr<ZSTD_DCtx, size_t (*)(ZSTD_DCtx*)> zstd(ZSTD_createDCtx(), ZSTD_freeDCtx);
  ZSTD_inBuffer in{packed.data(), packed.size(), 0};
  while (in.pos < in.size) {
    ZSTD_outBuffer unpacked{part.data(), part.size(), 0};
    const bool bad = ZSTD_isError(ZSTD_decompressStream(zstd.get(), &unpacked, &in)) != 0;
    if (bad || out.size() > kMaxBytes) throw std::runtime_error("no raw recording");
    out.append(part.data(), unpacked.pos);
  }
  return out;
}

inline std::vector<RawPiece> SplitRaw(std::string_view bytes) {
  std::vector<RawPiece> pieces;
  while (bytes.size() >= sizeof(RawChunk)) {
    RawPiece piece{};
    std::memcpy(&piece.head, bytes.data(), sizeof piece.head);
    bytes.remove_prefix(sizeof piece.head);
    if (piece.head.bytes > bytes.size()) throw std::runtime_error("a raw recording was cut");
    piece.data = bytes.substr(0, piece.head.bytes);
    bytes.remove_prefix(piece.head.bytes);
    pieces.push_back(piece);
  }
  if (pieces.empty() || pieces[0].head.kind != RawKind::kVersion ||
      pieces[0].head.value != kRawVersion) {
    throw std::runtime_error("a raw recording of another version");
  }
  return pieces;
}

}  // namespace gprofx::test
