#include "samplers/recorder/attachment.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "core/base/file_io.h"
#include "samplers/attach/find_command.h"
#include "samplers/attach/refusal.h"
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
  listener_.Tell(event::Attached{pid_, entered->held, entered->by_interpreter});
  return target;
}

void Attachment::EnterNew(const ProcessTable& processes) {
  TellFailed();
  if (!children_ || enters_.load()) return;
  const std::vector<int64_t> recorded = processes.AlivePids();
  const std::vector<int64_t> family = FamilyOf(RunningCommands(), pid_);
  const auto has = [](const std::vector<int64_t>& pids, int64_t pid) {
    return std::find(pids.begin(), pids.end(), pid) != pids.end();
  };
  std::erase_if(tried_, [&](const auto& one) { return !has(family, one.first); });
  std::vector<int64_t> wanted;
  for (const int64_t pid : family) {
    if (pid == pid_ || LookAtTarget(pid).in_vfork) continue;  // the next look sees what it became
    const std::string program = ProgramOf(pid);
    const auto [known, is_new] = tried_.try_emplace(pid, program);
    // One that is recorded has its agent by fork. Another program than before has none.
    const bool has_agent = is_new && has(recorded, pid);
    if (has_agent || (!is_new && known->second == program)) continue;
    known->second = program;
    wanted.push_back(pid);
  }
  if (!wanted.empty()) BeginEntering(std::move(wanted));
}

void Attachment::BeginEntering(std::vector<int64_t> pids) {
  if (entering_.joinable()) entering_.join();
  enters_.store(true);
  entering_ = std::thread([this, pids = std::move(pids)] {
    AttachSetup setup = setup_;
    setup.serve = nullptr;  // the recording loop goes on
    for (const int64_t pid : pids) {
      if (over_.load()) break;
      const std::string program = ProgramOf(pid);
      const auto entered = EnterProcess(static_cast<pid_t>(pid), setup);
      const bool same = ProcessState(pid) != 'Z' && ProgramOf(pid) == program;
      if (entered || !same || over_.load()) continue;
      const std::lock_guard<std::mutex> hold(guard_);
      failed_.push_back(entered.error());
    }
    enters_.store(false);
  });
}

void Attachment::TellFailed() {
  std::vector<Error> failed;
  {
    const std::lock_guard<std::mutex> hold(guard_);
    failed.swap(failed_);
  }
  for (const Error& error : failed)
    problems_.Tell(problem::CannotSample{"not profiled: " + error.Text()});
}

void Attachment::EndEntering() {
  over_.store(true);
  if (entering_.joinable()) entering_.join();
  TellFailed();
  over_.store(false);
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
