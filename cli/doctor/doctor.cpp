#include "cli/doctor/doctor.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "cli/command.h"
#include "cli/doctor/measure.h"
#include "cli/errors/catalogue.h"
#include "cli/json_text.h"
#include "cli/options/fields.h"
#include "cli/options/shared.h"
#include "cli/terminal/text.h"

namespace gprofx {
namespace {

constexpr char kCommand[] = "gprof-x doctor";

constexpr OptionSpec kSpecs[] = {
    {"fix", nullptr, nullptr,
     "Print a shell script that fixes the problems. The command does not run the script."},
    {"measure-device", "FILE", nullptr,
     "Measure the sustained rates of this GPU and write them to FILE, for gprof-x forecast "
     "--device."},
    option::Json(),
    option::kColor,
    option::kHelp,
};

const char* Word(Health health) {
  switch (health) {
    case Health::kOk:
      return "ok";
    case Health::kWarn:
      return "warn";
    case Health::kFail:
      return "fail";
  }
  return "";
}

bool Works(const std::vector<Check>& checks) {
  return std::none_of(checks.begin(), checks.end(),
                      [](const Check& check) { return check.health == Health::kFail; });
}

// Wraps `text` at blanks, and indents all lines except the first.
std::string Wrapped(std::string_view text, int columns, int indent) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const size_t end = text.find(' ');
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return WrapParts(words.data(), words.size(), " ", columns - indent, 0);
}

std::string Indented(const std::string& lines, int indent) {
  std::string out;
  for (const char c : lines) {
    out += c;
    if (c == '\n') out.append(static_cast<size_t>(indent), ' ');
  }
  return out;
}

int Fail(const Error& error) {
  fprintf(stderr, "%s: %s\n", kCommand, error.TextWithId().c_str());
  return 2;
}

}  // namespace

std::string DoctorText(const std::vector<Check>& checks, const Screen& screen) {
  constexpr int kIndent = 20;
  std::string out;
  for (const Check& check : checks) {
    std::string state = Word(check.health);
    state.resize(6, ' ');
    std::string name = check.name;
    name.resize(14, ' ');
    const Ink ink = check.health == Health::kOk     ? Ink::kGood
                    : check.health == Health::kWarn ? Ink::kWarn
                                                    : Ink::kBad;
    out += Paint(screen, ink, state) + name +
           Indented(Wrapped(Printable(check.detail), screen.columns, kIndent), kIndent) + "\n";
    // Do not wrap a command, because the user may want to copy it.
    if (!check.fix.empty())
      out += std::string(kIndent, ' ') + "fix: " + Printable(check.fix) + "\n";
  }
  out += Works(checks) ? "\nRecording works here.\n"
                       : "\nRecording does not work here: see fail above.\n";
  return out;
}

std::string DoctorJson(const std::vector<Check>& checks) {
  Json rows = Json::array();
  for (const Check& check : checks) {
    rows.push_back({{"name", check.name},
                    {"state", Word(check.health)},
                    {"detail", check.detail},
                    {"fix", check.fix}});
  }
  const Json json = {{"schema", "gprof-x.doctor/1"}, {"works", Works(checks)}, {"checks", rows}};
  return PrintedJson(json, 1);
}

std::span<const OptionSpec> DoctorOptionSpecs() { return kSpecs; }

std::string DoctorHelp() {
  return "Usage: gprof-x doctor [OPTION...]\n"
         "Checks whether this machine meets the requirements for recording, and says how\n"
         "to fix problems.\n\n" +
         OptionHelp(kSpecs);
}

int RunDoctor(const std::vector<std::string>& args) {
  const Result<ParsedOptions> parsed = ParseOptions(kCommand, kSpecs, args);
  if (!parsed) return Fail(parsed.error());
  if (parsed->Has("help")) return Print(kCommand, DoctorHelp(), "the help");
  if (!parsed->operands.empty()) {
    return Fail({ErrorId::kBadOperands,
                 "unexpected argument '" + FitEnd(Printable(parsed->operands[0]), 40) + "'",
                 "'gprof-x doctor --help' lists the options"});
  }
  if (parsed->Has("fix") && (parsed->Has("json") || parsed->Has("measure-device"))) {
    return Fail(CannotCombine("--fix", parsed->Has("json") ? "--json" : "--measure-device"));
  }
  ColorWhen color = ColorWhen::kAuto;
  const Status read = ReadOptions(*parsed, {{"color", &color}});
  if (!read) return Fail(read.error());
  if (parsed->Has("measure-device")) {
    if (parsed->Has("json")) {
      return Fail(CannotCombine("--measure-device", "--json"));
    }
    const Result<std::string> told = MeasureDevice(parsed->values.at("measure-device"));
    if (!told) return Fail(told.error());
    return Print(kCommand, *told, "the answer");
  }
  const std::vector<Check> checks = AllChecks();
  const bool fix = parsed->Has("fix");
  const std::string text = fix ? DoctorFixScript(checks)
                           : parsed->Has("json")
                               ? DoctorJson(checks)
                               : DoctorText(checks, DetectScreen(STDOUT_FILENO, color));
  if (const int failed = Print(kCommand, text, "the answer"); failed != 0) return failed;
  return fix || Works(checks) ? 0 : 2;
}

}  // namespace gprofx
