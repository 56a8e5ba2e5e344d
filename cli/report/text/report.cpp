#include "cli/report/text/text.h"

namespace gprofx {
namespace {

constexpr size_t kRows = 20;
// Rows of each table if CPU and GPU share the screen.
constexpr size_t kPictureRows = 10;
constexpr size_t kThreads = 40;
constexpr size_t kWaits = 5;
constexpr size_t kTreeLines = 60;

std::string BodyText(const Page& page) {
  if (page.view.timeline) {
    return TimelineText(page) + (page.view.markers ? "\n" + MarkersText(page) : "");
  }
  if (page.view.memory) return MemoryText(page);
  if (page.view.markers) return MarkersText(page);
  if (page.view.threads) return ThreadsText(page);
  if (page.view.tree) {
    return page.view.query.kind == ViewKind::kCallers ? CallersText(page) : TreeText(page);
  }
  if (page.view.query.kind == ViewKind::kRanks) return RankRowsText(page);
  if (page.view.levels) return LevelsText(page);
  if (!page.view.rows) return KernelTopText(page);
  const std::string findings = StoredFindingsText(page);
  return findings + (findings.empty() ? "" : "\n") + TopText(page);
}

}  // namespace

Room TextRoom() {
  return {.rows = kRows,
          .picture_rows = kPictureRows,
          .threads = kThreads,
          .waits = kWaits,
          .outline = kTreeLines,
          .operators = true,
          .fold_threads = true,
          .fold_streams = true};
}

std::string ReportText(const Page& page) { return HeadText(page) + BodyText(page); }

}  // namespace gprofx
