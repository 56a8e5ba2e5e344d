// A table that an analysis makes: numbers with their units, ready to print. Whoever prints one
// makes words of them and adds nothing up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace gprofx::analyses {

enum class CellUnit : uint8_t {
  kText,
  kPath,    // text whose end tells most
  kKernel,  // a kernel's name in full
  kCount,
  kNs,
  kShare,  // 0 to 1
  kBytes,
  kFlop,
  kFlopPerSecond,
  kBytesPerSecond,
  kNumber,
};

// Nothing = not known here; it is no 0.
using AnalysisCell = std::variant<std::monostate, int64_t, double, std::string>;

struct AnalysisColumn {
  const char* id;     // stable
  const char* title;  // short
  CellUnit unit = CellUnit::kText;
  bool narrow = true;  // shown where the screen has 80 columns only
};

struct Analysis {
  std::string name;   // "A10"
  std::string id;     // stable: "kernels_by_name"
  std::string title;  // a phrase
  std::vector<AnalysisColumn> columns;
  std::vector<std::vector<AnalysisCell>> rows;  // each as long as `columns`
  std::string reason;                           // why there are no rows; "" where there are
  std::vector<std::string> notes;               // what it covers, what its numbers are
  bool degraded = false;  // less than kMinAttributed of the GPU time has a place in it
};

inline constexpr double kMinAttributed = 0.95;

}  // namespace gprofx::analyses
