#include "core/compare/facts.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "core/base/path.h"
#include "core/base/text.h"
#include "core/views/naming/names.h"
#include "core/views/recording.h"

namespace gprofx::compare {
namespace {

void Set(Facts& facts, const char* name, std::string value) {
  if (!value.empty()) facts[name] = std::move(value);
}

// Returns the version in a file name: "3.11" for "libpython3.11.so.1.0" or "python3.11". "" if
// there is none.
std::string PythonVersion(std::string_view file) {
  constexpr std::string_view kName = "python";
  const size_t found = file.find(kName);
  if (found == std::string_view::npos) return "";
  const std::string_view rest = file.substr(found + kName.size());
  size_t length = rest.find_first_not_of("0123456789.");
  if (length == std::string_view::npos) length = rest.size();
  std::string_view version = rest.substr(0, length);
  while (version.ends_with('.')) version.remove_suffix(1);
  return version.find('.') == std::string_view::npos ? "" : std::string(version);
}

// Returns the command without the folders of its words, which differ between checkouts.
std::string WithoutFolders(std::string_view command) {
  std::string text;
  while (!command.empty()) {
    const size_t end = std::min(command.find(' '), command.size());
    const std::string_view word = command.substr(0, end);
    const std::string_view quote = word.starts_with('\'') ? "'" : "";  // an argument in quotes
    const std::string_view name = BaseName(word.substr(quote.size()));
    if (!text.empty()) text += " ";
    text += name.empty() ? std::string(word) : std::string(quote) + std::string(name);
    command.remove_prefix(std::min(end + 1, command.size()));
  }
  return text;
}

}  // namespace

Facts MachineFacts(const Profile& profile) {
  Facts facts;
  std::multiset<std::string> gpus;
  for (const GpuDevice& device : profile.gpu.devices) {
    gpus.insert(std::string(profile.Text(device.name)));
    Set(facts, "GPU driver", std::string(profile.Text(device.driver)));
  }
  Set(facts, "GPUs", JoinedBy(gpus, ", "));
  for (const auto& [fact, meta] :
       {std::pair("CPU", "cpu_model"), std::pair("host", "host"), std::pair("clock", "clock"),
        std::pair("sampling rate", "rate_asked_hz"), std::pair("kernel time", "kernel_time"),
        std::pair("GPU recording", "gpu_asked")}) {
    Set(facts, fact, std::string(MetaText(profile, meta)));
  }
  std::set<std::string> versions;
  for (const Module& module : profile.modules) {
    if ((module.flags & kModuleIsPython) == 0) continue;
    const std::string version = PythonVersion(BaseName(profile.Text(module.path)));
    if (!version.empty()) versions.insert(version);
  }
  Set(facts, "Python", JoinedBy(versions, ", "));
  return facts;
}

Facts WorkloadFacts(const Profile& profile) {
  Facts facts;
  Set(facts, "command", WithoutFolders(MetaText(profile, "command")));
  Set(facts, kExitStatus, std::string(MetaText(profile, "exit_status")));
  std::set<uint32_t> processes;
  for (const GpuContext& context : profile.gpu.contexts) processes.insert(context.process.value);
  if (!processes.empty()) Set(facts, "processes with a GPU", std::to_string(processes.size()));
  for (const Module& module : profile.modules) {
    const std::string_view name = BaseName(profile.Text(module.path));
    if (!name.starts_with("libtorch_cpu.so")) continue;
    Set(facts, "PyTorch build", std::string(profile.Text(module.build_id)));
  }
  return facts;
}

bool MayBeUnknown(const std::string& fact) {
  static constexpr const char* kFacts[] = {"CPU",           "GPU driver",    "Python",
                                           "sampling rate", "kernel time",   "GPU recording",
                                           "host",          "PyTorch build", kExitStatus};
  return std::find(std::begin(kFacts), std::end(kFacts), fact) != std::end(kFacts);
}

}  // namespace gprofx::compare
