#include "cli/report/html/start.h"

#include "cli/analyze/findings.h"
#include "cli/report/html/page_text.h"
#include "cli/report/json/ranks.h"
#include "cli/report/text/text.h"

namespace gprofx {
namespace {

// Columns of a sentence; large, because the browser wraps sentences.
constexpr int kOneLine = 10'000;
constexpr size_t kMaxFindings = 100, kMaxLanes = 64;

std::vector<std::string> LinesOf(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    if (end > begin) lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

Json ShareJson(const WallShare& share) {
  return {{"what", PageText(share.what)},
          {"ns", share.ns},
          {"tenths", share.tenths},
          {"margin_ns", share.margin_ns}};
}

Json FindingJson(const findings::Inefficiency& row, const findings::FindingReport& report,
                 const PageTree& tree) {
  const uint32_t node = row.node && row.node.index() < tree.node_of.size()
                            ? tree.node_of[row.node.index()]
                            : PageTree::kNowhere;
  Json evidence = Json::array();
  for (const std::string& each : row.evidence) evidence.push_back(PageText(each));
  return {{"rule", row.rule->id},
          {"title", row.rule->title},
          {"advice", row.rule->advice},
          {"saving", SavingText(row, report)},
          {"saving_ns", row.saving_ns},
          {"function", PageText(row.function)},
          {"file", PageText(row.file)},
          {"line", row.line},
          {"summary", PageText(row.summary)},
          {"evidence", std::move(evidence)},
          {"computed", PageText(row.computed)},
          {"node", node == PageTree::kNowhere || node == 0 ? Json(nullptr) : Json(node)}};
}

}  // namespace

PageStart MakePageStart(const View& view, const std::vector<std::string>& files) {
  ReportSurroundings around;
  around.screen.columns = kOneLine;
  around.files = files;
  PageStart start;
  start.verdict = LinesOf(VerdictText({view, around, true}));
  if (!start.verdict.empty()) start.own_line = view.verdict->own.line;
  start.wall = view.wall;
  start.lanes = view.lanes;
  start.ranks = view.ranks;
  return start;
}

Json WallJson(const WallShares& shares) {
  if (shares.total_ns == 0) return nullptr;
  Json json = {{"total_ns", shares.total_ns},    {"unseen_ns", shares.unseen_ns},
               {"busy", ShareJson(shares.busy)}, {"idle", ShareJson(shares.idle)},
               {"busy_parts", Json::array()},    {"idle_parts", Json::array()}};
  for (const WallShare& part : shares.busy_parts) json["busy_parts"].push_back(ShareJson(part));
  for (const WallShare& part : shares.idle_parts) json["idle_parts"].push_back(ShareJson(part));
  return json;
}

Json LanesJson(const std::vector<LaneShares>& lanes) {
  if (lanes.size() < 2) return nullptr;
  Json rows = Json::array();
  for (size_t i = 0; i < std::min(lanes.size(), kMaxLanes); ++i) {
    const LaneShares& lane = lanes[i];
    rows.push_back({{"gpu", lane.gpu_known ? Json(lane.gpu) : Json(nullptr)},
                    {"process", PageText(lane.process)},
                    {"rank", lane.rank >= 0 ? Json(lane.rank) : Json(nullptr)},
                    {"pid", lane.pid},
                    {"hidden_tenths", lane.hidden_tenths},
                    {"wall", WallJson(lane.shares)}});
  }
  return {{"rows", std::move(rows)}, {"rows_total", lanes.size()}};
}

Json PageRanksJson(const Ranks& ranks) {
  Json json = RanksJson(ranks);
  for (Json& rank : json["ranks"]) {
    rank["name"] = PageText(rank["name"].get<std::string>());
    rank["host"] = PageText(rank["host"].get<std::string>());
  }
  return json;
}

Json PageFindingsJson(const findings::FindingReport& report, const PageTree& tree) {
  Json rows = Json::array();
  for (size_t i = 0; i < std::min(report.rows.size(), kMaxFindings); ++i) {
    rows.push_back(FindingJson(report.rows[i], report, tree));
  }
  return {{"head", PageText(FindingsHeadText(report))},
          {"rows", std::move(rows)},
          {"rows_total", report.rows.size()}};
}

}  // namespace gprofx
