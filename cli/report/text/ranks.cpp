#include "cli/report/number.h"
#include "cli/report/text/gpu.h"
#include "cli/report/text/text.h"
#include "cli/terminal/shorten.h"
#include "cli/terminal/table.h"
#include "cli/terminal/text.h"
#include "core/views/naming/names.h"

namespace gprofx {
namespace {

constexpr size_t kMaxColumns = 4;  // max number of ranks that have a column of their own

constexpr struct {
  RankFact fact;
  const char* name;
} kFacts[] = {{RankFact::kCpu, "CPU time"},
              {RankFact::kGpu, "GPU time"},
              {RankFact::kCommunication, "  of it communication"},
              {RankFact::kGpuWait, "waiting for the GPU"}};

std::string NameOf(const Ranks& ranks, size_t i) {
  const Rank& rank = ranks.ranks[i];
  return Printable(rank.host.empty() ? rank.name : rank.name + " on " + rank.host);
}

// Returns a text that says how the slowest rank was determined. The user can check it.
std::vector<std::string> SlowestParts(const Ranks& ranks) {
  if (!ranks.slowest) return {"ranks:", "no rank is slower than the others by 1% or more"};
  const Spread& spread = ranks.facts[static_cast<size_t>(ranks.slowest_by)];
  std::vector<std::string> parts = {"ranks:",
                                    "the slowest is " + NameOf(ranks, *ranks.slowest) + ","};
  switch (ranks.slowest_by) {
    case RankFact::kCommunication:
      parts.push_back(Duration(spread.least) + " in communication;");
      parts.push_back("up to " + Duration(spread.most) + " in the others, which wait for it");
      break;
    case RankFact::kGpu:
      parts.push_back("with the most GPU time");
      break;
    default:
      parts.push_back("with the most CPU time");
  }
  return parts;
}

std::vector<Column> SpreadColumns(const Ranks& ranks) {
  std::vector<Column> columns;
  if (ranks.ranks.size() <= kMaxColumns) {
    for (size_t i = 0; i < ranks.ranks.size(); ++i) {
      columns.push_back({NameOf(ranks, i), Align::kRight});
    }
    return columns;
  }
  return {{"least", Align::kRight},
          {"mean", Align::kRight},
          {"most", Align::kRight},
          {"most in", Align::kLeft}};
}

void AddSpread(const Ranks& ranks, const std::vector<int64_t>& by_rank, const std::string& unit,
               std::vector<std::string>& cells) {
  if (ranks.ranks.size() <= kMaxColumns) {
    for (const int64_t value : by_rank) cells.push_back(Amount(value, unit));
    return;
  }
  const Spread spread = SpreadOf(by_rank);
  for (const int64_t value : {spread.least, spread.mean, spread.most}) {
    cells.push_back(Amount(value, unit));
  }
  cells.push_back(NameOf(ranks, spread.most_in));
}

}  // namespace

std::string RanksText(const Page& page) {
  const std::optional<Ranks>& ranks = page.view.ranks;
  if (!ranks) return "";
  std::vector<Column> columns = {{std::to_string(ranks->ranks.size()) + " ranks"}};
  for (Column& column : SpreadColumns(*ranks)) columns.push_back(std::move(column));
  Table table(std::move(columns));
  for (const auto& [fact, name] : kFacts) {
    std::vector<int64_t> by_rank;
    for (const Rank& rank : ranks->ranks) by_rank.push_back(rank.facts[static_cast<size_t>(fact)]);
    if (ranks->facts[static_cast<size_t>(fact)].most == 0) continue;
    std::vector<std::string> cells = {name};
    AddSpread(*ranks, by_rank, "ns", cells);
    table.Add(std::move(cells));
  }
  return Wrapped(page, SlowestParts(*ranks), 2) + table.Render(page.around.screen, page.wide) +
         "\n";
}

std::string RankRowsText(const Page& page) {
  const View& view = page.view;
  const RowTable& rows = *view.rows;
  const Ranks& ranks = *view.ranks;
  std::string out = RanksText(page) + IdleCausesText(page);
  if (rows.rows.empty()) return out + "(no stack passes the filters)\n";
  std::vector<Column> columns = {{"self", Align::kRight}};
  for (Column& column : SpreadColumns(ranks)) columns.push_back(std::move(column));
  columns.push_back({"kind"});
  columns.push_back({IsGpuMetric(view.metric) ? "kernel, copy or function" : "function",
                     Align::kLeft, 3, IsGpuMetric(view.metric) ? &ShortenKernel : &ShortenName});
  Table table(std::move(columns));
  for (size_t i = 0; i < rows.shown; ++i) {
    const Row& row = rows.rows[i];
    const Label label = LabelOf(view.profile, rows.groups, row.group);
    std::vector<std::string> cells = {Amount(row.self, view.metric.unit)};
    AddSpread(ranks, rows.by_rank[i], view.metric.unit, cells);
    cells.push_back(std::string(KindWord(label.kind, label.name)));
    const bool kernel = label.kind == FrameKind::kGpuKernel && !page.wide;
    cells.push_back(
        Printable(kernel ? view.kernel_labels.Short(view.profile, rows.groups.first[row.group - 1])
                         : label.name));
    table.Add(std::move(cells));
  }
  return out +
         Wrapped(page,
                 {"top " + Grouped(static_cast<int64_t>(rows.shown)) + " of " +
                      Grouped(static_cast<int64_t>(rows.rows.size())) + " by self time, of " +
                      BaseText(page) + ";",
                  "self in all ranks, then in each"},
                 2) +
         table.Render(page.around.screen, page.wide) +
         RestText(page, rows.rest, rows.rows.size(), rows.whole, BaseText(page) + " self");
}

}  // namespace gprofx
