#include "cli/record/messages.h"

#include <csignal>
#include <variant>
#include <vector>

#include "cli/record/launch_advice.h"
#include "cli/report/number.h"
#include "cli/terminal/text.h"
#include "core/base/format.h"
#include "samplers/collector/processes/names.h"
#include "samplers/collector/session.h"
#include "samplers/recorder/recorder.h"
#include "samplers/wire/gpu.h"

namespace gprofx::record {
namespace {

// Returns the pids as text, such as " 12 13 14". Lists at most eight of them.
std::string ListOf(const std::vector<int64_t>& pids) {
  std::string list;
  for (size_t i = 0; i < pids.size() && i < 8; ++i) {
    list += ' ';
    list += std::to_string(pids[i]);
  }
  if (pids.size() > 8) list += " ...";
  return list;
}

std::string SentenceOf(const recorder::problem::CannotSample& p) { return p.why; }

std::string SentenceOf(const recorder::problem::BuiltWithoutCuda&) {
  return "the GPU is not recorded: this gprof-x was built without CUDA";
}

std::string SentenceOf(const recorder::problem::NoSpool& p) {
  return p.error.what + "; GPU samples have no source lines";
}

std::string SentenceOf(const recorder::problem::GpuNotice& p) {
  const bool samples =
      p.notice == wire::kNoticePcPermission || p.notice == wire::kNoticePcUnavailable;
  return (samples && p.samples_asked ? "--gpu pc is not possible: " : "") + p.text;
}

std::string SentenceOf(const recorder::problem::TorchProfiler&) {
  return "torch.profiler in the program got no GPU events, because CUPTI serves only one client at "
         "a time; record with --gpu off to let it trace";
}

std::string SentenceOf(const recorder::problem::ForkedCudaCalls&) {
  return "a child that was forked after CUDA was initialised made CUDA calls, which CUDA rejects "
         "and gprof-x does not record; start it with spawn instead of fork";
}

std::string SentenceOf(const recorder::problem::LeftBehind& p) {
  return "these processes outlived the command and were recorded for 2 s more:" + ListOf(p.pids);
}

std::string SentenceOf(const recorder::problem::TimersMissing& p) {
  return MissingTimers(p.threads, p.pending_signal_limit);
}

std::string SentenceOf(const recorder::problem::OtherNvtx& p) {
  return "NVTX ranges are not recorded, because NVTX_INJECTION64_PATH is '" + p.path +
         "'; unset it to record them";
}

std::string SentenceOf(const recorder::problem::StaysIn& p) { return p.error.Text(); }

std::string SentenceOf(const recorder::problem::EndedByFault& p) {
  constexpr int kLongest = 100;  // max columns for the name of a frame
  std::string text = FitMiddle(Printable(p.program), kLongest) + " (process " +
                     std::to_string(p.pid) + ") ended by " +
                     (p.signal == SIGBUS ? "SIGBUS" : "SIGSEGV");
  if (p.address) text += " at address 0x" + HexText(*p.address, 1);
  if (!p.thread.empty()) text += ", thread '" + FitMiddle(Printable(p.thread), kLongest) + "'";
  for (size_t i = 0; i < p.stack.size(); ++i) {
    text += (i == 0 ? ": " : " < ") + FitMiddle(Printable(p.stack[i]), kLongest);
  }
  return text +
         (p.near_us ? "; if this does not happen without gprof-x, please report this line" : "");
}

std::string SentenceOf(const recorder::problem::MoreFaults& p) {
  return Grouped(p.processes) + " more processes ended by SIGSEGV or SIGBUS";
}

std::string SentenceOf(const recorder::problem::RowsDropped& p) {
  return Grouped(p.rows) + " rows of the timeline are lost, because the file could not be written";
}

std::string SentenceOf(const recorder::problem::UserLeftOut& p) {
  return "processes of user " + std::to_string(p.user) +
         " are no longer recorded, because they use too much memory of the recorder; record them "
         "as that user";
}

std::string SentenceOf(const recorder::problem::StoppedListening&) {
  return "recorded processes sent many file descriptors that are not perf events; new threads are "
         "sampled on clock ticks only, and processes of other users are not recorded";
}

}  // namespace

std::string Sentence(const recorder::Problem& problem) {
  return std::visit([](const auto& p) { return SentenceOf(p); }, problem);
}

std::string TimesLine(const recorder::PassTimers& timers) {
  std::string line;
  for (size_t i = 0; i < recorder::kPasses; ++i) {
    std::string name = recorder::kPassNames[i];
    for (char& c : name) c = c == '_' ? ' ' : c;
    line += (line.empty() ? "recorder: " : ", ") + name + " " +
            Duration(timers[static_cast<recorder::Pass>(i)]);
  }
  return line;
}

void Messages::Tell(const recorder::Event& event) {
  std::visit([this](const auto& e) { TellOne(e); }, event);
}

std::string Messages::Tell(const recorder::Problem& problem) {
  const std::string sentence = Sentence(problem);
  const auto* left = std::get_if<recorder::problem::LeftBehind>(&problem);
  lines_.Say(left == nullptr
                 ? sentence
                 : "the recording ends before these processes, which outlive the command:" +
                       ListOf(left->pids));
  return sentence;
}

void Messages::TellOne(const recorder::event::CannotStart& e) {
  const std::string why = !e.found            ? WhyNotFound(e.command)
                          : e.exec_errno == 0 ? "it is not executable" + PythonHint(e.command)
                                              : WhyNotStarted(e.program, e.exec_errno);
  lines_.Say(Error(ErrorId::kCannotRun, "cannot run '" + e.command + "': " + why).TextWithId());
}

void Messages::TellOne(const recorder::event::Failed& e) { lines_.Say(e.error.TextWithId()); }

void Messages::TellOne(const recorder::event::CannotWrite& e) {
  lines_.Say(e.error.Text() + (e.runs ? "; the program continues" : "") + e.error.IdMark());
}

void Messages::TellOne(const recorder::event::OtherName& e) {
  lines_.Say("another recording writes '" + e.asked + "'; this recording writes '" + e.taken + "'");
}

void Messages::TellOne(const recorder::event::ProgramRuns& e) { lines_.ProgramRuns(e.runs); }

void Messages::TellOne(const recorder::event::Attached& e) {
  const std::string how = e.by_interpreter
                              ? " (its interpreter loaded the agent, no thread was stopped)"
                              : " (one thread was stopped for " + Duration(e.held) + ")";
  lines_.Tell("recording process " + std::to_string(e.pid) + "; Ctrl-C ends the recording" +
              (verbose_ ? how : ""));
}

void Messages::TellOne(const recorder::event::Detached& e) {
  if (!verbose_) return;
  lines_.Say("left process " + std::to_string(e.pid) + " (one thread was stopped for " +
             Duration(e.held) + ")");
}

void Messages::TellOne(const recorder::event::KeepsLast& e) {
  lines_.Tell("keeping the last " + Duration(e.last) + "; kill -USR2 " + std::to_string(e.pid) +
              " writes them");
}

void Messages::TellOne(const recorder::event::Written& e) {
  lines_.Tell("wrote " + e.file + " (" + e.rule + ")");
}

void Messages::TellOne(const recorder::event::NotWritten& e) { lines_.Say(e.error.TextWithId()); }

void Messages::TellOne(const recorder::event::WindowOver& e) {
  lines_.Tell(SecondsText(e.recorded, 1) +
              " are recorded; the profile is written when the program ends");
}

void Messages::TellOne(const recorder::event::Outlived& e) {
  lines_.Tell("waiting at most 2 s for processes that outlive the command:" + ListOf(e.pids));
}

void Messages::TellOne(const recorder::event::Progress& e) {
  lines_.Progress(SecondsText(e.time, 1) + ", " + Grouped(e.samples) + " samples", MonotonicNs());
}

void Messages::TellOne(const recorder::event::Naming&) {
  lines_.Progress("naming functions", MonotonicNs());
}

void Messages::TellOne(const recorder::event::BrokenOff& e) {
  const Error error{ErrorId::kRecordingFailed, "the recording ended early: " + e.reason};
  lines_.Say(
      error.what + (e.runs ? "; the program continues" : "") +
      (e.output.empty() ? "" : "; '" + e.output + "' contains what was recorded until then") +
      error.IdMark());
}

void Messages::TellOne(const recorder::event::Finished& e) {
  if (e.uses_gpu) gpu_profile_ = e.output;
  if (verbose_) {
    for (const std::string& problem : e.problems) lines_.Say(problem);
    lines_.Say(TimesLine(e.timers));
  }
  std::vector<std::string> read{"gprof-x", "report"};
  const bool is_option = e.output.starts_with('-');
  if (e.output != recorder::kUsualName) read.push_back(is_option ? "./" + e.output : e.output);
  lines_.Tell(Grouped(e.samples) + " samples, " + SecondsText(e.program_end, 1) + " -> " +
              e.output + " (report: " + JoinCommand(read) + ")");
  if (e.not_sampled > 0) lines_.Tell(NotSampledLine(e.not_sampled, e.not_sampled_text));
}

}  // namespace gprofx::record
