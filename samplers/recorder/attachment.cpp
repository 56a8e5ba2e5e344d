#include "samplers/recorder/attachment.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "core/base/file_io.h"
#include "samplers/attach/find_command.h"
#include "samplers/collector/names.h"
#include "samplers/collector/procfs.h"

namespace gprofx {

std::vector<std::string> CommandOf(int64_t pid) {
  constexpr size_t kMostCommand = 1 << 20;
  const auto text = ReadSmallFile("/proc/" + std::to_string(pid) + "/cmdline", kMostCommand);
  std::vector<std::string> words = SplitCommand(text.value_or(""));
  if (words.empty()) words.emplace_back();
  return words;
}

Result<Child> Attachment::EnterMain() {
  Child target;
  target.pid = static_cast<pid_t>(pid_);
  // Before the attempt: another process with this number would not be watched for it.
  target.pidfd.Reset(static_cast<int>(syscall(SYS_pidfd_open, target.pid, 0)));
  const auto entered = EnterProcess(target.pid, setup_);
  if (!entered) return entered.error();
  known_.insert(pid_);
  listener_.Tell(event::Attached{pid_, entered->held});
  if (children_) {
    const std::vector<int64_t> family = FamilyOf(RunningCommands(), pid_);
    for (size_t i = 1; i < family.size(); ++i) EnterChild(family[i]);
  }
  return target;
}

void Attachment::EnterChild(int64_t pid) {
  if (!known_.insert(pid).second) return;
  const auto entered = EnterProcess(static_cast<pid_t>(pid), setup_);
  const bool alive = ProcessState(pid) != 0 && ProcessState(pid) != 'Z';
  if (!entered && alive)
    problems_.Tell(problem::CannotSample{"not profiled: " + entered.error().Text()});
}

void Attachment::EnterNew(const ProcessTable& processes) {
  if (!children_) return;
  for (const int64_t pid : processes.AlivePids()) known_.insert(pid);
  for (const int64_t pid : FamilyOf(RunningCommands(), pid_)) EnterChild(pid);
}

void Attachment::LeaveAll(ProcessTable& processes) {
  std::vector<std::pair<int64_t, uint32_t>> left;  // with the region
  for (const auto& process : processes.live()) {
    left.emplace_back(process->drain.pid(), process->region);
  }
  for (const auto& [pid, region] : left) {
    const auto gone = LeaveProcess(static_cast<pid_t>(pid), setup_, [&, at = region] {
      parts_.perf_events.Receive();
      parts_.perf_events.CloseRegion(at);
    });
    if (gone) {
      listener_.Tell(event::Detached{pid, gone->held});
    } else if (ProcessState(pid) != 0 && ProcessState(pid) != 'Z') {
      parts_.session.control().over.store(1);
      problems_.Tell(problem::StaysIn{gone.error()});
    }
  }
}

}  // namespace gprofx
