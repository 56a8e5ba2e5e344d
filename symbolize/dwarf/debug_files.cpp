#include "symbolize/dwarf/debug_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <zlib.h>

#include <array>

#include "core/base/file_io.h"
#include "core/base/path.h"

namespace gprofx {
namespace {

// Returns the checksum that .gnu_debuglink uses: zlib's CRC-32 of the whole file.
std::optional<uint32_t> FileCrc(const std::string& path) {
  const UniqueFd file = OpenRegularFile(AT_FDCWD, path);
  if (!file) return std::nullopt;
  std::vector<char> buffer(size_t{1} << 20);
  uLong crc = crc32(0, nullptr, 0);
  while (const size_t got = ReadUpTo(file.get(), buffer.data(), buffer.size())) {
    crc = crc32(crc, reinterpret_cast<const Bytef*>(buffer.data()), static_cast<uInt>(got));
  }
  return static_cast<uint32_t>(crc);
}

int64_t Nanoseconds(const timespec& time) {
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

Witness LookAt(const std::string& path) {
  Witness witness;
  witness.path = path;
  struct stat info = {};
  if (stat(path.c_str(), &info) != 0) return witness;
  witness.modified_ns = Nanoseconds(info.st_mtim);
  witness.changed_ns = Nanoseconds(info.st_ctim);
  witness.size = static_cast<uint64_t>(info.st_size);
  witness.device = info.st_dev;
  witness.inode = info.st_ino;
  return witness;
}

void PutWitness(std::string& to, const Witness& witness) {
  PutText(to, witness.path);
  PutNumber(to, witness.modified_ns);
  PutNumber(to, witness.changed_ns);
  PutNumber(to, witness.size);
  PutNumber(to, witness.device);
  PutNumber(to, witness.inode);
}

Witness TakeWitness(ByteReader& from) {
  Witness witness;
  witness.path = from.SizedText();
  witness.modified_ns = from.Number<int64_t>();
  witness.changed_ns = from.Number<int64_t>();
  witness.size = from.Number<uint64_t>();
  witness.device = from.Number<uint64_t>();
  witness.inode = from.Number<uint64_t>();
  return witness;
}

bool IsBuildId(const std::string& text) {
  if (text.size() < 8 || text.size() > 128 || text.size() % 2 != 0) return false;
  return text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

bool DebugFileFinder::Exists(const std::string& path) {
  witnesses_.push_back(LookAt(path));
  return witnesses_.back().modified_ns != -1;
}

std::optional<ElfFile> DebugFileFinder::ByBuildId(const std::string& build_id) {
  if (!IsBuildId(build_id)) return std::nullopt;
  for (const std::string& folder : folders_) {
    const std::string path =
        folder + "/.build-id/" + build_id.substr(0, 2) + "/" + build_id.substr(2) + ".debug";
    if (!Exists(path)) continue;
    Result<ElfFile> file = ElfFile::Open(path);
    if (file && file->BuildId() == build_id) return std::move(*file);
  }
  return std::nullopt;
}

std::optional<ElfFile> DebugFileFinder::ByDebugLink(const ElfFile& file,
                                                    const std::string& build_id) {
  const std::optional<DebugLink> link = file.GnuDebugLink();
  if (!link) return std::nullopt;
  const std::string folder = FolderOf(file.path());
  std::vector<std::string> candidates = {folder + "/" + link->file_name,
                                         folder + "/.debug/" + link->file_name};
  if (folder.starts_with('/')) {
    for (const std::string& root : folders_)
      candidates.push_back(root + folder + "/" + link->file_name);
  }
  for (const std::string& path : candidates) {
    if (path == file.path() || !Exists(path)) continue;
    Result<ElfFile> debug = ElfFile::Open(path);
    if (!debug) continue;
    const std::string debug_id = debug->BuildId();
    if (!debug_id.empty() && !build_id.empty() && debug_id != build_id) continue;
    // Equal build-ids are the better proof, and computing the checksum may mean reading gigabytes.
    const bool same_id = !build_id.empty() && debug_id == build_id;
    if (same_id || FileCrc(path) == link->crc) return std::move(*debug);
  }
  return std::nullopt;
}

}  // namespace gprofx
