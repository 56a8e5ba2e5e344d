// Which tools there are, and how their arguments become options of a command. Data.
#pragma once

#include <span>
#include <string>

namespace gprofx {

enum class ArgumentKind {
  kText,
  kCount,     // from 1 on
  kYes,       // true: the option is given
  kProfile,   // one file
  kProfiles,  // names of files or folders, one or a list
};

struct ToolArgument {
  const char* name;
  ArgumentKind kind;
  const char* option;  // of the command: "--limit"; "" = an operand, nullptr = for the tool itself
  const char* help;
  const char* choices = "";  // separated by blanks; "" = any
  bool is_required = false;
  const char* usual = "";  // where it is not given
};

enum class ToolCommand { kList, kReport, kAnalyze, kAnnotate, kDiff };

struct Tool {
  const char* name;
  const char* title;
  const char* help;
  ToolCommand command;
  const char* option;  // that makes the view: "--tree"; "" = none
  std::span<const ToolArgument> arguments;
};

std::span<const Tool> AllTools();
const Tool* FindTool(const std::string& name);

}  // namespace gprofx
