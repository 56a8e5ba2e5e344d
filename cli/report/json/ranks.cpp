#include "cli/report/json/ranks.h"

namespace gprofx {
namespace {

constexpr const char* kFactNames[kRankFacts] = {"cpu_ns", "gpu_ns", "communication_ns",
                                                "gpu_wait_ns"};  // by RankFact

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

void AddByRank(Json& rows, const RowTable& table) {
  for (size_t i = 0; i < rows.size() && i < table.by_rank.size(); ++i) {
    rows[i]["by_rank"] = table.by_rank[i];
  }
}

}  // namespace gprofx
