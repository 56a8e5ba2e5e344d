#include "samplers/collector/processes/same_files.h"

#include <sys/stat.h>

#include <string>

namespace gprofx {
namespace {

std::optional<bool> IsSameAsOurs(const std::string& process, const char* entry) {
  struct stat theirs {
  }, ours{};
  if (stat((process + entry).c_str(), &theirs) != 0) return std::nullopt;
  if (stat((std::string("/proc/self") + entry).c_str(), &ours) != 0) return std::nullopt;
  return theirs.st_dev == ours.st_dev && theirs.st_ino == ours.st_ino;
}

}  // namespace

std::optional<bool> SeesOurFiles(int64_t pid) {
  const std::string process = "/proc/" + std::to_string(pid);
  const std::optional<bool> mounts = IsSameAsOurs(process, "/ns/mnt");
  const std::optional<bool> root = IsSameAsOurs(process, "/root");
  if (mounts == false || root == false) return false;
  return mounts && root ? std::optional(true) : std::nullopt;
}

}  // namespace gprofx
