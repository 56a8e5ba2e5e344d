#include "symbolize/dwarf/debuginfod.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "core/base/command_output.h"

namespace gprofx {

Result<std::string> FetchDebugFile(const std::string& build_id, const std::string& helper) {
  const char* servers = std::getenv("DEBUGINFOD_URLS");
  if (servers == nullptr || *servers == '\0') {
    return Error{ErrorId::kCannotRead, "no debuginfod server is set", "set DEBUGINFOD_URLS"};
  }
  constexpr size_t kMaxAnswer = 8192;
  const std::optional<CommandEnd> end =
      RunCommand({helper, "debuginfod", build_id}, kFetchSeconds * 1000, {kMaxAnswer, false});
  if (!end) {
    return Error{ErrorId::kBadInstallation, "cannot start " + helper,
                 "install gprof-x with its lib folder"};
  }
  const std::string answer = end->output.substr(0, end->output.find('\n'));
  if (end->succeeded && answer.starts_with('/')) return answer;
  return Error{ErrorId::kCannotRead,
               "no debug file from debuginfod: " + (end->was_killed ? "it took too long" : answer)};
}

}  // namespace gprofx
