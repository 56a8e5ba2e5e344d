#include "cli/mcp/served_folders.h"

#include <string.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <tuple>

#include "cli/folders.h"
#include "cli/terminal/text.h"

namespace gprofx {
namespace {

constexpr size_t kMaxEntries = 20'000;  // maximum entries that a listing checks
constexpr int kMaxFolderDepth = 8;
constexpr char kEnding[] = ".gprofx";

int64_t Nanoseconds(const timespec& time) { return time.tv_sec * 1'000'000'000 + time.tv_nsec; }

std::optional<std::string> Resolve(const std::string& path) {
  if (path.find('\0') != std::string::npos) return std::nullopt;
  char* const real = realpath(path.c_str(), nullptr);
  if (real == nullptr) return std::nullopt;
  std::string text = real;
  free(real);
  return text;
}

Error NotServed(const std::string& name) {
  return {ErrorId::kBadRequest,
          "'" + FitEnd(Printable(name), 200) + "' is not in the folders of this server",
          "list_profiles lists the profiles"};
}

Result<ServedFile> Regular(const std::string& real, const std::string& name) {
  ServedFile file{real, {}};
  if (lstat(real.c_str(), &file.is) != 0) return NotServed(name);
  const std::string quoted = "'" + FitEnd(Printable(name), 200) + "'";
  if (S_ISDIR(file.is.st_mode)) {
    return Error{ErrorId::kWrongFileType, quoted + " is a folder",
                 "name one of its profiles; list_profiles lists them"};
  }
  if (!S_ISREG(file.is.st_mode)) {
    return Error{ErrorId::kWrongFileType, quoted + " is not a regular file",
                 "list_profiles lists the profiles"};
  }
  struct stat journal;
  if (lstat((real + "-journal").c_str(), &journal) == 0 &&
      (!S_ISREG(journal.st_mode) || journal.st_size > 0)) {
    return Error{ErrorId::kUnfinishedCommit, quoted + " has an unfinished commit",
                 "try again; if no recording runs, 'gprof-x merge -o WHOLE.gprofx FILE' makes a "
                 "whole profile of it"};
  }
  return file;
}

}  // namespace

std::string ServedFile::Identity() const {
  return path + '\0' + std::to_string(is.st_dev) + ':' + std::to_string(is.st_ino) + ':' +
         std::to_string(is.st_size) + ':' + std::to_string(Nanoseconds(is.st_mtim)) + ':' +
         std::to_string(Nanoseconds(is.st_ctim));
}

bool ServedFile::IsSameFile(const ServedFile& other) const {
  return path == other.path && is.st_dev == other.is.st_dev && is.st_ino == other.is.st_ino;
}

Result<ServedFolders> ServedFolders::Open(const std::vector<std::string>& folders) {
  ServedFolders served;
  for (const std::string& folder : folders) {
    const std::optional<std::string> real = Resolve(folder);
    struct stat is;
    if (!real || stat(real->c_str(), &is) != 0) {
      return Error{ErrorId::kCannotRead, "cannot read '" + folder + "': " + strerror(errno),
                   "name a folder of profiles"};
    }
    if (!S_ISDIR(is.st_mode)) {
      return Error{ErrorId::kWrongFileType, "'" + folder + "' is not a folder",
                   "name the folder that holds it"};
    }
    const auto& paths = served.paths_;
    if (std::find(paths.begin(), paths.end(), *real) == paths.end()) {
      served.paths_.push_back(*real);
    }
  }
  return served;
}

bool ServedFolders::Holds(const std::string& real) const {
  return std::any_of(paths_.begin(), paths_.end(), [&](const std::string& folder) {
    return real == folder || real.starts_with(folder == "/" ? folder : folder + "/");
  });
}

Result<std::string> ServedFolders::RealPath(const std::string& name) const {
  std::vector<std::string> candidates;
  if (name.starts_with("/")) {
    candidates.push_back(name);
  } else if (!name.empty()) {
    for (const std::string& folder : paths_) candidates.push_back(folder + "/" + name);
  }
  for (const std::string& candidate : candidates) {
    const std::optional<std::string> real = Resolve(candidate);
    if (real && Holds(*real)) return *real;
  }
  return NotServed(name);
}

Result<ServedFile> ServedFolders::Find(const std::string& name) const {
  const Result<std::string> real = RealPath(name);
  if (!real) return real.error();
  return Regular(*real, name);
}

Result<std::vector<ServedFile>> ServedFolders::FindAll(const std::string& name) const {
  const Result<std::string> real = RealPath(name);
  if (!real) return real.error();
  struct stat is;
  if (lstat(real->c_str(), &is) != 0 || !S_ISDIR(is.st_mode)) {
    const Result<ServedFile> file = Regular(*real, name);
    if (!file) return file.error();
    return std::vector<ServedFile>{*file};
  }
  Result<std::vector<std::string>> names = NamesIn(*real);
  if (!names) return names.error();
  // Sort in such a way that "2" comes before "10", as `gprof-x diff` does.
  std::sort(names->begin(), names->end(), [](const std::string& a, const std::string& b) {
    return strverscmp(a.c_str(), b.c_str()) < 0;
  });
  std::vector<ServedFile> files;
  for (const std::string& inside : *names) {
    if (!inside.ends_with(kEnding)) continue;
    const Result<ServedFile> file = Find(*real + "/" + inside);
    if (!file) return file.error();
    files.push_back(*file);
  }
  if (!files.empty()) return files;
  return Error{ErrorId::kEmptyFile,
               "'" + FitEnd(Printable(name), 200) + "' contains no .gprofx file",
               "name the profiles or their folder"};
}

ServedFolders::Listing ServedFolders::List() const {
  namespace fs = std::filesystem;
  Listing listing;
  size_t seen = 0;
  for (const std::string& folder : paths_) {
    std::error_code error;
    fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied,
                                           error);
    for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
      if (++seen > kMaxEntries) {
        listing.is_whole = false;
        break;
      }
      if (entry.depth() >= kMaxFolderDepth && entry->is_directory(error)) {
        entry.disable_recursion_pending();
        listing.is_whole = false;
      }
      const std::string path = entry->path().string();
      if (!path.ends_with(kEnding)) continue;
      const std::optional<std::string> real = Resolve(path);
      ServedFile file{real.value_or(""), {}};
      if (real && Holds(*real) && lstat(real->c_str(), &file.is) == 0 && S_ISREG(file.is.st_mode)) {
        listing.files.push_back(std::move(file));
      } else {
        ++listing.refused;
      }
    }
  }
  // Remove duplicates. Served folders may be nested, and links may lead to files that are already
  // in the list.
  auto& files = listing.files;
  std::sort(files.begin(), files.end(),
            [](const ServedFile& a, const ServedFile& b) { return a.path < b.path; });
  files.erase(
      std::unique(files.begin(), files.end(),
                  [](const ServedFile& a, const ServedFile& b) { return a.path == b.path; }),
      files.end());
  std::stable_sort(files.begin(), files.end(), [](const ServedFile& a, const ServedFile& b) {
    return Nanoseconds(a.is.st_mtim) > Nanoseconds(b.is.st_mtim);
  });
  return listing;
}

}  // namespace gprofx
