#include "core/views/row_number.h"

#include <charconv>
#include <string>

#include "core/views/view.h"

namespace gprofx {
namespace {

Error NoRow(const RowNumber& row, size_t rows) {
  const std::string mark = row.gpu ? "#g" : "#";
  const char* what = row.gpu ? " kernels and copies" : " functions";
  return {ErrorId::kNotFound, "there is no row " + mark + std::to_string(row.number),
          rows == 0 ? "the profile has no" + std::string(what)
                    : "the rows of" + std::string(what) + " are " + mark + "1 to " + mark +
                          std::to_string(rows)};
}

}  // namespace

std::optional<RowNumber> ParseRowNumber(std::string_view text) {
  if (!text.starts_with('#')) return std::nullopt;
  text.remove_prefix(1);
  RowNumber row;
  row.gpu = text.starts_with('g');
  if (row.gpu) text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), row.number);
  if (error != std::errc() || end != text.data() + text.size() || row.number == 0) {
    return std::nullopt;
  }
  return row;
}

Result<FrameId> FrameOfRow(const Profile& profile, const RowNumber& row) {
  const Result<View> view = BuildView(profile, Query{});
  if (!view) return view.error();
  if (row.gpu) {
    const size_t rows = view->kernels ? view->kernels->rows.size() : 0;
    if (row.number > rows) return NoRow(row, rows);
    return view->kernels->rows[row.number - 1].frame;
  }
  const size_t rows = view->rows ? view->rows->rows.size() : 0;
  if (row.number > rows) return NoRow(row, rows);
  const uint32_t group = view->rows->rows[row.number - 1].group;
  return group == 0 ? FrameId{} : view->rows->groups.first[group - 1];
}

}  // namespace gprofx
