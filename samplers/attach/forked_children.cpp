#include "samplers/attach/forked_children.h"

#include <optional>
#include <string>

#include "core/base/user_ids.h"
#include "samplers/attach/python/find_command.h"
#include "samplers/collector/processes/procfs.h"

namespace gprofx::attach {
namespace {

struct Program {
  CredentialIds users, groups;
  std::string executable;

  bool operator==(const Program&) const = default;
};

std::optional<Program> RunBy(const ProcessHandle& process) {
  const auto ids = IdsInStatus(process.Read("status", 1 << 16).value_or(""));
  // The executable is looked up by PID. Check with the handle afterwards that the PID was not
  // reused.
  std::string executable = ExecutableOf(process.pid());
  if (!ids || executable.empty() || !process.is_there()) return std::nullopt;
  return Program{ids->users, ids->groups, std::move(executable)};
}

}  // namespace

std::vector<ProcessHandle> ForkedChildrenOf(const ProcessHandle& process) {
  std::vector<ProcessHandle> children;
  const std::optional<Program> program = RunBy(process);
  if (!program) return children;
  for (const int64_t pid : FamilyOf(RunningProcesses(), process.pid())) {
    if (pid == process.pid()) continue;
    ProcessHandle child(static_cast<pid_t>(pid));
    if (RunBy(child) == program) children.push_back(std::move(child));
  }
  return children;
}

}  // namespace gprofx::attach
