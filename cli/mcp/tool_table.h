// The tools, and how their arguments map to options of a command. Data.
#pragma once

#include <span>
#include <string>

namespace gprofx {

enum class ArgumentKind {
  kText,
  kCount,     // 1 or more
  kYes,       // true = the option is given
  kProfile,   // one file
  kProfiles,  // names of files or folders, one or a list
};

struct ToolArgument {
  const char* name;
  ArgumentKind kind;
  const char* option;  // "--limit"; "" = operand, nullptr = for the tool itself
  const char* help;
  const char* choices = "";  // separated by blanks; "" = any
  bool is_required = false;
  const char* usual = "";  // default
};

enum class ToolCommand { kList, kReport, kAnalyze, kAnnotate, kDiff };

struct Tool {
  const char* name;
  const char* title;
  const char* help;
  ToolCommand command;
  const char* option;  // selects the view: "--tree"; "" = none
  std::span<const ToolArgument> arguments;
};

std::span<const Tool> AllTools();
const Tool* FindTool(const std::string& name);

}  // namespace gprofx
