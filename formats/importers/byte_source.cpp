#include "formats/importers/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "core/base/file_io.h"
#include "core/base/hash.h"
#include "core/base/unique_fd.h"
#include "formats/redaction/source_mode.h"

namespace gprofx::importers {
namespace {

constexpr size_t kPiece = size_t{1} << 18;
constexpr unsigned char kGzip[] = {0x1f, 0x8b};
// Limits for the size of decompressed data, as a multiple of the compressed size. Traces shrink by
// a factor of 10 to 30; data that grows by more than kMaxGrowth is meant to fill the memory. Up to
// kFreeGrowth bytes are always accepted.
constexpr uint64_t kMaxGrowth = 200, kFreeGrowth = uint64_t{64} << 20;

Error CannotRead(const std::string& path, int error_number) {
  return {ErrorId::kCannotRead, "cannot read '" + path + "': " + strerror(error_number),
          "check the name and its permissions"};
}

}  // namespace

struct ByteSource::Impl {
  std::string path;
  UniqueFd file;
  std::vector<char> packed = std::vector<char>(kPiece), unpacked;
  bool is_gzip = false, is_started = false, at_member_start = true, any_member = false;
  z_stream unpacker = {};
  size_t waiting = 0;  // bytes read into `packed` and not yet used
  uint64_t bytes_in = 0, bytes_out = 0;
  Status status = Ok();
  uint64_t hash = 0xcbf29ce484222325u;

  ~Impl() {
    if (is_gzip) inflateEnd(&unpacker);
  }

  // Reads up to one piece of the file into `packed`. Returns its size, or 0 at the end and on an
  // error.
  size_t Read() {
    for (;;) {
      const ssize_t got = read(file.get(), packed.data(), packed.size());
      if (got >= 0) {
        bytes_in += static_cast<uint64_t>(got);
        return static_cast<size_t>(got);
      }
      if (errno == EINTR) continue;
      status = CannotRead(path, errno);
      return 0;
    }
  }

  void Start() {
    is_started = true;
    waiting = Read();
    if (waiting < sizeof kGzip || memcmp(packed.data(), kGzip, sizeof kGzip) != 0) return;
    if (inflateInit2(&unpacker, 15 + 16) != Z_OK) {
      status = Error{ErrorId::kNoResources, "out of memory while unpacking '" + path + "'",
                     "unpack it first with gunzip"};
      return;
    }
    is_gzip = true;
    unpacked.resize(kPiece);
    unpacker.next_in = reinterpret_cast<unsigned char*>(packed.data());
    unpacker.avail_in = static_cast<unsigned>(waiting);
  }

  std::span<const char> Plain() {
    const size_t got = waiting != 0 ? waiting : Read();
    waiting = 0;
    return {packed.data(), got};
  }

  // Skips the zeros with which tapes and block devices pad the end of a file. Returns true if there
  // were any.
  bool SkipPadding() {
    const unsigned before = unpacker.avail_in;
    while (unpacker.avail_in > 0 && *unpacker.next_in == 0) {
      ++unpacker.next_in;
      --unpacker.avail_in;
    }
    return unpacker.avail_in != before;
  }

  std::span<const char> Unpack() {
    unpacker.next_out = reinterpret_cast<unsigned char*>(unpacked.data());
    unpacker.avail_out = static_cast<unsigned>(unpacked.size());
    while (unpacker.avail_out == unpacked.size()) {
      if (unpacker.avail_in == 0) {
        unpacker.avail_in = static_cast<unsigned>(Read());
        unpacker.next_in = reinterpret_cast<unsigned char*>(packed.data());
        if (unpacker.avail_in == 0) {
          if (status && !at_member_start) {
            status =
                Error{ErrorId::kTruncated, "'" + path + "' is truncated: its gzip data has no end",
                      "copy it again from where it was written"};
          }
          return {};
        }
      }
      if (at_member_start && any_member && SkipPadding()) continue;
      at_member_start = false;
      const int code = inflate(&unpacker, Z_NO_FLUSH);
      if (code == Z_STREAM_END) {
        inflateReset(&unpacker);
        at_member_start = any_member = true;
      } else if (code != Z_OK && code != Z_BUF_ERROR) {
        status =
            Error{ErrorId::kDamaged, "'" + path + "' is damaged: its gzip data cannot be unpacked",
                  "copy it again from where it was written"};
        return {};
      }
    }
    const size_t given = unpacked.size() - unpacker.avail_out;
    bytes_out += given;
    if (bytes_out > kFreeGrowth && bytes_out / kMaxGrowth > bytes_in) {
      status =
          Error{ErrorId::kHostileFile, "'" + path + "' unpacks to more than 200 times its size",
                "do not trust this file; if you do, unpack it first with gunzip"};
      return {};
    }
    return {unpacked.data(), given};
  }
};

ByteSource::ByteSource(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ByteSource::ByteSource(ByteSource&&) noexcept = default;
ByteSource& ByteSource::operator=(ByteSource&&) noexcept = default;
ByteSource::~ByteSource() = default;

Result<ByteSource> ByteSource::Open(const std::string& path) {
  auto impl = std::make_unique<Impl>();
  impl->path = path;
  struct stat info;
  if (stat(path.c_str(), &info) != 0) {
    if (errno == ENOENT) {
      return Error{ErrorId::kCannotRead, "'" + path + "' does not exist", "check the name"};
    }
    return CannotRead(path, errno);
  }
  if (S_ISREG(info.st_mode)) {
    impl->file = OpenRegularFile(AT_FDCWD, path);
    if (!impl->file || fstat(impl->file.get(), &info) != 0) return CannotRead(path, errno);
  }
  if (S_ISDIR(info.st_mode)) {
    return Error{ErrorId::kWrongFileType, "'" + path + "' is a folder", "name the trace in it"};
  }
  if (!S_ISREG(info.st_mode)) {
    return Error{ErrorId::kWrongFileType, "'" + path + "' is not a regular file",
                 "copy the trace into a file"};
  }
  if (info.st_size == 0) {
    return Error{ErrorId::kEmptyFile, "'" + path + "' is empty", "export the trace again"};
  }
  NoteSourceMode(info.st_mode);
  return ByteSource(std::move(impl));
}

std::span<const char> ByteSource::Next() {
  if (!impl_->status) return {};
  if (!impl_->is_started) impl_->Start();
  if (!impl_->status) return {};
  const std::span<const char> piece = impl_->is_gzip ? impl_->Unpack() : impl_->Plain();
  // Hash whole words, because hashing single bytes would take longer than reading them.
  size_t i = 0;
  for (uint64_t word; i + sizeof word <= piece.size(); i += sizeof word) {
    memcpy(&word, piece.data() + i, sizeof word);
    impl_->hash = AddToFnv(impl_->hash, word);
    impl_->hash ^= impl_->hash >> 29;
  }
  for (; i < piece.size(); ++i) {
    impl_->hash = AddToFnv(impl_->hash, static_cast<unsigned char>(piece[i]));
  }
  return piece;
}

const Status& ByteSource::status() const { return impl_->status; }
uint64_t ByteSource::hash() const { return impl_->hash; }

}  // namespace gprofx::importers
