#include "cli/ci/job_folder.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "cli/folders.h"
#include "cli/text_file.h"
#include "core/base/file_io.h"
#include "core/base/path.h"

namespace gprofx {
namespace {

// The folders of a job of two commands, inner folders first. A job of benchmarks has a folder below
// kTests for each benchmark, which contains base/ and head/.
constexpr const char* kFolders[] = {"base",         "head",         "warm-up/base", "warm-up/head",
                                    "confirm/base", "confirm/head", "warm-up",      "confirm"};
constexpr const char* kFiles[] = {"verdict.json", "verdict.txt"};
constexpr char kTests[] = "tests";
constexpr std::string_view kEndings[] = {
    ".gprofx", ".gprofx.old", ".gprofx-journal", ".log", ".json", ".request", ".turn"};
constexpr char kWayOut[] = "name another folder with -o";

// True if a job writes files with such a name, for example "07.log": a number as RunName() formats
// it, and a known ending.
bool IsOfJob(std::string_view name) {
  const size_t digits = std::min(name.find_first_not_of("0123456789"), name.size());
  return digits >= 2 && std::find(std::begin(kEndings), std::end(kEndings), name.substr(digits)) !=
                            std::end(kEndings);
}

std::string RealPath(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> whole(realpath(path.c_str(), nullptr), &free);
  return whole == nullptr ? "" : whole.get();
}

// Opens a folder of the job. Returns an invalid descriptor if the folder does not exist. Follows no
// symbolic links, because files elsewhere must never be written or removed.
Result<UniqueFd> OpenInside(const std::string& top, const std::string& name) {
  UniqueFd folder(open(top.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (size_t at = 0; folder && at < name.size();) {
    const size_t end = std::min(name.find('/', at), name.size());
    const int inside = openat(folder.get(), name.substr(at, end - at).c_str(),
                              O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    const int error = errno;
    folder = UniqueFd(inside);
    errno = error;
    at = end + 1;
  }
  if (folder || errno == ENOENT) return folder;
  const bool is_link = errno == ENOTDIR || errno == ELOOP;
  return Error{is_link ? ErrorId::kWrongFileType : ErrorId::kCannotRead,
               "cannot read '" + top + "/" + name +
                   "': " + (is_link ? "it is a symbolic link or not a folder" : strerror(errno)),
               kWayOut};
}

template <class Wanted>
std::vector<std::string> NamesInside(const UniqueFd& folder, Wanted wanted) {
  std::vector<std::string> names;
  const int again = folder ? openat(folder.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  const std::unique_ptr<DIR, int (*)(DIR*)> list(again >= 0 ? fdopendir(again) : nullptr,
                                                 &closedir);
  while (const dirent* entry = list != nullptr ? readdir(list.get()) : nullptr) {
    if (wanted(entry->d_name)) names.emplace_back(entry->d_name);
  }
  return names;
}

bool IsTestFolder(std::string_view name) {
  return name.size() >= 2 && name.find_first_not_of("0123456789") == std::string_view::npos;
}

// Returns the names of all folders that an earlier job may have left, inner folders first.
Result<std::vector<std::string>> FoldersOfJob(const std::string& top) {
  std::vector<std::string> all(std::begin(kFolders), std::end(kFolders));
  const Result<UniqueFd> tests = OpenInside(top, kTests);
  if (!tests) return tests.error();
  for (const std::string& number : NamesInside(*tests, &IsTestFolder)) {
    const std::string test = std::string(kTests) + "/" + number;
    all.insert(all.end(), {test + "/base", test + "/head", test});
  }
  all.emplace_back(kTests);
  return all;
}

// Returns whether there are files of an earlier job. Removes them if `force` is set.
Result<bool> TakeOld(const std::string& top, bool force) {
  std::vector<std::pair<std::string, std::vector<std::string>>> old;  // by folder
  bool any = false;
  std::vector<std::string>& texts = old.emplace_back().second;
  for (const char* name : kFiles) {
    struct stat is {};
    if (lstat((top + "/" + name).c_str(), &is) == 0 && !S_ISDIR(is.st_mode)) texts.push_back(name);
  }
  any = !texts.empty();
  const Result<std::vector<std::string>> folders = FoldersOfJob(top);
  if (!folders) return folders.error();
  for (const std::string& name : *folders) {  // check all folders before anything is removed
    const Result<UniqueFd> folder = OpenInside(top, name);
    if (!folder) return folder.error();
    old.emplace_back(name, NamesInside(*folder, &IsOfJob));
    any = any || !old.back().second.empty();
  }
  if (!any || !force) return any;
  for (const auto& [name, files] : old) {
    const Result<UniqueFd> folder = OpenInside(top, name);
    if (!folder) return folder.error();
    for (const std::string& file : files) {
      if (!*folder || unlinkat(folder->get(), file.c_str(), 0) == 0) continue;
      return Error{ErrorId::kCannotWrite,
                   "cannot remove '" + top + "/" + name + "/" + file + "': " + strerror(errno),
                   kWayOut};
    }
  }
  // Succeeds only if it is empty.
  for (const std::string& name : *folders) rmdir((top + "/" + name).c_str());
  return any;
}

// Fails if a side runs in or below a folder to which the job writes profiles. The sources of a side
// must not contain profiles.
Status CheckSides(const std::string& top, const std::vector<std::string>& sides) {
  for (const std::string& side : sides) {
    const std::string whole = RealPath(side.empty() ? "." : side) + "/";
    for (const std::string name : {"base", "head", "warm-up", "confirm", kTests}) {
      if (!whole.starts_with(top + "/" + name + "/")) continue;
      return Error{ErrorId::kOutputExists,
                   "'" + top + "/" + name + "' is the folder of the profiles and of a side to run",
                   kWayOut};
    }
  }
  return Ok();
}

}  // namespace

Result<JobFolder> JobFolder::Make(const std::string& path, bool force,
                                  const std::vector<std::string>& sides) {
  if (const Status made = MakeFolders(path, kWayOut); !made) return made.error();
  JobFolder folder;
  folder.path_ = RealPath(path);
  if (folder.path_.empty()) {
    return Error{ErrorId::kWrongFileType, "'" + path + "' is not a folder", kWayOut};
  }
  if (const Status clear = CheckSides(folder.path_, sides); !clear) return clear.error();
  const Result<bool> old = TakeOld(folder.path_, force);
  if (!old) return old.error();
  if (*old && !force) {
    return Error{ErrorId::kOutputExists, "'" + path + "' holds the files of another job",
                 "name another folder with -o, or add --force to replace them"};
  }
  return folder;
}

Result<std::string> JobFolder::PathOf(const std::string& name) const {
  const std::string path = path_ + "/" + name;
  if (const Status made = MakeFolders(FolderOf(path), kWayOut); !made) return made.error();
  return path;
}

Status JobFolder::Write(const std::string& name, const std::string& text) const {
  return WriteTextFile(path_ + "/" + name, text, kWayOut);
}

}  // namespace gprofx
