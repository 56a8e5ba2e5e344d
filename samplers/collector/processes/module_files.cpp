#include "samplers/collector/processes/module_files.h"

#include <sys/stat.h>

namespace gprofx {

std::optional<FileState> StateOfFile(const std::string& path) {
  struct stat file {};
  if (stat(path.c_str(), &file) != 0) return std::nullopt;
  return FileState{file.st_dev, file.st_ino, file.st_size,
                   file.st_mtim.tv_sec * int64_t{1'000'000'000} + file.st_mtim.tv_nsec};
}

std::optional<FileState> StateOfFileIn(int64_t pid, const std::string& path) {
  const auto seen = StateOfFile("/proc/" + std::to_string(pid) + "/root" + path);
  return seen ? seen : StateOfFile(path);
}

void ModuleFiles::MarkReplaced(Profile& profile) const {
  for (const auto& [number, file] : files_) {
    Module& module = profile.modules[ModuleId{number}.index()];
    const std::string path(profile.Text(module.path));
    if (!path.ends_with(kReplaced) && StateOfFile(path) != file)
      module.path = profile.Intern(path + kReplaced);
  }
}

}  // namespace gprofx
