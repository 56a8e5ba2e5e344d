#include "cli/record/series.h"

#include <signal.h>
#include <unistd.h>

#include <cstring>
#include <string_view>

#include "cli/record/child.h"
#include "cli/record/output_name.h"
#include "samplers/collector/processes/names.h"

namespace gprofx::record {
namespace {

constexpr std::string_view kEnding = ".gprofx";

std::vector<std::string> CommandOf(const SeriesRun& run, const std::vector<std::string>& options,
                                   const std::vector<std::string>& command) {
  std::vector<std::string> words = {"gprof-x", "record", "-o", AsOutputName(run.file),
                                    "--label", run.label};
  for (const auto* more : {&options, &run.options}) {
    words.insert(words.end(), more->begin(), more->end());
  }
  words.emplace_back("--");
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

}  // namespace

std::string FileOfRun(const std::string& output, const std::string& label) {
  std::string name = label;
  for (char& c : name) {
    if (c == '/' || static_cast<unsigned char>(c) < ' ') c = '_';
  }
  const bool ends = output.size() > kEnding.size() && output.ends_with(kEnding);
  return output.substr(0, output.size() - (ends ? kEnding.size() : 0)) + "-" + name +
         std::string(kEnding);
}

int RunSeries(const std::vector<SeriesRun>& runs, const std::vector<std::string>& options,
              const std::vector<std::string>& command, std::vector<std::string> compare, bool quiet,
              const std::function<void(const std::string&)>& say) {
  int first_failure = 0;
  size_t failed = 0, done = 0;
  const SignalsLeftAlone signals;
  for (const SeriesRun& run : runs) {
    pid_t pid = 0;
    if (const int error =
            StartChild("/proc/self/exe", CommandOf(run, options, command),
                       EnvironmentWith(run.setting), ChildOutput::kOurs, signals, pid);
        error != 0) {
      say("gprof-x record: cannot start a run: " + std::string(strerror(error)));
      return kNoStatus;
    }
    const int status = WaitForChild(pid);
    if (status != 0 && first_failure == 0) first_failure = status;
    if (status != 0) {
      ++failed;
      say("gprof-x: " + run.label + ": status " + std::to_string(status));
    }
    ++done;
    if (access(run.file.c_str(), R_OK) == 0) compare.push_back(run.file);
    if (status == 128 + SIGINT || status == 128 + SIGQUIT || WasToldToEnd()) break;
  }
  if (quiet) return first_failure;
  std::string line =
      "gprof-x: " + std::to_string(done) + " of " + std::to_string(runs.size()) + " runs";
  if (failed != 0) line += ", " + std::to_string(failed) + " failed";
  say(line + " (compare: " + JoinCommand(compare) + ")");
  return first_failure;
}

}  // namespace gprofx::record
