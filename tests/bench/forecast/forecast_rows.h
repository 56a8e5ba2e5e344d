// Rows of CSV files of measurements, for the programs of this folder: they end with one line where
// something is wrong.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

#include "core/forecast/device/csv.h"
#include "core/forecast/work.h"
#include "formats/database/packed_text.h"

namespace gprofx {
using namespace forecast;

template <class T>
T OrEnd(Result<T> result) {
  if (result) return std::move(*result);
  fprintf(stderr, "%s\n", result.error().Text().c_str());
  exit(2);
}

// Calls `on_row` with a look-up by column for each row.
template <class OnRow>
void EachRow(const std::string& path, const OnRow& on_row) {
  const std::string text = OrEnd(ReadPackedText(path));
  CsvReader reader(text, path);
  const auto first = OrEnd(reader.Next());
  const CsvHeader header(first ? *first : std::vector<std::string>());
  for (;;) {
    const auto fields = OrEnd(reader.Next());
    if (!fields) return;
    on_row([&](const char* name) -> const std::string& {
      static const std::string kNone;
      const auto column = header.Find(name);
      return column && *column < fields->size() ? (*fields)[*column] : kNone;
    });
  }
}

inline double CellNumber(const std::string& text) { return ParseNumber(text).value_or(0); }

// The FP32 work of a row with the columns B, M, N, K or B, H.
template <class Cell>
KernelWork WorkOfRow(WorkFamily family, const std::string& op, const Cell& cell) {
  const double b = CellNumber(cell("B"));
  if (family == WorkFamily::kElementwise) return ElementwiseWork(op, b, CellNumber(cell("H")));
  if (family == WorkFamily::kSoftmax || family == WorkFamily::kNorm) {
    return RowWork(family, b, CellNumber(cell("H")));
  }
  return ProductWork(family, NumberType::kFp32, b, CellNumber(cell("M")), CellNumber(cell("N")),
                     CellNumber(cell("K")));
}

}  // namespace gprofx
