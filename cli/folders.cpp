#include "cli/folders.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "core/base/path.h"

namespace gprofx {
namespace {

Status MakeAll(const std::string& path, const std::string& way_out,
               std::vector<std::string>& made) {
  struct stat is {};
  if (stat(path.c_str(), &is) == 0 && S_ISDIR(is.st_mode)) return Ok();
  if (errno == ENOENT && FolderOf(path) != path) {
    if (const Status above = MakeAll(FolderOf(path), way_out, made); !above) return above;
  }
  if (mkdir(path.c_str(), 0777) == 0) {
    made.push_back(path);
    return Ok();
  }
  if (errno == EEXIST && stat(path.c_str(), &is) == 0 && S_ISDIR(is.st_mode)) return Ok();
  return Error{ErrorId::kCannotWrite, "cannot create the folder '" + path + "': " + strerror(errno),
               way_out};
}

}  // namespace

Status MakeFolders(const std::string& path, const std::string& way_out) {
  std::vector<std::string> made;
  return MakeAll(path, way_out, made);
}

NewFolders::~NewFolders() {
  for (; !made_.empty(); made_.pop_back()) rmdir(made_.back().c_str());
}

Status NewFolders::Make(const std::string& path, const std::string& way_out) {
  return MakeAll(path, way_out, made_);
}

Result<std::vector<std::string>> NamesIn(const std::string& path) {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir(path.c_str()), &closedir);
  std::vector<std::string> names;
  if (folder == nullptr) {
    if (errno == ENOENT) return names;
    return Error{ErrorId::kCannotRead, "cannot read the folder '" + path + "': " + strerror(errno),
                 errno == EACCES ? "check its permissions" : "name a folder"};
  }
  while (const dirent* entry = readdir(folder.get())) {
    if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace gprofx
