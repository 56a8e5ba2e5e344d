#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "cli/analyze/findings.h"
#include "cli/diff/outputs/sarif.h"
#include "cli/report/number.h"
#include "cli/terminal/text.h"

namespace gprofx {
namespace {

Notice NoticeOf(const findings::Inefficiency& row, const findings::FindingReport& report) {
  Notice notice;
  notice.rule = row.rule->id;
  notice.level = NoticeLevel::kWarning;
  notice.identity = std::string(row.rule->id) + " " + row.function;
  notice.title = row.rule->title;
  std::string text = row.summary + ": " + SavingText(row, report) + ".";
  for (const std::string& evidence : row.evidence) text += " Seen: " + evidence + ".";
  notice.text = Printable(text + " To do: " + row.rule->advice + ".");
  notice.name = row.function;
  notice.file = row.file;
  notice.line = row.line;
  return notice;
}

}  // namespace

OutputPlace PlaceOfFindings() {
  OutputPlace place;
  std::error_code failed;
  const std::filesystem::path folder = std::filesystem::current_path(failed);
  place.roots.push_back(failed ? "/" : folder.string());
  place.exists = [](const std::string& path) { return access(path.c_str(), F_OK) == 0; };
  return place;
}

std::string FindingsSarif(const std::vector<FileFindings>& runs, const OutputPlace& place) {
  std::vector<NoticeRule> rules;
  std::vector<std::string> ids;
  for (const findings::FindingRule& rule : findings::FindingRules()) {
    rules.push_back({rule.id, rule.title});
    ids.push_back(rule.id);
  }
  std::vector<Notice> notices;
  for (const FileFindings& run : runs) {
    for (const findings::Inefficiency& row : run.report.rows)
      notices.push_back(NoticeOf(row, run.report));
  }
  const Json properties = {
      {"verdict", Grouped(static_cast<int64_t>(notices.size())) + " findings"}};
  return NoticesSarif(notices, rules, ids, properties, place);
}

}  // namespace gprofx
