#include "cli/report/number.h"
#include "cli/report/text/gpu.h"
#include "cli/report/text/text.h"
#include "cli/terminal/table.h"
#include "cli/terminal/text.h"
#include "core/model/libraries.h"

namespace gprofx {
namespace {

struct Words {
  const char *one, *many, *none;
};

Words WordsOf(Level level) {
  switch (level) {
    case Level::kLayer:
      return {"layer", "layers", "(no layer)"};
    case Level::kOperator:
      return {"operator", "operators", "(no operator)"};
    default:
      return {"library", "libraries", "(no library known)"};
  }
}

std::string NameText(const LevelTable& table, const LevelRow& row, bool wide) {
  if (row.sum.key == 0) return WordsOf(table.level).none;
  const bool title = table.level == Level::kLibrary && !wide;
  return Printable(title ? LibraryTitle(row.name) : row.name);
}

}  // namespace

std::string LevelsText(const Page& page) {
  const LevelTable& table = *page.view.levels;
  if (table.rows.empty()) {
    return page.view.gpu.present ? "(no GPU work passes the filters)\n"
                                 : "(no GPU data in this profile)\n";
  }
  const Words words =
      table.by_type ? Words{"type", "types of layers", "(no layer)"} : WordsOf(table.level);
  const bool layers = table.level == Level::kLayer, types = table.by_type;
  std::vector<Column> columns = {{"self", Align::kRight}, {"%GPU", Align::kRight}};
  if (layers) columns.push_back({"with inner", Align::kRight});
  columns.push_back({"backward", Align::kRight});
  columns.push_back({"GPU ops", Align::kRight});
  columns.push_back({words.one, Align::kLeft, layers ? 6 : 3, layers ? &FitDotted : &FitMiddle});
  if (!types) columns.push_back({layers ? "called at" : "called from", Align::kLeft, 2, &FitPlace});
  Table out(std::move(columns));
  for (size_t i = 0; i < table.shown; ++i) {
    const LevelRow& row = table.rows[i];
    std::vector<std::string> cells = {Duration(row.sum.gpu_ns),
                                      ShareOf(row.sum.gpu_ns, table.whole)};
    if (layers) cells.push_back(Duration(row.sum.total_ns));
    cells.push_back(row.sum.backward_ns == 0 ? "" : Duration(row.sum.backward_ns));
    cells.push_back(ShortCount(row.sum.operations));
    cells.push_back(NameText(table, row, page.wide));
    const std::string place = SeenAsText(page.view.profile, row.seen_as, row.name);
    if (!types) cells.push_back(row.sum.key == 0 ? "" : Printable(place));
    out.Add(std::move(cells));
  }
  const std::string base = Duration(table.whole) + " GPU time";
  const std::vector<std::string> title = {
      "GPU: top " + Grouped(static_cast<int64_t>(table.shown)) + " of " +
          Grouped(static_cast<int64_t>(table.rows.size())) + " " +
          (table.rows.size() == 1 ? words.one : words.many) + " by time;",
      "%GPU = share of " + base + " (overlaps counted in full)"};
  return Wrapped(page, title, 2) + out.Render(page.around.screen, page.wide) +
         RestText(page, table.rest, table.rows.size(), table.whole, base);
}

}  // namespace gprofx
