#include "symbolize/symbol_cache.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "core/base/byte_reader.h"
#include "core/base/file_io.h"
#include "symbolize/names_codec.h"

namespace gprofx {
namespace {

namespace fs = std::filesystem;

// "GPFXSYM2" in memory; changes with the layout, and with what the answers hold
constexpr uint64_t kMagic = 0x324d59535846'5047;
constexpr uint64_t kMaxFileBytes = uint64_t{128} << 20;
constexpr std::string_view kSuffix = ".symbols";

uint64_t Checksum(std::string_view bytes) {
  uint64_t hash = 0xcbf29ce484222325;
  const auto mix = [&hash](uint64_t word) {
    hash = (hash ^ word) * 0x100000001b3, hash ^= hash >> 29;
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

// The options that change answers.
std::string OptionsKey(const SymbolizeOptions& options) {
  std::string key = options.use_debuginfod ? "debuginfod" : "local";
  for (const std::string& folder : options.debug_folders) key += '\n' + folder;
  return key;
}

std::string Encode(const CachedNames& cached, const SymbolizeOptions& options) {
  std::string body;
  PutText(body, OptionsKey(options));
  PutNumber(body, cached.module_size);
  PutNumber(body, static_cast<uint32_t>(cached.witnesses.size()));
  for (const Witness& witness : cached.witnesses) {
    PutText(body, witness.path);
    PutNumber(body, witness.modified_ns);
    PutNumber(body, witness.size);
  }
  body += EncodeNames(cached.names);
  std::string out;
  PutNumber(out, kMagic);
  PutNumber(out, Checksum(body));
  return out + body;
}

// Nothing if the file is damaged, or if it speaks about other files than those of now.
std::optional<CachedNames> Decode(std::string_view bytes, uint64_t module_size,
                                  const SymbolizeOptions& options) {
  ByteReader header(bytes);
  const auto magic = header.Number<uint64_t>();
  const auto checksum = header.Number<uint64_t>();
  if (magic != kMagic || checksum != Checksum(header.rest())) return std::nullopt;
  ByteReader reader(header.rest());
  CachedNames cached;
  if (reader.SizedText() != OptionsKey(options)) return std::nullopt;
  cached.module_size = reader.Number<uint64_t>();
  if (cached.module_size != module_size) return std::nullopt;
  const auto count = reader.Number<uint32_t>();
  for (uint32_t i = 0; i < count && reader.ok(); i++) {
    Witness witness;
    witness.path = reader.SizedText();
    witness.modified_ns = reader.Number<int64_t>();
    witness.size = reader.Number<uint64_t>();
    if (!(LookAt(witness.path) == witness)) return std::nullopt;
    cached.witnesses.push_back(std::move(witness));
  }
  if (!reader.ok() || !DecodeNames(reader.rest(), cached.names)) return std::nullopt;
  return cached;
}

std::string ReadOwnFile(const std::string& path) {
  const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat info = {};
  if (!file || fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) return {};
  const bool is_ours = info.st_uid == geteuid() && (info.st_mode & (S_IWGRP | S_IWOTH)) == 0;
  if (!is_ours || static_cast<uint64_t>(info.st_size) > kMaxFileBytes) return {};
  std::string bytes(static_cast<size_t>(info.st_size), '\0');
  bytes.resize(ReadUpTo(file.get(), bytes.data(), bytes.size()));
  return bytes;
}

bool MakeFolder(const std::string& folder) {
  std::error_code error;
  const fs::path path(folder);
  fs::create_directories(path.parent_path(), error);
  mkdir(folder.c_str(), 0700);
  struct stat info = {};
  return lstat(folder.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == geteuid();
}

void Replace(const std::string& path, const std::string& bytes) {
  std::string temporary = path + ".XXXXXX";
  UniqueFd file(mkostemp(temporary.data(), O_CLOEXEC));  // 0600
  if (!file) return;
  const bool written = WriteAll(file.get(), bytes.data(), bytes.size());
  file.Reset();
  if (!written || rename(temporary.c_str(), path.c_str()) != 0) unlink(temporary.c_str());
}

}  // namespace

std::string SymbolCache::DefaultFolder() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && *cache == '/') return std::string(cache) + "/gprof-x/symbols";
  const char* home = std::getenv("HOME");
  if (home != nullptr && *home == '/') return std::string(home) + "/.cache/gprof-x/symbols";
  return {};
}

std::string SymbolCache::PathOf(const SymbolRequest& request) const {
  if (folder_.empty() || !IsBuildId(request.build_id)) return {};
  return folder_ + "/" + request.build_id + std::string(kSuffix);
}

CachedNames SymbolCache::Load(const SymbolRequest& request, const SymbolizeOptions& options) const {
  const std::string path = PathOf(request);
  if (path.empty()) return {};
  const std::string bytes = ReadOwnFile(path);
  if (bytes.empty()) return {};
  std::optional<CachedNames> cached = Decode(bytes, LookAt(request.path).size, options);
  return cached ? std::move(*cached) : CachedNames{};
}

void SymbolCache::Store(const SymbolRequest& request, const SymbolizeOptions& options,
                        CachedNames fresh) const {
  const std::string path = PathOf(request);
  if (path.empty() || !MakeFolder(folder_)) return;
  CachedNames stored = Load(request, options);
  if (stored.witnesses == fresh.witnesses) {
    for (auto& [address, frames] : stored.names)
      fresh.names.try_emplace(address, std::move(frames));
  }
  const std::string bytes = Encode(fresh, options);
  if (bytes.size() > kMaxFileBytes) return;
  Replace(path, bytes);
  DropOldest();
}

void SymbolCache::DropOldest() const {
  struct Entry {
    fs::file_time_type modified;
    uint64_t size;
    fs::path path;
  };
  std::vector<Entry> entries;
  uint64_t total = 0;
  std::error_code error;
  for (fs::directory_iterator at(folder_, error), end; !error && at != end; at.increment(error)) {
    std::error_code ignored;
    if (!at->is_regular_file(ignored)) continue;
    const Entry entry{at->last_write_time(ignored), at->file_size(ignored), at->path()};
    if (ignored) continue;
    entries.push_back(entry);
    total += entry.size;
  }
  if (total <= quota_) return;
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.modified < b.modified; });
  for (const Entry& entry : entries) {
    if (total <= quota_) return;
    std::error_code ignored;
    if (fs::remove(entry.path, ignored)) total -= entry.size;
  }
}

}  // namespace gprofx
