#include "cli/report/text/hints.h"

#include "cli/terminal/text.h"

namespace gprofx {
namespace {

// The files of the report as operands of a command. The default file need not be named.
struct Operand {
  bool usual = false;
  std::string quoted;  // "" = the file name cannot be typed
};

constexpr size_t kMaxTyped = 160;

Operand FileOperands(const Page& page) {
  const std::vector<std::string>& files = page.around.files;
  if (page.around.files_are_redacted) return {};
  if (files.size() == 1 && files[0] == "profile.gprofx") return {true, ""};
  Operand operand;
  for (const std::string& file : files) {
    const std::string quoted = ShellQuoted(file.starts_with('-') ? "./" + file : file);
    if (quoted.empty()) return {};
    operand.quoted += (operand.quoted.empty() ? "" : " ") + quoted;
  }
  if (files.size() > 1 && operand.quoted.size() > kMaxTyped) operand.quoted = "FILE...";
  return operand;
}

// Returns the option by which a command selects the same range as the report.
std::string PartOption(const View& view) {
  const PartQuery& asked = view.query.part;
  if (asked.all) return " --phase all";
  if (asked.phase) return std::string(" --phase ") + PhaseName(*asked.phase);
  if (asked.steps) {
    return " --steps " + std::to_string(asked.steps->first) + ".." +
           std::to_string(asked.steps->last);
  }
  if (!asked.range || !view.profile.part) return "";
  const TimeRange range = view.profile.part->range;
  return " --range " + std::to_string(range.begin) + "ns.." + std::to_string(range.end) + "ns";
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

std::string RowHandle(const Page& page, const char* mark, size_t row) {
  // Quote the handle, because # starts a comment in a shell.
  return page.view.is_numbered ? std::string("'") + mark + std::to_string(row + 1) + "'" : "";
}

std::string NameOrRow(const Page& page, const std::string& name, const char* mark, size_t row) {
  constexpr size_t kLongestName = 40;
  const std::string quoted = ShellQuoted(name);
  return !quoted.empty() && quoted.size() <= kLongestName ? quoted : RowHandle(page, mark, row);
}

std::string CommandText(const Page& page, const std::string& arguments) {
  const Operand file = FileOperands(page);
  const std::string scope =
      PartOption(page.view) + (page.view.profile.corrected ? " --corrected" : "");
  if (file.usual) return "gprof-x report " + arguments + scope;
  return file.quoted.empty() ? "" : "gprof-x report " + file.quoted + " " + arguments + scope;
}

std::string AnnotateCommand(const Page& page, const std::string& name) {
  const Operand file = FileOperands(page);
  if (file.usual) return "gprof-x annotate " + name;
  if (page.around.files.size() > 1) return "";  // annotate takes only one file
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
