// Defines the table of an analysis: numbers with units, ready to print. Code that prints a table
// formats the numbers and computes nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace gprofx::analyses {

enum class CellUnit : uint8_t {
  kText,
  kPath,    // text whose end matters most
  kKernel,  // full name of a kernel
  kCount,
  kNs,
  kShare,  // 0 to 1
  kBytes,
  kFlop,
  kFlopPerSecond,
  kBytesPerSecond,
  kNumber,
};

// A value of a table. monostate means that it is unknown, which is different from 0.
using AnalysisCell = std::variant<std::monostate, int64_t, double, std::string>;

struct AnalysisColumn {
  const char* id;     // stable name for programs
  const char* title;  // short
  CellUnit unit = CellUnit::kText;
  bool narrow = true;  // false: left out if the screen has only 80 columns
};

struct Analysis {
  std::string name;   // "A10"
  std::string id;     // stable: "kernels_by_name"
  std::string title;  // a phrase, shown as the heading
  std::vector<AnalysisColumn> columns;
  std::vector<std::vector<AnalysisCell>> rows;  // each as long as `columns`
  std::string reason;                           // why there are no rows; "" if there are
  std::vector<std::string> notes;               // what the table covers, and what its numbers mean
  bool degraded = false;  // true: less than kMinAttributed of the GPU time is attributed
};

inline constexpr double kMinAttributed = 0.95;

}  // namespace gprofx::analyses
