#include "symbolize/dwarf/mini_debug_info.h"

#include <lzma.h>

#include <string>

namespace gprofx {
namespace {

constexpr uint64_t kMaxMemory = uint64_t{128} << 20;
constexpr size_t kMaxBytes = size_t{64} << 20;

// Returns the decompressed data; empty if it cannot be decompressed.
std::string ExpandXz(std::span<const std::byte> packed) {
  lzma_stream stream = LZMA_STREAM_INIT;
  if (lzma_stream_decoder(&stream, kMaxMemory, 0) != LZMA_OK) return {};
  stream.next_in = reinterpret_cast<const uint8_t*>(packed.data());
  stream.avail_in = packed.size();
  std::string out;
  lzma_ret state = LZMA_OK;
  while (state == LZMA_OK && out.size() < kMaxBytes) {
    const size_t done = out.size();
    out.resize(done + (size_t{1} << 20));
    stream.next_out = reinterpret_cast<uint8_t*>(out.data() + done);
    stream.avail_out = out.size() - done;
    state = lzma_code(&stream, LZMA_FINISH);
    out.resize(out.size() - stream.avail_out);
  }
  lzma_end(&stream);
  return state == LZMA_STREAM_END ? out : std::string();
}

}  // namespace

std::optional<ElfFile> OpenMiniDebugInfo(const ElfFile& file) {
  const ElfSection* section = file.FindSection(".gnu_debugdata");
  if (section == nullptr) return std::nullopt;
  std::string bytes = ExpandXz(file.Content(*section));
  if (bytes.empty()) return std::nullopt;
  Result<ElfFile> mini = ElfFile::FromMemory(std::move(bytes), file.path() + " (.gnu_debugdata)");
  if (!mini) return std::nullopt;
  return std::move(*mini);
}

}  // namespace gprofx
