#include "cli/report/json/ranks.h"

#include "core/views/gpu/idle_causes.h"

namespace gprofx {
namespace {

constexpr const char* kFactNames[kRankFacts] = {"cpu_ns", "gpu_ns", "communication_ns",
                                                "gpu_wait_ns"};  // index: RankFact

}  // namespace

Json RanksJson(const Ranks& ranks) {
  Json list = Json::array();
  for (const Rank& rank : ranks.ranks) {
    Json row = {{"name", Utf8(rank.name)}, {"host", Utf8(rank.host)}};
    for (size_t i = 0; i < kRankFacts; ++i) row[kFactNames[i]] = rank.facts[i];
    list.push_back(std::move(row));
  }
  Json json = {{"ranks", std::move(list)},
               {"slowest", ranks.slowest ? Json(*ranks.slowest) : Json(nullptr)},
               {"slowest_by", kFactNames[static_cast<size_t>(ranks.slowest_by)]}};
  for (size_t i = 0; i < kRankFacts; ++i) {
    const Spread& spread = ranks.facts[i];
    json["spread"][kFactNames[i]] = {{"least", spread.least},
                                     {"mean", spread.mean},
                                     {"most", spread.most},
                                     {"most_in", spread.most_in}};
  }
  return json;
}

Json IdleCausesJson(const std::vector<LaneShares>& lanes) {
  if (lanes.size() < 2) return nullptr;
  Json names = Json::array(), rows = Json::array();
  for (const LaneShares& lane : lanes) {
    names.push_back({{"rank", lane.rank >= 0 ? Json(lane.rank) : Json(nullptr)},
                     {"gpu", lane.gpu_known ? Json(lane.gpu) : Json(nullptr)},
                     {"pid", lane.pid},
                     {"with_records_ns", lane.shares.total_ns}});
  }
  for (const IdleCauseRow& row : CompareIdleCauses(lanes)) {
    Json shares = Json::array();
    for (const int tenths : row.tenths) shares.push_back(tenths / 10.0);
    rows.push_back({{"cause", Utf8(row.what)},
                    {"least_percent", row.least / 10.0},
                    {"median_percent", row.median / 10.0},
                    {"most_percent", row.most / 10.0},
                    {"most_off", row.most_off ? Json(*row.most_off) : Json(nullptr)},
                    {"percent", std::move(shares)}});
  }
  return {{"lanes", std::move(names)}, {"causes", std::move(rows)}};
}

void AddByRank(Json& rows, const RowTable& table) {
  for (size_t i = 0; i < rows.size() && i < table.by_rank.size(); ++i) {
    rows[i]["by_rank"] = table.by_rank[i];
  }
}

}  // namespace gprofx
