#include "samplers/recorder/gpu/gpu_sources.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/base/file_io.h"
#include "core/base/path.h"
#include "core/redact/mask_source.h"

namespace gprofx::recorder {
namespace {

// Max files that are examined, because a cubin may name any number.
constexpr size_t kMaxFiles = 10'000;
constexpr size_t kMaxReadShare = 4;  // max bytes read, as a multiple of the max bytes stored

// True if the file name has the extension of a source file. A cubin comes from the program, or from
// a model that it loads. Without this check, its line table could copy a key or a mailbox into a
// profile that people share.
bool HasNameOfSource(std::string_view path) {
  constexpr std::string_view kSource[] = {".c",   ".cc",   ".cpp", ".cu",  ".cuh", ".cxx",
                                          ".h",   ".hh",   ".hpp", ".hxx", ".inc", ".inl",
                                          ".ipp", ".mlir", ".ptx", ".py",  ".tpp", ".ttir"};
  const std::string_view name = BaseName(path);
  const size_t dot = name.rfind('.');
  return dot != std::string_view::npos && dot != 0 &&
         std::find(std::begin(kSource), std::end(kSource), name.substr(dot)) != std::end(kSource);
}

// Reads a source file. Returns none if that is not allowed or the file has more than `most` bytes.
// `path` may be a symbolic link, so the file that was opened must have the extension of a source
// file, too.
std::optional<std::string> ReadNamedSource(const std::string& path, size_t most) {
  if (!path.starts_with('/') || !HasNameOfSource(path)) return std::nullopt;
  const UniqueFd file = OpenRegularFile(AT_FDCWD, path);
  if (!file) return std::nullopt;
  std::error_code error;
  const std::filesystem::path real =
      std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(file.get()), error);
  if (error || !HasNameOfSource(real.native())) return std::nullopt;
  return ReadText(file.get(), most);
}

bool IsText(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return (c >= 0x20 && c != 0x7f) || (c >= '\t' && c <= '\r');
  });
}

}  // namespace

void KeepSources(const std::vector<std::string>& paths, const SourceLimits& limits,
                 Profile& profile) {
  size_t left = limits.all, files = 0, unread = kMaxReadShare * limits.all;
  std::set<std::string> kept;
  for (const SourceText& source : profile.gpu.sources) kept.emplace(profile.Text(source.path));
  for (const std::string& path : paths) {
    if (++files > kMaxFiles || left == 0 || unread == 0) return;
    if (!kept.insert(path).second) continue;
    const size_t most = std::min(left, limits.file);
    const auto text = ReadNamedSource(path, most + 1);
    if (!text) continue;
    unread -= std::min(unread, text->size());
    if (text->size() > most || !IsText(*text)) continue;
    left -= text->size();
    profile.gpu.sources.push_back({profile.Intern(path), MaskSource(*text)});
  }
}

}  // namespace gprofx::recorder
