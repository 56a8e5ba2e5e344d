#include "samplers/recorder/attachment.h"

#include <algorithm>
#include <utility>

#include "core/base/file_io.h"
#include "samplers/attach/python/find_command.h"
#include "samplers/attach/refusal.h"
#include "samplers/collector/processes/names.h"
#include "samplers/collector/processes/procfs.h"
#include "samplers/collector/session.h"

namespace gprofx::recorder {

// Maximum time in which all processes together must be left. Each of thousands of processes may
// delay its answer by seconds.
constexpr HostNs kLeaveWithin = 60'000'000'000;

std::vector<std::string> CommandOf(int64_t pid) {
  constexpr size_t kMaxCommand = 1 << 20;
  const auto text = ReadSmallFile("/proc/" + std::to_string(pid) + "/cmdline", kMaxCommand);
  std::vector<std::string> words = SplitCommand(text.value_or(""));
  if (words.empty()) words.emplace_back();
  return words;
}

Result<Child> Attachment::EnterMain() {
  Child target;
  target.pid = static_cast<pid_t>(pid_);
  // Open the pidfd before attaching. If the PID is reused later, the pidfd does not refer to the
  // new process.
  target.pidfd = process_->PidFd();
  const auto entered = attach::EnterProcess(*process_, setup_);
  if (!entered) return entered.error();
  listener_.Tell(event::Attached{pid_, entered->held, entered->by_interpreter});
  return target;
}

void Attachment::EnterNew(const ProcessTable& processes) {
  TellFailed();
  if (!children_ || enters_.load()) return;
  const std::vector<int64_t> recorded = processes.AlivePids();
  const std::vector<int64_t> family = attach::FamilyOf(attach::RunningProcesses(), pid_);
  const auto has = [](const std::vector<int64_t>& pids, int64_t pid) {
    return std::find(pids.begin(), pids.end(), pid) != pids.end();
  };
  std::erase_if(tried_, [&](const auto& one) { return !has(family, one.first); });
  std::vector<std::pair<int64_t, std::string>> wanted;
  for (const int64_t pid : family) {
    if (pid == pid_ || attach::SharesMemoryWithParent(pid))
      continue;  // the next scan sees what the process runs now
    const std::string program = ProgramOf(pid);
    if (!has(family, ParentOf(pid))) continue;  // the PID was reused
    const auto [known, is_new] = tried_.try_emplace(pid, program);
    // A recorded process that was forked has inherited its agent. If it has exec'ed another program
    // since, it has none.
    const bool has_agent = is_new && has(recorded, pid);
    if (has_agent || (!is_new && known->second == program)) continue;
    known->second = program;
    wanted.emplace_back(pid, program);
  }
  if (!wanted.empty()) BeginEntering(std::move(wanted));
}

void Attachment::BeginEntering(std::vector<std::pair<int64_t, std::string>> wanted) {
  if (entering_.joinable()) entering_.join();
  enters_.store(true);
  entering_ = std::thread([this, wanted = std::move(wanted)] {
    attach::AttachSetup setup = setup_;
    setup.serve = nullptr;  // the recording loop, which keeps running, answers requests
    for (const auto& [pid, program] : wanted) {
      if (over_.load()) break;
      const attach::ProcessHandle process(static_cast<pid_t>(pid));
      if (ProgramOf(pid) != program) continue;  // the next scan sees what the process runs now
      const auto entered = attach::EnterProcess(process, setup);
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
  // The processes to leave, each with its region.
  std::vector<std::pair<attach::ProcessHandle, uint32_t>> left;
  for (const auto& process : processes.live()) {
    attach::ProcessHandle held(static_cast<pid_t>(process->drain.pid()));
    // Check the pidfd after `held` was opened by the PID. If the process is alive now, both refer
    // to the same process.
    if (process->is_confirmed() && process->IsAlive()) {
      left.emplace_back(std::move(held), process->region);
    }
  }
  const HostNs until = MonotonicNs() + kLeaveWithin;
  for (const auto& [held, region] : left) {
    const int64_t pid = held.pid();
    if (MonotonicNs() > until) {
      parts_.session.SetOver();
      problems_.Tell(
          problem::StaysIn{{ErrorId::kNotEntered,
                            "process " + std::to_string(pid) +
                                " keeps the agent, because there was no time to detach from it"}});
      continue;
    }
    const auto gone =
        attach::LeaveProcess(pid == pid_ ? *process_ : held, setup_, [&, at = region] {
          parts_.perf_events.Receive();
          parts_.perf_events.CloseRegion(at);
        });
    if (gone) {
      listener_.Tell(event::Detached{pid, gone->held});
    } else if (ProcessState(pid) != 0 && ProcessState(pid) != 'Z') {
      parts_.session.SetOver();
      problems_.Tell(problem::StaysIn{gone.error()});
    }
  }
}

}  // namespace gprofx::recorder
