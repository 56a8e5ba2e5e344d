#include "cli/report/json/levels.h"

#include "cli/report/json/rows.h"

namespace gprofx {
namespace {

const char* LevelName(Level level) {
  return level == Level::kLayer ? "layer" : level == Level::kOperator ? "operator" : "library";
}

}  // namespace

Json LevelRowsJson(const View& view) {
  const LevelTable& table = *view.levels;
  Json list = Json::array();
  for (size_t i = 0; i < table.shown; ++i) {
    const LevelRow& row = table.rows[i];
    const LevelSum& sum = row.sum;
    Json json = {{"metric", "gpu"},
                 {"kind", table.by_type ? "layer-type" : LevelName(table.level)},
                 {"name", sum.key == 0 ? Json(nullptr) : Json(Utf8(row.name))},
                 {"self", sum.gpu_ns},
                 {"total", sum.total_ns},
                 {"kernel_ns", sum.kernel_ns},
                 {"backward_ns", sum.backward_ns},
                 {"operations", sum.operations},
                 {"kernels", sum.kernels},
                 {"seen_as", SeenAsJson(view.profile, row.seen_as)}};
    if (table.level == Level::kLayer) {
      json["type"] = sum.key == 0 ? Json(nullptr) : Json(Utf8(row.type));
    }
    list.push_back(std::move(json));
  }
  return list;
}

}  // namespace gprofx
