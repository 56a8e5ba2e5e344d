#include "formats/database/packed_text.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <zstd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "core/base/file_io.h"

namespace gprofx {
namespace {

constexpr std::string_view kZstdMagic = "\x28\xb5\x2f\xfd";

struct UnpackerCloser {
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

Result<std::string> Unpack(const std::string& packed, const std::string& path, size_t limit) {
  const std::unique_ptr<ZSTD_DCtx, UnpackerCloser> context(ZSTD_createDCtx());
  const Error broken{ErrorId::kTruncated, "'" + path + "' is truncated: its zstd data has no end",
                     "copy it again"};
  if (context == nullptr) {
    return Error{ErrorId::kNoResources, "out of memory while unpacking '" + path + "'",
                 "unpack it first with zstd -d"};
  }
  std::string text, piece(size_t{1} << 16, '\0');
  ZSTD_inBuffer in{packed.data(), packed.size(), 0};
  size_t left = 1;
  while (in.pos < in.size || left != 0) {
    ZSTD_outBuffer out{piece.data(), piece.size(), 0};
    left = ZSTD_decompressStream(context.get(), &out, &in);
    if (ZSTD_isError(left) != 0) {
      return Error{ErrorId::kDamaged, "'" + path + "' is damaged: invalid zstd data",
                   "copy it again"};
    }
    text.append(piece.data(), out.pos);
    if (text.size() > limit) {
      return Error{
          ErrorId::kTooLarge,
          "'" + path + "' is larger than " + std::to_string(limit >> 20) + " MB when unpacked",
          "split it"};
    }
    // The frame is not complete, but the input has ended.
    if (in.pos == in.size && out.pos < out.size && left != 0) return broken;
  }
  return text;
}

}  // namespace

Result<std::string> ReadPackedText(const std::string& path, size_t limit) {
  struct stat info {};
  const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (!file || fstat(file.get(), &info) != 0) {
    return Error{ErrorId::kCannotRead, "cannot read '" + path + "': " + strerror(errno),
                 "check the name and its permissions"};
  }
  if (S_ISDIR(info.st_mode)) {
    return Error{ErrorId::kWrongFileType, "'" + path + "' is a folder", "name a file in it"};
  }
  std::string text(1 << 16, '\0');
  size_t size = 0;
  for (;;) {
    const size_t got = ReadUpTo(file.get(), text.data() + size, text.size() - size);
    size += got;
    if (size < text.size()) break;
    if (size > limit) {
      return Error{ErrorId::kTooLarge,
                   "'" + path + "' is larger than " + std::to_string(limit >> 20) + " MB",
                   "split it"};
    }
    text.resize(2 * text.size());
  }
  text.resize(size);
  if (!text.starts_with(kZstdMagic)) return text;
  return Unpack(text, path, limit);
}

}  // namespace gprofx
