#include "cli/ci/job_folder.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "core/base/file_io.h"
#include "core/base/path.h"

namespace gprofx {
namespace {

// Of all folders of a job, inner ones first.
constexpr const char* kFolders[] = {"base",         "head",         "warm-up/base", "warm-up/head",
                                    "confirm/base", "confirm/head", "warm-up",      "confirm"};
constexpr const char* kFiles[] = {"verdict.json", "verdict.txt"};
constexpr std::string_view kEndings[] = {".gprofx", ".gprofx.old", ".gprofx-journal", ".log"};

bool IsOfJob(std::string_view name) {
  for (const std::string_view ending : kEndings) {
    if (name.ends_with(ending)) return true;
  }
  return false;
}

std::vector<std::string> FilesOfJob(const std::string& path) {
  std::vector<std::string> files;
  for (const char* name : kFiles) {
    if (access((path + "/" + name).c_str(), F_OK) == 0) files.push_back(path + "/" + name);
  }
  for (const char* name : kFolders) {
    const std::string inside = path + "/" + name;
    const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir(inside.c_str()), &closedir);
    while (const dirent* entry = folder != nullptr ? readdir(folder.get()) : nullptr) {
      if (IsOfJob(entry->d_name)) files.push_back(inside + "/" + entry->d_name);
    }
  }
  return files;
}

Status MakeFolder(const std::string& path) {
  if (mkdir(path.c_str(), 0777) == 0 || errno == EEXIST) return Ok();
  if (errno == ENOENT && FolderOf(path) != path) {
    if (const Status above = MakeFolder(FolderOf(path)); !above) return above;
    if (mkdir(path.c_str(), 0777) == 0 || errno == EEXIST) return Ok();
  }
  return Error{"cannot make the folder '" + path + "': " + strerror(errno),
               "name another one with -o"};
}

}  // namespace

Status JobFolder::Prepare(const std::string& path) { return MakeFolder(path); }

Result<JobFolder> JobFolder::Make(const std::string& path, bool force) {
  if (const Status made = MakeFolder(path); !made) return made.error();
  const std::unique_ptr<char, void (*)(void*)> whole(realpath(path.c_str(), nullptr), &free);
  struct stat is {};
  if (whole == nullptr || stat(whole.get(), &is) != 0 || !S_ISDIR(is.st_mode)) {
    return Error{"'" + path + "' is no folder", "name another one with -o"};
  }
  JobFolder folder;
  folder.path_ = whole.get();
  const std::vector<std::string> old = FilesOfJob(folder.path_);
  if (!old.empty() && !force) {
    return Error{"'" + path + "' holds the files of another job",
                 "name another folder with -o, or replace them with --force"};
  }
  for (const std::string& file : old) {
    if (unlink(file.c_str()) != 0) {
      return Error{"cannot remove " + file + ": " + strerror(errno), "name another folder with -o"};
    }
  }
  for (const char* name : kFolders) rmdir((folder.path_ + "/" + name).c_str());  // if empty
  return folder;
}

Result<std::string> JobFolder::PathOf(const std::string& name) const {
  const std::string path = path_ + "/" + name;
  if (const Status made = MakeFolder(FolderOf(path)); !made) return made.error();
  return path;
}

Status JobFolder::Write(const std::string& name, const std::string& text) const {
  const std::string path = path_ + "/" + name, part = path + ".part";
  const auto fail = [&]() -> Status {
    const int error = errno;
    unlink(part.c_str());
    return Error{"cannot write " + path + ": " + strerror(error), "is the disk full?"};
  };
  unlink(part.c_str());
  {
    const UniqueFd file(
        open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
    if (!file || !WriteAll(file.get(), text.data(), text.size())) return fail();
  }
  if (rename(part.c_str(), path.c_str()) != 0) return fail();
  return Ok();
}

}  // namespace gprofx
