#include "samplers/collector/drain/region_owner.h"

#include <poll.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <optional>
#include <string>

#include "core/base/file_io.h"
#include "core/base/user_ids.h"
#include "samplers/collector/processes/patient_read.h"

namespace gprofx {
namespace {

// The default limit is 65,530 mappings, of 100 bytes each.
constexpr size_t kMaxMaps = size_t{64} << 20;

bool HasEnded(const UniqueFd& pidfd, const std::string& folder) {
  if (!pidfd) return access(folder.c_str(), F_OK) != 0;
  pollfd waiting{pidfd.get(), POLLIN, 0};
  return poll(&waiting, 1, 0) > 0;
}

bool IsConfirmed(const std::string& folder, const SharedMemory& memory, uint32_t index) {
  const bool is_own = memory.user() == geteuid();
  const auto maps = is_own ? ReadSmallFile(folder + "/maps", kMaxMaps)
                           : ReadWithPatience(folder + "/maps", kMaxMaps);
  if (maps && !maps->empty()) {
    return HasMapped(*maps, {memory.device(), memory.inode(), wire::RegionOffset(index)});
  }
  const auto status = ReadSmallFile(folder + "/status", 1 << 16);
  const auto ids = status ? IdsInStatus(*status) : std::nullopt;
  return ids && ids->users.AreAll(memory.user());
}

}  // namespace

bool HasMapped(std::string_view maps, const MappedPart& part) {
  char text[64];
  std::snprintf(text, sizeof text, " %02x:%02x %" PRIu64 " ", major(part.device),
                minor(part.device), part.inode);
  const std::string_view wanted(text);
  while (!maps.empty()) {
    const std::string_view line = maps.substr(0, maps.find('\n'));
    maps.remove_prefix(std::min(maps.size(), line.size() + 1));
    // The path begins at the first slash and may contain anything, so look only at the text before
    // it.
    const std::string facts(line.substr(0, line.find('/')));
    if (facts.find(wanted) == std::string::npos) continue;
    uint64_t begin = 0, end = 0, offset = 0;
    if (std::sscanf(facts.c_str(), "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64, &begin, &end, &offset) !=
        3) {
      continue;
    }
    // The kernel merges adjacent mappings, so `part` may be inside a larger one.
    if (offset <= part.offset && part.offset - offset < end - begin) return true;
  }
  return false;
}

RegionOwner FindRegionOwner(int64_t pid, const SharedMemory& memory, uint32_t index) {
  if (pid <= 0 || pid > INT32_MAX) return {};
  UniqueFd pidfd(static_cast<int>(syscall(SYS_pidfd_open, static_cast<pid_t>(pid), 0)));
  const bool has_none = !pidfd && errno != ESRCH && errno != EINVAL && errno != ENOENT;
  if (!pidfd && !has_none) return {};  // no such process, or `pid` is a thread id
  const std::string folder = "/proc/" + std::to_string(pid);
  if (IsConfirmed(folder, memory, index)) return {Claim::kConfirmed, std::move(pidfd)};
  if (HasEnded(pidfd, folder)) return {};
  return {Claim::kUnconfirmed, std::move(pidfd)};
}

}  // namespace gprofx
