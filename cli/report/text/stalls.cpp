#include "cli/report/text/stalls.h"

#include <algorithm>

#include "cli/terminal/text.h"

namespace gprofx {
namespace {

constexpr const char* kTitles[kStallClasses] = {"mem", "shm", "syn", "cmp", "fro", "iss", "oth"};
constexpr const char* kNarrowTitles[kStallClasses] = {"me", "sh", "sy", "co", "fr", "is", "ot"};
constexpr char kFull[] = "**";

}  // namespace

StallCells::StallCells(std::span<const GpuRow> rows, bool narrow, bool all)
    : narrow_(narrow), classes_(all ? kStallClasses : kStallClasses - 1), width_(narrow ? 2 : 3) {
  for (const GpuRow& row : rows) {
    for (size_t i = 0; i < classes_; ++i) {
      if (StallPercent(row, i) == 100) full_ = true;
    }
  }
}

std::string StallCells::Title() const {
  std::string out;
  for (size_t i = 0; i < classes_; ++i) {
    out += (i == 0 ? "" : " ") + AtRight(narrow_ ? kNarrowTitles[i] : kTitles[i], width_);
  }
  return out;
}

std::vector<std::string> StallCells::Legend() const {
  std::vector<std::string> parts = {"stalls in % of the row's PC samples:"};
  for (size_t i = 0; i < classes_; ++i) {
    parts.push_back(std::string(narrow_ ? kNarrowTitles[i] : kTitles[i]) + " = " +
                    kStallClassNames[i] + (i + 1 == classes_ ? "" : ","));
  }
  if (narrow_ && full_) {
    parts.back() += ",";
    parts.push_back(std::string(kFull) + " = 100");
  }
  return parts;
}

std::string StallCells::Cell(const GpuRow& row) const {
  if (row.samples <= 0) return "";
  std::string out;
  for (size_t i = 0; i < classes_; ++i) {
    const int share = StallPercent(row, i);
    // On a narrow screen, show 100 as stars, because there is no room for three digits.
    const bool stars = narrow_ && share == 100;
    out += (i == 0 ? "" : " ") + AtRight(stars ? kFull : std::to_string(share), width_);
  }
  return out;
}

std::string MainStallCell(const GpuRow& row) {
  if (row.samples <= 0) return "";
  const size_t stall = MainStall(row);
  return std::string(kTitles[stall]) + " " + AtRight(std::to_string(StallPercent(row, stall)), 2);
}

std::vector<std::string> MainStallLegend(std::span<const GpuRow> rows) {
  std::vector<std::string> parts = {
      "stall = most frequent stall reason, in % of the row's PC samples:"};
  for (size_t i = 0; i < kStallClasses; ++i) {
    const bool comes = std::any_of(rows.begin(), rows.end(), [i](const GpuRow& row) {
      return row.samples > 0 && MainStall(row) == i;
    });
    if (comes) parts.push_back(std::string(kTitles[i]) + " = " + kStallClassNames[i] + ",");
  }
  parts.back().pop_back();
  return parts;
}

}  // namespace gprofx
