// Declares the table of the tools. It says which option of a command each argument becomes. Most
// arguments have the name, values and help of that option. The tables do not change.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace gprofx {

enum class ArgumentKind {
  kText,
  kCount,     // 1 or more
  kYes,       // boolean; true = the option is given
  kProfile,   // one file
  kProfiles,  // files or folders, as one name or as a list
};

struct ToolArgument {
  const char* name;
  ArgumentKind kind;
  const char* option;  // such as "limit"; "" = an operand; nullptr = the tool itself handles it
  const char* help;
  const char* choices = "";  // possible values, separated by blanks; "" = any
  bool is_required = false;
  const char* value = "";  // name of the value in the help, "RE"; "" = none
  int usual = 0;           // default of a count; 0 = that of the command
};

enum class ToolCommand { kList, kReport, kAnalyze, kAnnotate, kDiff };

struct Tool {
  const char* name;
  const char* title;
  const char* help;
  ToolCommand command;
  const char* option;  // option that selects the view, such as "--tree"; "" = none
  std::vector<ToolArgument> arguments;
};

// Returns the help of an argument, after the name of its value: "RE: Show only ...".
std::string DescriptionOf(const ToolArgument& argument);
std::span<const Tool> AllTools();
const Tool* FindTool(const std::string& name);

}  // namespace gprofx
