// Checks the arguments of a call against the table of the tool. Pure, except that it opens the
// profiles.
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
  std::vector<std::string> args;           // arguments of the command
  std::vector<ServedFile> files;           // the files that `args` names
  std::map<std::string, std::string> own;  // by name: arguments that the tool itself handles
  size_t most_bytes = 0;
};

// Returns the command line for a call of `tool`, or an Error if the arguments are invalid. An
// assistant's input cannot become an additional option: values are written as --name=value,
// operands follow "--", and files have absolute names.
Result<ToolRequest> ReadArguments(const Tool& tool, const nlohmann::json& arguments,
                                  const ServedFolders& folders);

}  // namespace gprofx
