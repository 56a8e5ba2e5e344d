// Checks the arguments of a tool against its table. Pure, except that it opens the profiles.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/json_text.h"
#include "cli/mcp/served_folders.h"
#include "cli/mcp/tool_table.h"
#include "core/base/result.h"

namespace gprofx {

struct ToolRequest {
  std::vector<std::string> args;           // for the command
  std::vector<ServedFile> files;           // files in `args`
  std::map<std::string, std::string> own;  // for the tool itself, by name
  size_t most_bytes = 0;
};

// Returns the command line for the arguments of a call, or an Error if they do not fit the tool.
// Input of an assistant cannot become another option, because values are written as --name=value,
// operands after "--", and files by their absolute names.
Result<ToolRequest> ReadArguments(const Tool& tool, const nlohmann::json& arguments,
                                  const ServedFolders& folders);

}  // namespace gprofx
