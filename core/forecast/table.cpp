#include "core/forecast/device/table.h"
#include "core/base/format.h"

#include <algorithm>
#include <cmath>

#include "core/forecast/data.h"
#include "core/forecast/device/csv.h"
#include "core/forecast/device/grid_text.h"

namespace gprofx::forecast {
namespace {

constexpr std::string_view kMagic = "gprof-x-forecast 2";
constexpr std::string_view kAxes = "mnk";

std::vector<std::string_view> Words(std::string_view line) {
  std::vector<std::string_view> words;
  while (!line.empty()) {
    const size_t end = std::min(line.find(' '), line.size());
    if (end > 0) words.push_back(line.substr(0, end));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return words;
}

// Parses the words from index `first` on as numbers. Returns an empty list if one is not a number.
std::vector<double> Numbers(const std::vector<std::string_view>& words, size_t first) {
  std::vector<double> numbers;
  for (size_t i = first; i < words.size(); ++i) {
    const std::optional<double> number = ParseNumber(words[i]);
    if (!number) return {};
    numbers.push_back(*number);
  }
  return numbers;
}

class TableParser {
 public:
  explicit TableParser(std::string_view text) : rest_(text) {}

  // Returns the number of the first invalid line, or 0 if all are valid.
  size_t Parse(ForecastTable& table) {
    std::string_view line;
    if (!NextLine(line) || line != kMagic) return 1;
    while (NextLine(line)) {
      if (line.empty() || line[0] == '#') continue;
      if (!ParseLine(Words(line), table)) return line_;
    }
    return 0;
  }

 private:
  bool NextLine(std::string_view& line) {
    if (rest_.empty()) return false;
    const size_t end = std::min(rest_.find('\n'), rest_.size());
    line = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    ++line_;
    return true;
  }

  bool ParseLine(const std::vector<std::string_view>& words, ForecastTable& table) {
    if (words.size() < 3) return false;
    const std::string_view what = words[0];
    const std::optional<WorkFamily> family = ParseWorkFamily(words[1]);
    const std::vector<double> numbers = Numbers(words, 2);
    if (what == "parameters" && family && !numbers.empty()) {
      table.parameters[static_cast<size_t>(*family)] = numbers;
    } else if (what == "range" && family && numbers.size() == 2) {
      table.ranges[static_cast<size_t>(*family)] = {numbers[0], numbers[1]};
    } else if (what == "interval" && numbers.size() == 2) {
      table.intervals[std::string(words[1])] = {numbers[0], numbers[1]};
    } else if (what == "gradient" && numbers.size() == 1 && numbers[0] > 0) {
      table.gradients[std::string(words[1])] = numbers[0];
    } else if (what == "accuracy" && words.size() == 7) {
      AccuracyRow row;
      std::string* const cells[] = {&row.group, &row.device,    &row.cases,
                                    &row.error, &row.reference, &row.roofline};
      for (size_t i = 0; i < 6; ++i) *cells[i] = words[i + 1];
      table.accuracy.push_back(std::move(row));
    } else if (what == "axis" && table.grids.empty() && words[1].size() == 1 && !numbers.empty() &&
               kAxes.find(words[1][0]) != std::string_view::npos &&
               std::is_sorted(numbers.begin(), numbers.end())) {
      table.axes[kAxes.find(words[1][0])] = numbers;
    } else if (what == "grid" && words.size() == 3) {
      return ParseGrid(words, table);
    } else if (what == "collective" && words.size() >= 6) {
      const std::vector<double> curve = Numbers(words, 3);
      if (curve.size() < 3) return false;
      table.collectives.push_back({std::string(words[1]),
                                   std::string(words[2]),
                                   static_cast<int>(curve[0]),
                                   static_cast<int>(curve[1]),
                                   {curve.begin() + 2, curve.end()}});
    } else {
      return false;
    }
    return true;
  }

  bool ParseGrid(const std::vector<std::string_view>& words, ForecastTable& table) {
    const auto& axes = table.axes;
    const std::optional<NumberType> type = ParseNumberType(words[2]);
    if (!type || axes[0].empty() || axes[1].empty() || axes[2].empty()) return false;
    TensorGrid grid{std::string(words[1]), *type, {}};
    std::string_view line;
    for (size_t row = 0; row < axes[0].size() * axes[1].size(); ++row) {
      if (!NextLine(line) || !ReadGridRow(line, axes[2].size(), grid.steps)) return false;
    }
    table.grids.push_back(std::move(grid));
    return true;
  }

  std::string_view rest_;
  size_t line_ = 0;
};

std::string NumberText(double value) { return Format(" %.6g", value); }

}  // namespace

double ForecastTable::GradientFactor(std::string_view kind) const {
  const auto found = gradients.find(kind);
  return found == gradients.end() ? 1 : found->second;
}

Interval ForecastTable::IntervalOf(std::string_view name) const {
  const auto found = intervals.find(name);
  return found == intervals.end() ? Interval{} : found->second;
}

Interval Wider(const Interval& interval, double factor) {
  return {std::pow(interval.low, factor), std::pow(interval.high, factor)};
}

Result<ForecastTable> ParseForecastTable(std::string_view text, const std::string& file) {
  ForecastTable table;
  const size_t wrong = TableParser(text).Parse(table);
  if (wrong == 0) return table;
  return Error{
      ErrorId::kDamaged,
      file + ":" + std::to_string(wrong) + ": the line is not part of a table of forecasts",
      "write the table again with tests/bench/train_forecast"};
}

std::string ForecastTableText(const ForecastTable& table) {
  std::string out = std::string(kMagic) + "\n# Made by tests/bench/train_forecast.\n";
  for (size_t i = 0; i < kWorkFamilies; ++i) {
    const std::string word(WorkFamilyWord(static_cast<WorkFamily>(i)));
    if (!table.parameters[i].empty()) {
      out += "parameters " + word;
      for (const double value : table.parameters[i]) out += NumberText(value);
      out += "\n";
    }
    if (table.ranges[i].most > 0) {
      out += "range " + word + NumberText(table.ranges[i].least) +
             NumberText(table.ranges[i].most) + "\n";
    }
  }
  for (const auto& [name, interval] : table.intervals) {
    out += "interval " + name + NumberText(interval.low) + NumberText(interval.high) + "\n";
  }
  for (const auto& [kind, factor] : table.gradients) {
    out += "gradient " + kind + NumberText(factor) + "\n";
  }
  for (const AccuracyRow& row : table.accuracy) {
    out += "accuracy " + row.group + " " + row.device + " " + row.cases + " " + row.error + " " +
           row.reference + " " + row.roofline + "\n";
  }
  for (const CollectiveCurve& curve : table.collectives) {
    out += "collective " + curve.device + " " + curve.operation + NumberText(curve.gpus) +
           NumberText(curve.first_log2);
    for (const double us : curve.us) out += NumberText(us);
    out += "\n";
  }
  for (size_t i = 0; i < 3 && !table.axes[i].empty(); ++i) {
    out += "axis " + std::string(1, kAxes[i]);
    for (const double value : table.axes[i]) out += NumberText(value);
    out += "\n";
  }
  constexpr const char* kTypes[] = {"fp32", "bf16", "fp8", "fp4"};
  for (const TensorGrid& grid : table.grids) {
    out += "grid " + grid.device + " " + kTypes[static_cast<size_t>(grid.type)] + "\n";
    const size_t width = table.axes[2].size();
    for (size_t row = 0; row < grid.steps.size(); row += width) {
      out += GridRowText(grid.steps, row, width) + "\n";
    }
  }
  return out;
}

const ForecastTable& BuiltInTable() {
  static const ForecastTable table = [] {
    Result<ForecastTable> parsed = ParseForecastTable(kTrainedTable, "tables.txt");
    return *parsed;  // cannot fail: a test parses the same text
  }();
  return table;
}

}  // namespace gprofx::forecast
