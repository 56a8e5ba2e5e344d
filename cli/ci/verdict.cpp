#include "cli/ci/verdict.h"

#include <vector>

#include "cli/diff/diff.h"
#include "cli/files_json.h"
#include "cli/json_text.h"
#include "cli/report/number.h"
#include "cli/terminal/text.h"
#include "cli/terminal/wrap.h"
#include "core/redact/mask_arguments.h"

namespace gprofx {
namespace {

std::string Count(size_t count, const char* one, const char* many) {
  return Grouped(static_cast<int64_t>(count)) + " " + (count == 1 ? one : many);
}

std::string Pairs(size_t count, const CiRun& run) {
  return run.baseline.empty() ? Count(count, "pair", "pairs") : Count(count, "run", "runs");
}

const char* ConfirmationWord(Confirmation confirmation) {
  switch (confirmation) {
    case Confirmation::kOff:
      return "off";
    case Confirmation::kConfirmed:
      return "confirmed";
    case Confirmation::kRefuted:
      return "refuted";
    case Confirmation::kNoTime:
      return "no time";
    case Confirmation::kFewBaseRuns:
      return "few base runs";
    case Confirmation::kNotNeeded:
      break;
  }
  return "not needed";
}

std::string ConfirmationText(const CiRun& run, const CiResult& result) {
  const std::string fresh = Pairs(result.confirm_head.size(), run);
  switch (result.confirmation) {
    case Confirmation::kOff:
      return "something looked slower, but no fresh pairs confirm it (--confirm 0)";
    case Confirmation::kConfirmed:
      return "something looked slower, and so it does in " + fresh + " recorded to confirm it";
    case Confirmation::kRefuted:
      return "something looked slower, but " + fresh + " recorded afterwards do not confirm it";
    case Confirmation::kNoTime:
      return "something looked slower, but --time-limit left no time for fresh pairs";
    case Confirmation::kFewBaseRuns:
      return "something looked slower; fresh runs can confirm it if the baseline has " +
             std::to_string(2 * kMinFreshPairs) + " runs or more, half of them for each comparison";
    case Confirmation::kNotNeeded:
      break;
  }
  return "";
}

std::string HeadText(const CiRun& run, const CiResult& result, const Screen& screen) {
  std::vector<std::string> lines;
  const size_t pairs = result.head.size() - result.confirm_head.size();
  lines.push_back(Pairs(pairs, run) +
                  (run.baseline.empty() ? " in ABBA order" : " against baseline " + run.baseline) +
                  " in " + Duration(static_cast<int64_t>(result.seconds * 1e9)) + ", kept in " +
                  Printable(run.output));
  if (result.dropped > 0) {
    lines.push_back(Pairs(result.dropped, run) +
                    " at the start differed from the rest and did not count (warm-up)");
  }
  if (result.time_spent && pairs < run.pairs) {
    lines.push_back("--time-limit ended the job before " + Pairs(run.pairs, run) +
                    " were recorded");
  }
  if (result.left_running > 0) {
    lines.push_back(Count(result.left_running, "program that a run left running was ended",
                          "programs that runs left running were ended"));
  }
  if (const std::string text = ConfirmationText(run, result); !text.empty()) lines.push_back(text);
  std::string out;
  for (const std::string& line : lines) out += WrapWords("ci: " + line, screen.columns) + "\n";
  return out + "\n";
}

Json SideJson(const CiRun& run, const CiSide& side) {
  Json words = Json::array();
  for (const std::string& word : StoredCommand(CommandOf(run, side))) words.push_back(Utf8(word));
  return {{"command", std::move(words)}, {"folder", Utf8(side.folder)}};
}

Json MachineJson(const CiMachine& machine) {
  return {{"load", machine.load ? Json(*machine.load) : Json(nullptr)},
          {"governor", Utf8(machine.governor)},
          {"turbo", machine.turbo ? Json(*machine.turbo) : Json(nullptr)},
          {"cpus", machine.cpus},
          {"usable_cpus", machine.usable}};
}

}  // namespace

std::string CiVerdictText(const CiRun& run, const CiResult& result, const CiMachine&,
                          const Screen& screen) {
  DiffOptions options = run.diff.options;
  options.json = false;
  return HeadText(run, result, screen) +
         RenderDiff(result.diff, options, {screen, result.base, result.head});
}

std::string CiVerdictJson(const CiRun& run, const CiResult& result, const CiMachine& machine) {
  DiffOptions options = run.diff.options;
  options.json = true;
  Json json = Json::parse(RenderDiff(result.diff, options, {{}, result.base, result.head}));
  Json ci = {{"pairs_asked", run.pairs},
             {"pairs", result.head.size() - result.confirm_head.size()},
             {"order", run.baseline.empty() ? "ABBA" : "head only"},
             {"baseline", run.baseline.empty() ? Json(nullptr) : Json(Utf8(run.baseline))},
             {"warm_up_pairs", run.warm_up},
             {"dropped_pairs", result.dropped},
             {"time_limit_reached", result.time_spent},
             {"left_running", result.left_running},
             {"seconds", result.seconds},
             {"confirmation", ConfirmationWord(result.confirmation)},
             {"confirm_base", FilesJson(result.confirm_base)},
             {"confirm_head", FilesJson(result.confirm_head)},
             {"head", SideJson(run, run.head)},
             {"machine", MachineJson(machine)}};
  if (run.baseline.empty()) ci["base"] = SideJson(run, run.base);
  json["ci"] = std::move(ci);
  return PrintedJson(json, 1);
}

}  // namespace gprofx
