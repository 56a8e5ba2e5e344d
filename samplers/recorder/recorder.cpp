#include "samplers/recorder/recorder.h"

#include <cerrno>
#include <cstdlib>
#include <exception>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "samplers/attach/refusal.h"
#include "samplers/collector/processes/inspect.h"
#include "samplers/recorder/attachment.h"
#include "samplers/recorder/recording.h"

namespace gprofx::recorder {
namespace {

// Reports that the recording aborted. The program continues undisturbed, and the profile contains
// everything up to its last commit.
void TellBrokenOff(Listener& listener, const std::string& output, bool runs,
                   const char* reason) noexcept {
  try {
    const bool no_memory = *reason == '\0' || std::string_view(reason) == "std::bad_alloc";
    listener.Tell(event::BrokenOff{no_memory ? "out of memory" : reason, output, runs});
  } catch (const std::exception&) {  // ignored, because the program must still be waited for
  }
}

// Claims the output file. If there is a watcher, no file is needed. On failure, reports it and
// returns false.
bool ClaimOutput(const RecordOptions& options, Listener& listener,
                 std::optional<ProfileWriter>& writer) {
  if (options.watcher != nullptr) return true;
  auto claimed = ClaimProfile({options.output, options.named, options.force});
  if (!claimed) {
    listener.Tell(event::Failed{claimed.error()});
    return false;
  }
  writer.emplace(std::move(*claimed));
  if (writer->path() != options.output) {
    listener.Tell(event::OtherName{options.output, writer->path()});
  }
  return true;
}

// The parts of a recording that are made before its program is started.
struct Beginning {
  Machine machine;
  wire::SamplingPlan plan;
  std::optional<ProfileWriter> writer;  // unset if there is a watcher instead
  Session session;

  RecordingSetup Setup(const RecordOptions& options) {
    return {options, machine, plan, std::move(session), writer ? &*writer : nullptr};
  }
  std::string Output() const { return writer ? writer->path() : ""; }
};

// Makes the parts of a Beginning. On failure, reports it and returns no value.
std::optional<Beginning> Begin(const RecordOptions& options, Listener& listener) {
  const Machine machine = DetectMachine();
  wire::SamplingPlan plan = MakePlan(options.plan, machine);
  plan.spares_switches = SparseBudget(options) > 0 ? 1 : 0;
  std::optional<ProfileWriter> writer;
  if (!ClaimOutput(options, listener, writer)) return std::nullopt;
  auto session = Session::Create(plan, options.delay_s <= 0);
  if (!session) {
    listener.Tell(event::Failed{session.error()});
    return std::nullopt;
  }
  return Beginning{machine, plan, std::move(writer), std::move(*session)};
}

int RecordRunning(const RecordOptions& asked, Listener& listener) {
  const int64_t began = MonotonicNs();
  RecordOptions options = asked;
  const LauncherState launcher;
  if (options.process == nullptr) {
    options.process = std::make_shared<attach::ProcessHandle>(static_cast<pid_t>(options.pid));
  }
  if (const Status why = attach::WhyNot(attach::LookOnceLoaded(options.pid, nullptr)); !why) {
    listener.Tell(event::Failed{why.error()});
    return kStatusFailed;
  }
  options.command = CommandOf(options.pid);
  std::optional<Beginning> begun = Begin(options, listener);
  if (!begun) return kStatusFailed;
  Supervisor program(launcher);
  try {
    Recording recording(begun->Setup(options), program, listener);
    const int failed = recording.Enter(began);
    if (failed != 0) return failed;
    return recording.Run() ? 0 : kStatusFailed;
  } catch (const std::exception& error) {
    TellBrokenOff(listener, begun->Output(), true, error.what());
    return kStatusFailed;
  }
}

}  // namespace

int Record(const RecordOptions& options, Listener& listener) {
  if (options.pid != 0) return RecordRunning(options, listener);
  const int64_t began = MonotonicNs();
  const char* path = std::getenv("PATH");
  const std::string& command = options.command.at(0);
  const Inspection inspection = InspectCommand(command, path != nullptr ? path : "/bin:/usr/bin");
  if (inspection.found != Found::kYes) {
    const bool missing = inspection.found == Found::kNotFound;
    listener.Tell(event::CannotStart{command, inspection.program, !missing, 0});
    return missing ? kStatusNotFound : kStatusNotExecutable;
  }
  const LauncherState launcher;
  std::optional<Beginning> begun = Begin(options, listener);
  if (!begun) return kStatusFailed;
  Supervisor program(launcher);
  bool written = false;
  // From here on the program may run, and no failure may leave it without supervision.
  try {
    Recording recording(begun->Setup(options), program, listener);
    const int failed = recording.Start(inspection, launcher, began);
    if (failed != 0) return failed;
    written = recording.Run();
  } catch (const std::exception& error) {
    if (!program.watches()) throw;
    TellBrokenOff(listener, begun->Output(), !program.status(), error.what());
    program.WaitForEnd();
  }
  return !written && *program.status() == 0 ? kStatusFailed : *program.status();
}

}  // namespace gprofx::recorder
