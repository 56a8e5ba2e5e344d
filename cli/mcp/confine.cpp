#include "cli/mcp/confine.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

#include "core/base/unique_fd.h"

namespace gprofx {
namespace {

// Access rights of Landlock's second and third ABI version. They are numbers, because the headers
// may be older than the kernel.
constexpr uint64_t kRefer = uint64_t{1} << 13, kTruncate = uint64_t{1} << 14;
constexpr uint64_t kFirst = (uint64_t{1} << 13) - 1;  // all rights of the first version
constexpr uint64_t kReading = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;

}  // namespace

void ConfineToReading(std::span<const std::string> folders) {
  const long version =
      syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (version < 1) return;
  landlock_ruleset_attr rules = {};
  rules.handled_access_fs = kFirst | (version >= 2 ? kRefer : 0) | (version >= 3 ? kTruncate : 0);
  const UniqueFd set(static_cast<int>(
      syscall(SYS_landlock_create_ruleset, &rules, sizeof rules.handled_access_fs, 0)));
  if (!set) return;
  for (const std::string& folder : folders) {
    const UniqueFd place(open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!place) continue;  // the folder no longer exists, so nothing in it can be served
    landlock_path_beneath_attr beneath = {};
    beneath.allowed_access = kReading;
    beneath.parent_fd = place.get();
    if (syscall(SYS_landlock_add_rule, set.get(), LANDLOCK_RULE_PATH_BENEATH, &beneath, 0) != 0) {
      return;
    }
  }
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return;
  (void)syscall(SYS_landlock_restrict_self, set.get(), 0);
}

}  // namespace gprofx
