#include "symbolize/names/symbol_cache.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <span>
#include <system_error>

#include "core/base/byte_reader.h"
#include "core/base/file_io.h"
#include "core/base/hash.h"
#include "core/base/hex.h"
#include "symbolize/names/names_codec.h"

namespace gprofx {
namespace {

namespace fs = std::filesystem;

// The bytes "GPFXSYM3". Change them if the layout or the content of the answers changes.
constexpr uint64_t kMagic = 0x334d59535846'5047;
constexpr uint64_t kMaxFileBytes = uint64_t{128} << 20;
constexpr std::string_view kSuffix = ".symbols";

uint64_t Checksum(std::string_view bytes) {
  uint64_t hash = kFnvBasis;
  const auto mix = [&hash](uint64_t word) {
    hash = AddToFnv(hash, word);
    hash ^= hash >> 29;
  };
  while (bytes.size() >= sizeof(uint64_t)) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data(), sizeof(word));
    mix(word);
    bytes.remove_prefix(sizeof(word));
  }
  for (const char c : bytes) mix(static_cast<uint8_t>(c));
  return hash;
}

// Returns the options that affect answers, as text. An entry is valid only for the options for
// which it was made.
std::string OptionsKey(const SymbolizeOptions& options) {
  std::string key = options.use_debuginfod ? "debuginfod" : "local";
  for (const std::string& folder : options.debug_folders) key += '\n' + folder;
  return key;
}

std::string Encode(const CachedNames& cached, const SymbolizeOptions& options) {
  std::string body;
  PutText(body, OptionsKey(options));
  PutWitness(body, cached.module);
  PutNumber(body, static_cast<uint32_t>(cached.witnesses.size()));
  for (const Witness& witness : cached.witnesses) PutWitness(body, witness);
  body += EncodeNames(cached.names);
  std::string out;
  PutNumber(out, kMagic);
  PutNumber(out, Checksum(body));
  return out + body;
}

// Returns the names in `bytes`. No value if the bytes are damaged, or if the files that they
// describe have changed.
std::optional<CachedNames> Decode(std::string_view bytes, const std::string& module,
                                  const SymbolizeOptions& options) {
  ByteReader header(bytes);
  const auto magic = header.Number<uint64_t>();
  const auto checksum = header.Number<uint64_t>();
  if (magic != kMagic || checksum != Checksum(header.rest())) return std::nullopt;
  ByteReader reader(header.rest());
  CachedNames cached;
  if (reader.SizedText() != OptionsKey(options)) return std::nullopt;
  cached.module = TakeWitness(reader);
  if (cached.module != LookAt(module)) return std::nullopt;
  const auto count = reader.Number<uint32_t>();
  for (uint32_t i = 0; i < count && reader.ok(); i++) {
    cached.witnesses.push_back(TakeWitness(reader));
    if (LookAt(cached.witnesses.back().path) != cached.witnesses.back()) return std::nullopt;
  }
  if (!reader.ok() || !DecodeNames(reader.rest(), cached.names)) return std::nullopt;
  return cached;
}

