// Formats notices as SARIF 2.1.0 (OASIS). GitHub's code scanning rejects a file in which a result
// has no place, so notices without a source file use the fallback file. GitHub accepts at most
// 25,000 results and keeps 5,000, so the least important results beyond 5,000 are omitted.
#include "cli/diff/outputs/sarif.h"

#include <algorithm>

#include "cli/diff/outputs/formats.h"
#include "cli/diff/words.h"
#include "cli/json_text.h"
#include "cli/terminal/text.h"

namespace gprofx {
namespace {

constexpr size_t kMaxResults = 5'000;
constexpr char kRoot[] = "%SRCROOT%";
constexpr int kMaxNameColumns = 1'000;

Json PlaceJson(const Notice& notice, const OutputPlace& place) {
  const SourcePlace source = PlaceOf(notice, place);
  Json artifact = {{"uri", PercentEncoded(place.fallback)}, {"uriBaseId", kRoot}};
  if (source.is_ours) {
    artifact["uri"] = PercentEncoded(source.path);
  } else if (!source.path.empty()) {
    artifact = {{"uri", "file://" + PercentEncoded(source.path)}};
  }
  Json json = {{"physicalLocation",
                {{"artifactLocation", std::move(artifact)},
                 {"region", {{"startLine", std::max(source.line, 1u)}}}}}};
  if (!notice.name.empty()) {
    json["logicalLocations"] =
        Json::array({{{"fullyQualifiedName", FitEnd(Printable(notice.name), kMaxNameColumns)},
                      {"kind", "function"}}});
  }
  return json;
}

Json ResultJson(const Notice& notice, size_t rule, const OutputPlace& place) {
  Json json = {{"ruleId", notice.rule},
               {"ruleIndex", rule},
               {"level", notice.level == NoticeLevel::kError ? "error" : "warning"},
               {"message", {{"text", notice.text}}},
               {"locations", Json::array({PlaceJson(notice, place)})},
               {"partialFingerprints", {{"gprofx/v1", Fingerprint(notice)}}}};
  if (!notice.suppressed_by.empty()) {
    json["suppressions"] =
        Json::array({{{"kind", "external"}, {"justification", Printable(notice.suppressed_by)}}});
  }
  return json;
}

Json RulesJson(const std::vector<NoticeRule>& rules, const std::vector<std::string>& warnings) {
  Json list = Json::array();
  for (const NoticeRule& rule : rules) {
    const bool is_warning = std::find(warnings.begin(), warnings.end(), rule.id) != warnings.end();
    list.push_back({{"id", rule.id},
                    {"shortDescription", {{"text", rule.what}}},
                    {"defaultConfiguration", {{"level", is_warning ? "warning" : "error"}}}});
  }
  return list;
}

}  // namespace

std::string NoticesSarif(const std::vector<Notice>& notices, const std::vector<NoticeRule>& rules,
                         const std::vector<std::string>& warnings, const Json& properties,
                         const OutputPlace& place) {
  Json results = Json::array();
  for (const Notice& notice : notices) {
    if (results.size() == kMaxResults) break;
    const auto rule = std::find_if(rules.begin(), rules.end(),
                                   [&](const NoticeRule& each) { return each.id == notice.rule; });
    results.push_back(ResultJson(notice, static_cast<size_t>(rule - rules.begin()), place));
  }
  Json run = {{"tool",
               {{"driver",
                 {{"name", "gprof-x"},
                  {"version", GPROFX_VERSION},
                  {"rules", RulesJson(rules, warnings)}}}}},
              {"columnKind", "unicodeCodePoints"},
              {"results", std::move(results)}};
  run["properties"] = properties;
  if (!place.roots.empty()) {
    run["originalUriBaseIds"] = {
        {kRoot, {{"uri", "file://" + PercentEncoded(place.roots.front()) + "/"}}}};
  }
  const Json json = {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                     {"version", "2.1.0"},
                     {"runs", Json::array({std::move(run)})}};
  return PrintedJson(json, 1);
}

std::string DiffSarif(const compare::Diff& diff, const DiffOptions& options,
                      const OutputPlace& place) {
  return NoticesSarif(NoticesOf(diff, options.settings), NoticeRules(diff),
                      {"count-changed", "inconclusive"}, {{"verdict", HeadlineText(diff)}}, place);
}

}  // namespace gprofx
