#include "cli/report/text/hints.h"

#include "cli/terminal/text.h"

namespace gprofx {
namespace {

// The files as operands; nothing for the usual one, which need not be named.
struct Operand {
  bool usual = false;
  std::string quoted;  // "" = cannot be typed
};

constexpr size_t kMostTyped = 160;

Operand FileOperands(const Page& page) {
  const std::vector<std::string>& files = page.around.files;
  if (files.size() == 1 && files[0] == "profile.gprofx") return {true, ""};
  Operand operand;
  for (const std::string& file : files) {
    const std::string quoted = ShellQuoted(file.starts_with('-') ? "./" + file : file);
    if (quoted.empty()) return {};
    operand.quoted += (operand.quoted.empty() ? "" : " ") + quoted;
  }
  if (files.size() > 1 && operand.quoted.size() > kMostTyped) operand.quoted = "FILE...";
  return operand;
}

}  // namespace

std::string ShellQuoted(std::string_view text) {
  if (text.empty() || text.size() > 200 || Printable(text) != text) return "";
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:@%+=,-";
  if (text.find_first_not_of(kPlain) == std::string_view::npos) return std::string(text);
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

std::string CommandText(const Page& page, const std::string& arguments) {
  const Operand file = FileOperands(page);
  if (file.usual) return "gprof-x report " + arguments;
  return file.quoted.empty() ? "" : "gprof-x report " + file.quoted + " " + arguments;
}

std::string AnnotateCommand(const Page& page, const std::string& name) {
  const Operand file = FileOperands(page);
  if (file.usual) return "gprof-x annotate " + name;
  if (page.around.files.size() > 1) return "";  // it reads one file
  return file.quoted.empty() ? "" : "gprof-x annotate " + name + " " + file.quoted;
}

std::string HintLines(const std::vector<std::string>& commands) {
  std::string out;
  for (const std::string& command : commands) {
    if (!command.empty()) out += (out.empty() ? "Next: " : "      ") + command + "\n";
  }
  return out;
}

}  // namespace gprofx
