#include "cli/cuda_tool.h"

#include <unistd.h>

#include <string_view>

namespace gprofx {

std::string FindCudaTool(const std::string& name,
                         const std::function<const char*(const char*)>& env,
                         const std::vector<std::string>& more) {
  std::vector<std::string> folders;
  const char* path = env("PATH");
  for (std::string_view rest = path == nullptr ? "" : path; !rest.empty();) {
    const size_t end = rest.find(':');
    // Skip relative paths, because their meaning depends on the user's working directory.
    if (rest.front() == '/') folders.emplace_back(rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  const char* cuda = env("CUDA_HOME");
  if (cuda != nullptr && cuda[0] == '/') folders.push_back(std::string(cuda) + "/bin");
  folders.emplace_back("/usr/local/cuda/bin");
  folders.insert(folders.end(), more.begin(), more.end());
  for (const std::string& folder : folders) {
    std::string file = folder + "/" + name;
    if (access(file.c_str(), X_OK) == 0) return file;
  }
  return "";
}

}  // namespace gprofx
