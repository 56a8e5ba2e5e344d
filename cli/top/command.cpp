#include <unistd.h>

#include <cstdio>
#include <memory>
#include <utility>

#include "cli/command.h"
#include "cli/record.h"
#include "cli/record/lines.h"
#include "cli/record/messages.h"
#include "cli/terminal/full_screen.h"
#include "cli/terminal/text.h"
#include "cli/top/top.h"
#include "cli/top/watcher.h"
#include "samplers/attach/python/find_command.h"

namespace gprofx {
namespace {

constexpr size_t kLastLines = 10;

int FailTop(const Error& error) {
  Fail(kTopCommand, error);
  return recorder::kStatusFailed;
}

std::unique_ptr<TopFace> MakeFace(const TopOptions& options) {
  if (options.json) return MakeJsonFace(options.begin, options.once);
  const bool has_keys = isatty(STDIN_FILENO) != 0 && isatty(STDOUT_FILENO) != 0;
  if (options.once || !has_keys) return MakeTextFace(options.begin);
  return MakeScreenFace(options.begin);
}

SymbolizeOptions SymbolizeOf(const recorder::RecordOptions& record) {
  SymbolizeOptions options;
  options.use_cache = record.use_cache;
  return options;
}

// Prints how the program failed and the last lines of its output, which the screen did not show.
void TellEnd(int status, const ProgramOutput& output) {
  const std::string last = output.LastLines(kLastLines);
  fprintf(stderr, "%s: the program ended with status %d%s\n", kTopCommand, status,
          last.empty() ? "" : "; its last output:");
  for (size_t at = 0; at < last.size();) {
    const size_t end = std::min(last.find('\n', at), last.size());
    fprintf(stderr, "  %s\n", Printable(last.substr(at, end - at)).c_str());
    at = end + 1;
  }
}

int Watch(TopOptions& options) {
  const std::unique_ptr<TopFace> face = MakeFace(options);
  if (face->is_live()) {
    if (const Status known = FullScreen::Check(); !known) return FailTop(known.error());
  }
  auto output = ProgramOutput::Open(options.program_output);
  if (!output) return FailTop(output.error());
  TopWatcher watcher(options, *face, *output, SymbolizeOf(options.record));
  options.record.watcher = &watcher;
  const bool is_ours = options.record.pid == 0;
  if (is_ours) options.record.program_stdio = output->Stdio(face->is_live());
  record::Lines lines(
      record::Lines::Verbosity::kQuiet, face->is_live(),
      [](const std::string& line) { fprintf(stderr, "%s\n", Printable(line).c_str()); });
  record::Messages messages(lines, false);
  const int status = Record(options.record, messages);
  if (watcher.failure()) return FailTop(*watcher.failure());
  if (face->unwritten) {
    return FailTop({ErrorId::kCannotWrite, "cannot write the output",
                    "check that the disk of the output is not full"});
  }
  if (!is_ours || !watcher.has_shown()) return status;
  if (face->screen.quits > 0 || options.once) return 0;
  if (status != 0) TellEnd(status, *output);
  return status;
}

}  // namespace

int RunTop(const std::vector<std::string>& args) {
  auto options = ParseTop(args);
  if (!options) return FailTop(options.error());
  if (options->help != Help::kNone) return Print(kTopCommand, TopHelp(options->help), "the help");
  auto agent = FindAgent();
  if (!agent) return FailTop(agent.error());
  if (!options->attach.empty()) {
    auto chosen = attach::FindCommand(options->attach, getppid());
    if (!chosen) return FailTop(chosen.error());
    options->record.pid = chosen->pid();
    options->record.process = std::make_shared<attach::ProcessHandle>(std::move(*chosen));
  }
  options->record.agent = *agent;
  return Watch(*options);
}

}  // namespace gprofx
