// Comma-separated values as RFC 4180 has them: fields in quotes may hold commas, quotes (doubled)
// and line ends. Lines that begin with # and empty lines are skipped. Every error names its line.
// A row has at most kMaxColumns: an empty field takes many times the byte of its comma.
// Pure; any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/csv_field.h"
#include "core/base/result.h"

namespace gprofx::forecast {

inline constexpr size_t kMaxColumns = 100;

class CsvReader {
 public:
  // `text` must outlive the reader. `file` is the name in messages.
  CsvReader(std::string_view text, std::string file) : rest_(text), file_(std::move(file)) {}

  // The next row with something in it; nothing at the end.
  Result<std::optional<std::vector<std::string>>> Next();
  size_t line() const { return row_line_; }  // of the row that Next() gave last, from 1 on
  Error At(const std::string& what, const std::string& fix = "") const;

 private:
  std::string_view rest_;
  std::string file_;
  size_t line_ = 1, row_line_ = 1;
};

// A header and access to its columns by name.
class CsvHeader {
 public:
  explicit CsvHeader(std::vector<std::string> names) : names_(std::move(names)) {}
  std::optional<size_t> Find(std::string_view name) const;
  bool HasAll(std::initializer_list<std::string_view> names) const;
  size_t size() const { return names_.size(); }

 private:
  std::vector<std::string> names_;
};

// The whole of `text` as a number; nothing otherwise. No locale.
std::optional<double> ParseNumber(std::string_view text);

}  // namespace gprofx::forecast