bool OnlyWeWrite(const struct stat& info) {
  return info.st_uid == geteuid() && (info.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

std::string ReadOwnFile(int folder, const std::string& name) {
  const UniqueFd file = OpenRegularFile(folder, name, O_NOFOLLOW);
  struct stat info = {};
  if (!file || fstat(file.get(), &info) != 0 || !OnlyWeWrite(info)) return {};
  if (static_cast<uint64_t>(info.st_size) > kMaxFileBytes) return {};
  std::string bytes(static_cast<size_t>(info.st_size), '\0');
  bytes.resize(ReadUpTo(file.get(), bytes.data(), bytes.size()));
  return bytes;
}

void Replace(int folder, const std::string& name, const std::string& bytes) {
  const std::string temporary = "." + std::to_string(getpid()) + "." + name;
  unlinkat(folder, temporary.c_str(), 0);  // left by a process that was killed
  UniqueFd file(openat(folder, temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file) return;
  const bool written = WriteAll(file.get(), bytes.data(), bytes.size());
  file.Reset();
  if (!written || renameat(folder, temporary.c_str(), folder, name.c_str()) != 0) {
    unlinkat(folder, temporary.c_str(), 0);
  }
}

// Returns the file name of the entry for a request; empty if the request is not cached. The name
// includes the path, so copies of one file in several places have separate entries.
std::string FileNameOf(const SymbolRequest& request) {
  if (request.reader || !IsBuildId(request.build_id)) return {};
  const uint64_t place = Checksum(request.path);
  const std::string bytes(reinterpret_cast<const char*>(&place), sizeof place);
  return request.build_id + "-" + ToHex(std::as_bytes(std::span(bytes))) + std::string(kSuffix);
}

// True if `path`, or its closest parent directory that exists, belongs to us and others cannot
// write to it. Under sudo, HOME may be the directory of another user, who could make us write
// elsewhere.
bool IsOurPlace(fs::path path) {
  struct stat info = {};
  while (stat(path.c_str(), &info) != 0) {
    if (errno != ENOENT || !path.has_relative_path()) return false;
    path = path.parent_path();
  }
  return info.st_uid == geteuid() && (info.st_mode & S_IWOTH) == 0;
}

}  // namespace

std::string SymbolCache::DefaultFolder() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && *cache == '/') return std::string(cache) + "/gprof-x/symbols";
  const char* home = std::getenv("HOME");
  if (home != nullptr && *home == '/') return std::string(home) + "/.cache/gprof-x/symbols";
  return {};
}

UniqueFd SymbolCache::OpenFolder(bool make) const {
  if (folder_.empty()) return {};
  constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  UniqueFd folder(open(folder_.c_str(), kFlags));
  const fs::path above = fs::path(folder_).parent_path();
  if (!folder && make && IsOurPlace(above)) {
    std::error_code error;
    fs::create_directories(above, error);
    mkdir(folder_.c_str(), 0700);
    folder.Reset(open(folder_.c_str(), kFlags));
  }
  struct stat info = {};
  if (!folder || fstat(folder.get(), &info) != 0 || !OnlyWeWrite(info)) return {};
  if ((info.st_mode & 07777) != 0700 && fchmod(folder.get(), 0700) != 0) return {};
  return folder;
}

CachedNames SymbolCache::Load(const SymbolRequest& request, const SymbolizeOptions& options) const {
  const std::string name = FileNameOf(request);
  const UniqueFd folder = name.empty() ? UniqueFd() : OpenFolder(false);
  if (!folder) return {};
  const std::string bytes = ReadOwnFile(folder.get(), name);
  if (bytes.empty()) return {};
  std::optional<CachedNames> cached = Decode(bytes, request.path, options);
  return cached ? std::move(*cached) : CachedNames{};
}

void SymbolCache::Store(const SymbolRequest& request, const SymbolizeOptions& options,
                        CachedNames fresh) const {
  const std::string name = FileNameOf(request);
  if (name.empty() || fresh.module != LookAt(request.path)) return;
  const UniqueFd folder = OpenFolder(true);
  if (!folder) return;
  CachedNames stored = Load(request, options);
  if (stored.witnesses == fresh.witnesses) {
    for (auto& [address, frames] : stored.names)
      fresh.names.try_emplace(address, std::move(frames));
  }
  const std::string bytes = Encode(fresh, options);
  if (bytes.size() > kMaxFileBytes) return;
  Replace(folder.get(), name, bytes);
  DropOldest(folder.get());
}

void SymbolCache::DropOldest(int folder) const {
  struct Entry {
    int64_t modified_ns;
    uint64_t size;
    std::string name;
  };
  std::vector<Entry> entries;
  uint64_t total = 0;
  std::error_code error;
  // Open the directory by the descriptor that was checked: its path may lead to another directory
  // by now.
  const std::string opened = "/proc/self/fd/" + std::to_string(folder);
  for (fs::directory_iterator at(opened, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename();
    struct stat info = {};
    if (fstatat(folder, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (!S_ISREG(info.st_mode) || !name.ends_with(kSuffix)) continue;
    const int64_t modified = int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec;
    entries.push_back({modified, static_cast<uint64_t>(info.st_size), name});
    total += entries.back().size;
  }
  if (total <= quota_) return;
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.modified_ns < b.modified_ns; });
  for (const Entry& entry : entries) {
    if (total <= quota_) return;
    if (unlinkat(folder, entry.name.c_str(), 0) == 0) total -= entry.size;
  }
}

}  // namespace gprofx
