// Arguments of a tool, checked against its table. Pure but for the profiles, which are looked up.
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
  std::vector<std::string> args;           // of the command
  std::vector<ServedFile> files;           // among them
  std::map<std::string, std::string> own;  // of the tool itself, by name
  size_t most_bytes = 0;
};

// Nothing that an assistant sends becomes another option: values are written as --name=value,
// operands behind "--", and files by their absolute names.
Result<ToolRequest> ReadArguments(const Tool& tool, const nlohmann::json& arguments,
                                  const ServedFolders& folders);

}  // namespace gprofx
