#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "cli/baseline_store.h"
#include "cli/ci/ci.h"
#include "cli/command.h"
#include "cli/diff/sides.h"
#include "cli/json_text.h"
#include "cli/options/fields.h"
#include "cli/options/shared.h"
#include "cli/report/number.h"
#include "cli/terminal/table.h"
#include "cli/terminal/text.h"
#include "cli/terminal/wrap.h"

namespace gprofx {
namespace {

constexpr char kBaselineCommand[] = "gprof-x ci baseline";
constexpr size_t kMaxKept = 1'000'000;

constexpr OptionSpec kBaselineSpecs[] = {
    {"folder", "DIR", nullptr, "Store the baselines in DIR (default: .gprof-x-baselines)."},
    {"commit", "ID", nullptr, "With save, store ID as the recorded version."},
    {"keep", "N", nullptr, "With prune, keep the latest N baselines of each name."},
    option::Json("With list and show, print stable JSON instead of text."),
    option::kColor,
    option::kHelp,
};

struct Asked {
  ParsedOptions parsed;
  std::vector<std::string> operands;  // after the verb
  std::string folder = kDefaultBaselines;
  Screen screen;
};

std::string Short(const std::string& text, int columns) { return FitEnd(Printable(text), columns); }

std::string Bytes(const Baseline& baseline) {
  uint64_t sum = 0;
  for (const BaselineFile& file : baseline.files) sum += file.bytes;
  return Grouped(static_cast<int64_t>(sum / 1024)) + " KiB";
}

std::string MeanText(const Baseline& baseline) {
  return Duration(static_cast<int64_t>(baseline.mean_ns)) + " " + Printable(baseline.metric);
}

int Save(const Asked& asked) {
  if (asked.operands.size() < 2) {
    return Fail(kBaselineCommand,
                {ErrorId::kBadOperands, "save needs a name and profiles",
                 "run gprof-x ci baseline save NAME FILE..., or name a folder of profiles"});
  }
  const std::string& name = asked.operands[0];
  if (!IsBaselineName(name)) {
    return Fail(kBaselineCommand, {ErrorId::kNoBaseline,
                                   "'" + Short(name, 40) + "' is not a valid name of a baseline",
                                   "use letters, digits, '.', '_' and '-', for example main"});
  }
  const Result<std::vector<std::string>> files =
      ProfilesOf({asked.operands.begin() + 1, asked.operands.end()});
  if (!files) return Fail(kBaselineCommand, files.error());
  const Result<std::vector<compare::Run>> runs = ReadRuns(*files);
  if (!runs) return Fail(kBaselineCommand, runs.error());
  BaselineStore store(asked.folder);
  const Result<Baseline> saved = store.Save(name, ValueOf(asked.parsed, "commit"), *files, *runs);
  if (!saved) return Fail(kBaselineCommand, saved.error());
  const std::string count = std::to_string(saved->files.size());
  return Print(kBaselineCommand,
               WrapWords("saved " + name + ": " + count +
                             (count == "1" ? " run of " : " runs of ") + MeanText(*saved),
                         asked.screen.columns) +
                   "\n",
               "the answer");
}

std::string JsonList(const std::vector<Baseline>& list) {
  Json all = Json::array();
  for (const Baseline& one : list) all.push_back(Json::parse(BaselineText(one)));
  const Json json = {{"schema", "gprof-x.baselines/1"}, {"baselines", std::move(all)}};
  return PrintedJson(json, 1);
}

int List(const Asked& asked) {
  const Result<std::vector<Baseline>> list = BaselineStore(asked.folder).All();
  if (!list) return Fail(kBaselineCommand, list.error());
  if (asked.parsed.Has("json")) return Print(kBaselineCommand, JsonList(*list), "the list");
  Table table({{"name", Align::kLeft, 1, &FitEnd},
               {"saved"},
               {"runs", Align::kRight},
               {"size", Align::kRight},
               {"mean", Align::kRight},
               {"commit", Align::kLeft, 1, &FitEnd}});
  for (const Baseline& one : *list) {
    table.Add({Printable(one.name), Printable(one.saved), std::to_string(one.files.size()),
               Bytes(one), MeanText(one), Printable(one.commit)});
  }
  return Print(kBaselineCommand, table.Render(asked.screen, false), "the list");
}

std::string ShowText(const Baseline& baseline, int columns) {
  std::string text =
      "baseline " + Printable(baseline.name) + ", saved " + Printable(baseline.saved);
  if (!baseline.commit.empty()) text += ", commit " + Short(baseline.commit, 40);
  text = WrapWords(text, columns) + "\n";
  text += MeanText(baseline) + " per run; " + Bytes(baseline) + "\n\n";
  for (const auto& [what, facts] :
       {std::pair("machine", &baseline.machine), std::pair("program", &baseline.workload)}) {
    for (const auto& [name, value] : *facts) {
      text += std::string(what) + "  " + Short(name, 20) + ": " + Short(value, 48) + "\n";
    }
  }
  text += "\n";
  for (const BaselineFile& file : baseline.files) {
    text += file.sha256.substr(0, 16) + "  " + Short(file.name, 60) + "\n";
  }
  return text;
}

int Show(const Asked& asked) {
  if (asked.operands.size() != 1) {
    return Fail(kBaselineCommand, {ErrorId::kBadOperands, "show needs one name",
                                   "'gprof-x ci baseline list' lists all"});
  }
  const BaselineStore store(asked.folder);
  const Result<std::vector<Baseline>> list = store.Named(asked.operands[0]);
  if (!list) return Fail(kBaselineCommand, list.error());
  const Result<std::vector<std::string>> files = store.FilesOf(list->back());
  if (!files) return Fail(kBaselineCommand, files.error());
  return Print(kBaselineCommand,
               asked.parsed.Has("json") ? BaselineText(list->back())
                                        : ShowText(list->back(), asked.screen.columns),
               "the baseline");
}

int Prune(const Asked& asked) {
  if (!asked.parsed.Has("keep") || !asked.operands.empty()) {
    return Fail(kBaselineCommand,
                {ErrorId::kBadOperands, "prune needs option '--keep' and no other argument",
                 "for example --keep 20"});
  }
  const Result<size_t> keep = ParseCount("--keep", asked.parsed.values.at("keep"), kMaxKept);
  if (!keep) return Fail(kBaselineCommand, keep.error());
  BaselineStore store(asked.folder);
  const Result<BaselineStore::Pruned> pruned = store.Prune(*keep);
  if (!pruned) return Fail(kBaselineCommand, pruned.error());
  return Print(kBaselineCommand,
               "removed " + std::to_string(pruned->baselines) + " baselines and " +
                   std::to_string(pruned->files) + " profiles\n",
               "the answer");
}

}  // namespace

std::span<const OptionSpec> CiBaselineOptionSpecs() { return kBaselineSpecs; }

std::string CiBaselineHelp() {
  return "Usage: gprof-x ci baseline save NAME FILE|FOLDER... [--commit ID]\n"
         "       gprof-x ci baseline list | show NAME | prune --keep N\n"
         "Stores recordings of a version for later comparisons. To compare a version with\n"
         "a baseline, use 'gprof-x ci run --baseline NAME' or\n"
         "'gprof-x diff baseline:NAME HEAD'.\n\n" +
         OptionHelp(kBaselineSpecs) + "\nExit status: 0, or 2 if an error occurs.\n";
}

int RunCiBaseline(const std::vector<std::string>& args) {
  Result<ParsedOptions> parsed = ParseOptions(kBaselineCommand, kBaselineSpecs, args);
  if (!parsed) return Fail(kBaselineCommand, parsed.error());
  if (parsed->Has("help")) return Print(kBaselineCommand, CiBaselineHelp(), "the help");
  Asked asked{*parsed, parsed->operands};
  ColorWhen color = ColorWhen::kAuto;
  const Status read = ReadOptions(*parsed, {{"color", &color}, {"folder", &asked.folder}});
  if (!read) return Fail(kBaselineCommand, read.error());
  asked.screen = DetectScreen(STDOUT_FILENO, color);
  const std::string verb = asked.operands.empty() ? "" : asked.operands[0];
  if (!asked.operands.empty()) asked.operands.erase(asked.operands.begin());
  if (asked.folder.empty()) {
    return Fail(kBaselineCommand, BadValue("--folder", "the name of a folder", ""));
  }
  if (verb == "save") return Save(asked);
  if (verb == "list") return List(asked);
  if (verb == "show") return Show(asked);
  if (verb == "prune") return Prune(asked);
  return Fail(kBaselineCommand,
              {verb.empty() ? ErrorId::kBadOperands : ErrorId::kUnknownOption,
               verb.empty() ? "no action is given" : "unknown action '" + Short(verb, 40) + "'",
               "use save NAME FILE..., list, show NAME or prune --keep N"});
}

}  // namespace gprofx
