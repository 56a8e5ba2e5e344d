#include "cli/variability/html/page.h"

#include "cli/json_text.h"
#include "cli/report/html/assets.h"
#include "cli/report/html/document.h"
#include "cli/variability/variability.h"

namespace gprofx {

using namespace variability;

namespace {

// Returns the texts that the page's scripts cannot make by themselves. They are in the order of the
// model's rows.
Json WordsJson(const Model& model) {
  Json groups = Json::array(), causes = Json::array(), whys = Json::array(), tests = Json::array();
  for (const GroupRow& row : model.groups) groups.push_back(Utf8(GroupInWords(row, false)));
  for (const CauseRow& row : model.causes) causes.push_back(Utf8(StepCauseInWords(row, model)));
  for (const Finding& finding : model.findings) whys.push_back(Utf8(CauseInWords(finding.why)));
  for (const EffectRow& row : model.effects) tests.push_back(Utf8(BesideInWords(row.beside)));
  return {{"groups", std::move(groups)},
          {"causes", std::move(causes)},
          {"findings", std::move(whys)},
          {"effects", std::move(tests)}};
}

}  // namespace

std::string VariabilityPage(const Model& model) {
  const std::string json = "{\"columns\": [], \"model\": " + VariabilityJson(model) +
                           ", \"words\": " + WordsJson(model).dump() + "}";
  return MakeDocument(kVariabilityBody, kVariabilityScript, {json, ""});
}

}  // namespace gprofx
