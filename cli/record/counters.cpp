#include "cli/record/counters.h"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "cli/counters.h"
#include "cli/cuda_tool.h"
#include "cli/doctor/checks.h"
#include "cli/errors/catalogue.h"
#include "cli/record/child.h"
#include "cli/temporary_file.h"
#include "core/base/command_output.h"
#include "core/base/file_io.h"
#include "core/base/text.h"
#include "formats/database/counter_table.h"
#include "formats/profile/profile_reader.h"
#include "formats/reading/analysis_read.h"

namespace gprofx::record {
namespace {

constexpr char kFolder[] = "/opt/nvidia/nsight-compute";
constexpr int kQueryMilliseconds = 60'000;
constexpr size_t kMaxQuery = size_t{16} << 20, kMaxLog = size_t{1} << 20;

// Returns the folders of NVIDIA's packages of Nsight Compute. There is one for each version; the
// latest comes first.
std::vector<std::string> VersionFolders() {
  std::vector<std::string> folders;
  DIR* folder = opendir(kFolder);
  if (folder == nullptr) return folders;
  while (const dirent* entry = readdir(folder)) {
    if (entry->d_name[0] != '.') folders.push_back(std::string(kFolder) + "/" + entry->d_name);
  }
  closedir(folder);
  std::sort(folders.rbegin(), folders.rend());
  return folders;
}

// Returns a regular expression that matches any of `names`: "a|b".
std::string AnyOf(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    if (!text.empty()) text += '|';
    for (const char c : name) {
      if (std::strchr("\\^$.|?*+()[]{}", c) != nullptr) text += '\\';
      text += c;
    }
  }
  return text;
}

Result<LaunchesToMeasure> LaunchesOf(const std::string& path) {
  const Result<ProfileReader> reader = ProfileReader::Open(path);
  if (!reader) return reader.error();
  const Result<Profile> profile = reader->Load();
  if (!profile) return profile.error();
  const Result<GpuWorkEvents> work = ReadGpuWork(*reader, *profile);
  if (!work) return work.error();
  return ChooseLaunches(*profile, *work);
}

// Returns the last line with an error in the output of ncu. Returns "" if there is none.
std::string ComplaintIn(const std::string& log) {
  constexpr std::string_view kSign = "==ERROR== ";
  const size_t at = log.rfind(kSign);
  if (at == std::string::npos) return "";
  const size_t begin = at + kSign.size();
  return log.substr(begin, log.find('\n', begin) - begin);
}

std::string PercentText(double share) {
  return std::to_string(static_cast<int>(100 * share + 0.5)) + "%";
}

// Measures the kernels of the program. Returns the line to print.
Result<std::string> Measure(const std::string& ncu, const std::string& profile,
                            const std::vector<std::string>& command, Lines& lines) {
  const Result<LaunchesToMeasure> launches = LaunchesOf(profile);
  if (!launches) return launches.error();
  if (launches->kernels.empty()) {
    return Error{ErrorId::kMissingProgram, "the recording has no kernel to measure",
                 "record a program that uses a GPU"};
  }
  const TemporaryFile log("gprof-x-ncu");
  if (log.name().empty()) {
    return Error{ErrorId::kCannotWrite,
                 std::string("cannot create a temporary file: ") + strerror(errno),
                 "set TMPDIR to a folder that you may write"};
  }
  const auto listing =
      CommandOutput({ncu, "--query-metrics"}, kQueryMilliseconds, {kMaxQuery, false});
  const std::vector<std::string> metrics = MetricsToMeasure(MetricsIn(listing.value_or("")));
  lines.Tell("counters: running the program again under ncu, which measures " +
             std::to_string(launches->kernels.size()) + " kernels, " +
             PercentText(launches->share) + " of the kernels' time");
  const SignalsLeftAlone signals;
  pid_t pid = 0;
  if (const int error = StartChild(ncu, NcuCommand(ncu, *launches, metrics, log.name(), command),
                                   EnvironmentWith(""), ChildOutput::kNowhere, signals, pid);
      error != 0) {
    return Error{ErrorId::kMissingProgram, "cannot start ncu: " + std::string(strerror(error)),
                 "check the installation of Nsight Compute"};
  }
  const int status = WaitForChild(pid);
  const Result<StoredCounters> stored = StoreCounters(log.name(), profile);
  if (stored) return CountersLine(*stored);
  const std::string complaint = ComplaintIn(ReadSmallFile(log.name(), kMaxLog).value_or(""));
  if (complaint.find("ERR_NVGPUCTRPERM") != std::string::npos) {
    return Error{ErrorId::kMissingProgram, "ncu is not permitted to read the counters of the GPU",
                 "'gprof-x doctor' says how to permit it"};
  }
  if (!complaint.empty()) return Error{ErrorId::kMissingProgram, "ncu: " + complaint};
  if (status != 0) {
    return Error{ErrorId::kMissingProgram, "ncu ended with status " + std::to_string(status),
                 "run the command under ncu alone to see why"};
  }
  return stored.error();
}

}  // namespace

Result<std::string> FindNcu(const std::function<const char*(const char*)>& env) {
  std::string ncu = FindCudaTool("ncu", env, VersionFolders());
  if (!ncu.empty()) return ncu;
  return Error{
      ErrorId::kMissingProgram, "cannot find ncu in PATH or in a CUDA toolkit",
      "install Nsight Compute, which comes with CUDA and as the package nsight-compute of NVIDIA"};
}

std::vector<std::string> NcuCommand(const std::string& ncu, const LaunchesToMeasure& launches,
                                    const std::vector<std::string>& metrics, const std::string& log,
                                    const std::vector<std::string>& command) {
  std::vector<std::string> words = {ncu,
                                    "--csv",
                                    "--page",
                                    "raw",
                                    "--print-units",
                                    "base",
                                    "--print-kernel-base",
                                    "mangled",
                                    "--target-processes",
                                    "all",
                                    "--clock-control",
                                    "none",
                                    "--kernel-name-base",
                                    "function",
                                    "--kernel-name",
                                    "regex:^(" + AnyOf(launches.kernels) + ")$",
                                    "--filter-mode",
                                    "per-launch-config",
                                    "--launch-count",
                                    std::to_string(launches.of_each),
                                    "--metrics",
                                    JoinedBy(metrics, ","),
                                    "--log-file",
                                    log};
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

std::vector<std::string> MetricsIn(const std::string& listing) {
  std::vector<std::string> names;
  for (size_t at = 0; at < listing.size();) {
    const size_t end = std::min(listing.find('\n', at), listing.size());
    const std::string_view line = std::string_view(listing).substr(at, end - at);
    at = end + 1;
    const std::string_view word = line.substr(0, line.find_first_of(" \t\r"));
    if (word.find("__") != word.npos) names.emplace_back(word);
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

void AddCounters(const std::string& ncu, const std::string& profile,
                 const std::vector<std::string>& command, Lines& lines) {
  const Result<std::string> line = Measure(ncu, profile, command, lines);
  if (line) {
    lines.Tell("counters: " + *line);
  } else {
    lines.Say("no counters are measured: " + line.error().TextWithId());
  }
}

}  // namespace gprofx::record
