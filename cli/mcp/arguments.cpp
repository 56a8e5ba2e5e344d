#include "cli/mcp/arguments.h"

#include <algorithm>
#include <sstream>

#include "cli/mcp/tools.h"
#include "cli/options/fields.h"
#include "cli/terminal/text.h"

namespace gprofx {
namespace {

constexpr size_t kMaxFiles = 200;  // maximum number of files on one side of a comparison
constexpr size_t kLongestValue = 4000;
constexpr char kMaxBytes[] = "max_bytes";

std::string Quoted(const std::string& text) { return "'" + FitEnd(Printable(text), 60) + "'"; }

bool IsChoice(const std::string& value, const std::string& choices) {
  std::istringstream words(choices);
  for (std::string word; words >> word;) {
    if (word == value) return true;
  }
  return choices.empty();
}

std::string NamesOf(const Tool& tool) {
  std::string names;
  for (const ToolArgument& argument : tool.arguments) names += std::string(argument.name) + ", ";
  return names + kMaxBytes;
}

bool IsKnown(const Tool& tool, const std::string& name) {
  return name == kMaxBytes || std::any_of(tool.arguments.begin(), tool.arguments.end(),
                                          [&](const ToolArgument& a) { return name == a.name; });
}

Status CheckNames(const Tool& tool, const nlohmann::json& arguments) {
  for (const auto& item : arguments.items()) {
    if (!IsKnown(tool, item.key())) {
      return Error{ErrorId::kBadRequest,
                   std::string(tool.name) + " has no argument " + Quoted(item.key()),
                   "its arguments are " + NamesOf(tool)};
    }
  }
  return Ok();
}

Error Wrong(const ToolArgument& argument, const std::string& wanted) {
  return {ErrorId::kBadRequest, "argument '" + std::string(argument.name) + "' needs " + wanted,
          DescriptionOf(argument)};
}

// Returns the value of an argument in the form that the command accepts. Returns "" if the argument
// is not given.
Result<std::string> ReadValue(const ToolArgument& argument, const nlohmann::json& value) {
  if (argument.kind == ArgumentKind::kYes) {
    if (!value.is_boolean()) return Wrong(argument, "true or false");
    return std::string(value.get<bool>() ? "yes" : "");
  }
  if (argument.kind == ArgumentKind::kCount) {
    const bool fits = value.is_number_integer() && value > 0 && value <= kMaxLimit;
    if (!fits) return Wrong(argument, "a whole number of 1 or more");
    return std::to_string(value.get<int64_t>());
  }
  if (!value.is_string()) return Wrong(argument, "a text");
  const std::string text = value.get<std::string>();
  if (text.size() > kLongestValue || text.find('\0') != std::string::npos) {
    return Wrong(argument,
                 "a text without NUL of at most " + std::to_string(kLongestValue) + " bytes");
  }
  if (!IsChoice(text, argument.choices)) {
    return Wrong(argument, "one of " + std::string(argument.choices) + ", not " + Quoted(text));
  }
  return text;
}

Result<std::vector<ServedFile>> ReadProfiles(const ToolArgument& argument,
                                             const nlohmann::json& value,
                                             const ServedFolders& folders) {
  const nlohmann::json list = value.is_array() ? value : nlohmann::json::array({value});
  std::vector<ServedFile> files;
  for (const nlohmann::json& item : list) {
    if (!item.is_string()) return Wrong(argument, "names of files or folders");
    const Result<std::vector<ServedFile>> found = folders.FindAll(item.get<std::string>());
    if (!found) return found.error();
    files.insert(files.end(), found->begin(), found->end());
    if (files.size() > kMaxFiles) {
      return Wrong(argument, "at most " + std::to_string(kMaxFiles) + " profiles");
    }
  }
  if (files.empty()) return Wrong(argument, "at least one profile");
  return files;
}

std::string Flag(const ToolArgument& argument) { return std::string("--") + argument.option; }

struct Operands {
  std::vector<std::string> words;              // names of kernels or analyses
  std::vector<std::vector<ServedFile>> sides;  // one side, or the two of a comparison
};

Status ReadArgument(const ToolArgument& argument, const nlohmann::json& value,
                    const ServedFolders& folders, ToolRequest& request, Operands& operands) {
  if (argument.kind == ArgumentKind::kProfiles) {
    Result<std::vector<ServedFile>> files = ReadProfiles(argument, value, folders);
    if (!files) return files.error();
    operands.sides.push_back(std::move(*files));
    return Ok();
  }
  const Result<std::string> text = ReadValue(argument, value);
  if (!text) return text.error();
  if (argument.kind == ArgumentKind::kProfile) {
    const Result<ServedFile> file = folders.Find(*text);
    if (!file) return file.error();
    operands.sides.push_back({*file});
  } else if (text->empty() && !argument.is_required) {
    return Ok();
  } else if (argument.option == nullptr) {
    request.own[argument.name] = *text;
  } else if (*argument.option == 0) {
    operands.words.push_back(*text);
  } else if (argument.kind == ArgumentKind::kYes) {
    request.args.push_back(Flag(argument));
  } else {
    request.args.push_back(Flag(argument) + "=" + *text);
  }
  return Ok();
}

Result<size_t> ReadMaxBytes(const nlohmann::json& arguments) {
  const auto given = arguments.find(kMaxBytes);
  if (given == arguments.end()) return kUsualAnswer;
  const bool fits = given->is_number_integer() && *given >= int64_t{kShortestAnswer} &&
                    *given <= int64_t{kLongestAnswer};
  if (fits) return given->get<size_t>();
  return Error{ErrorId::kBadRequest,
               "argument 'max_bytes' needs a number from " + std::to_string(kShortestAnswer) +
                   " to " + std::to_string(kLongestAnswer),
               "the default is " + std::to_string(kUsualAnswer)};
}

}  // namespace

Result<ToolRequest> ReadArguments(const Tool& tool, const nlohmann::json& arguments,
                                  const ServedFolders& folders) {
  if (const Status known = CheckNames(tool, arguments); !known) return known.error();
  ToolRequest request;
  const Result<size_t> most_bytes = ReadMaxBytes(arguments);
  if (!most_bytes) return most_bytes.error();
  request.most_bytes = *most_bytes;
  if (*tool.option != 0) request.args.emplace_back(tool.option);
  Operands operands;
  for (const ToolArgument& argument : tool.arguments) {
    const auto given = arguments.find(argument.name);
    if (given == arguments.end() || given->is_null()) {
      if (argument.is_required) {
        return Error{ErrorId::kBadRequest,
                     std::string(tool.name) + " needs argument '" + argument.name + "'",
                     argument.help};
      }
      if (argument.usual > 0) {
        request.args.push_back(Flag(argument) + "=" + std::to_string(argument.usual));
      }
      continue;
    }
    const Status read = ReadArgument(argument, *given, folders, request, operands);
    if (!read) return read.error();
  }
  // "--" separates the sides of a comparison.
  if (operands.sides.size() < 2) request.args.emplace_back("--");
  for (const std::string& word : operands.words) request.args.push_back(word);
  for (size_t i = 0; i < operands.sides.size(); ++i) {
    if (i > 0) request.args.emplace_back("--");
    for (const ServedFile& file : operands.sides[i]) {
      request.args.push_back(file.path);
      request.files.push_back(file);
    }
  }
  return request;
}

}  // namespace gprofx
