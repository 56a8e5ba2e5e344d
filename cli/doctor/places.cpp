#include "cli/doctor/places.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "cli/doctor/checks.h"
#include "core/base/command_output.h"

namespace gprofx {

namespace fs = std::filesystem;

std::string Variable(const char* name) {
  const char* value = getenv(name);
  return value == nullptr ? "" : value;
}

std::vector<std::string> PythonsOnPath() {
  std::vector<std::string> names = {"python3", "python"};
  for (int minor = 6; minor <= 16; ++minor) names.push_back("python3." + std::to_string(minor));
  const std::string path = Variable("PATH");
  std::string_view rest = path;
  std::vector<std::string> found;
  std::set<std::string> seen;
  while (!rest.empty()) {
    const size_t end = rest.find(':');
    const fs::path folder = std::string(rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (!folder.is_absolute()) continue;
    for (const std::string& name : names) {
      const fs::path file = folder / name;
      std::error_code error;
      const fs::path real = fs::canonical(file, error);
      if (error || access(file.c_str(), X_OK) != 0 || !fs::is_regular_file(real, error)) continue;
      if (seen.insert(real.string()).second) found.push_back(file.string());
    }
  }
  return found;
}

std::vector<std::string> PythonPackages() {
  std::vector<std::string> folders;
  for (const std::string& python : PythonsOnPath()) {
    const auto lines = CommandOutput({python, "-c", "import sys; print('\\n'.join(sys.path))"},
                                     kPythonMilliseconds);
    if (!lines) continue;
    std::string_view rest = *lines;
    while (!rest.empty()) {
      const std::string_view line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(rest.size(), line.size() + 1));
      if (line.ends_with("-packages")) folders.emplace_back(line);
    }
  }
  return folders;
}

std::vector<std::string> CudaHomes() {
  std::vector<std::string> homes;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const std::string home = Variable(variable); !home.empty()) homes.push_back(home);
  }
  homes.emplace_back("/usr/local/cuda");
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator("/usr/local", error)) {
    if (entry.path().filename().string().starts_with("cuda-"))
      homes.push_back(entry.path().string());
  }
  return homes;
}

fs::path OwnLibrary(const char* name) {
  std::error_code error;
  const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  return (folder / ".." / "lib" / "gprof-x" / name).lexically_normal();
}

std::optional<std::string> AskForeign(std::vector<std::string> question, int milliseconds) {
  question.insert(question.begin(), OwnLibrary(kForeignName).string());
  return CommandOutput(question, milliseconds);
}

}  // namespace gprofx
