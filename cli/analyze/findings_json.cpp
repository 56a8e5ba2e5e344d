#include "cli/analyze/findings.h"

namespace gprofx {
namespace {

Json TextOrNull(const std::string& text) { return text.empty() ? Json(nullptr) : Json(Utf8(text)); }

Json RowJson(const findings::Inefficiency& row, size_t i) {
  return {{"id", "F" + std::to_string(i + 1)},
          {"rule", row.rule->id},
          {"title", row.rule->title},
          {"function", TextOrNull(row.function)},
          {"file", TextOrNull(row.file)},
          {"line", row.line == 0 ? Json(nullptr) : Json(row.line)},
          {"node", row.node ? Json(row.node.value) : Json(nullptr)},
          {"saving_ns", row.saving_ns},
          {"share", FiniteJson(row.share)},
          {"summary", Utf8(row.summary)},
          {"evidence", TextsJson(row.evidence)},
          {"computed", Utf8(row.computed)},
          {"advice", row.rule->advice}};
}

Json WarmUpJson(const findings::WarmUpLeftOut& warm_up) {
  if (warm_up.steps == 0) return nullptr;
  return {
      {"steps", warm_up.steps}, {"step_ns", warm_up.step_ns}, {"share", FiniteJson(warm_up.share)}};
}

}  // namespace

Json FindingsJson(const std::vector<FileFindings>& runs) {
  Json list = Json::array();
  for (const FileFindings& run : runs) {
    Json rows = Json::array();
    for (size_t i = 0; i < run.report.rows.size(); ++i)
      rows.push_back(RowJson(run.report.rows[i], i));
    list.push_back({{"recording", Utf8(run.file)},
                    {"steps", run.report.steps},
                    {"step_ns", run.report.step_ns},
                    {"recorded_step_ns", run.report.recorded_step_ns},
                    {"host_step_ns", run.report.host_step_ns},
                    {"idle_ns", run.report.idle_ns},
                    {"has_collectives", run.report.has_collectives},
                    {"warm_up", WarmUpJson(run.report.warm_up)},
                    {"reason", TextOrNull(run.report.reason)},
                    {"rows", std::move(rows)}});
  }
  return list;
}

}  // namespace gprofx
