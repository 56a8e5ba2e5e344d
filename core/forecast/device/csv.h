// Reads comma-separated values as defined by RFC 4180: a quoted field may hold commas, line ends
// and doubled quotes. Empty lines and lines that begin with # are skipped. Every error names its
// line. A row may have at most kMaxColumns fields: an empty field takes only one byte in the file,
// but many more in memory. Pure; any thread.
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
  // `text` must outlive the reader. `file` is the file's name in messages.
  CsvReader(std::string_view text, std::string file) : rest_(text), file_(std::move(file)) {}

  // Returns the next row that is not empty; nullopt at the end of the text.
  Result<std::optional<std::vector<std::string>>> Next();
  size_t line() const { return row_line_; }  // line of the row that Next() returned last, from 1
  Error At(const std::string& what, const std::string& fix = "") const;

 private:
  std::string_view rest_;
  std::string file_;
  size_t line_ = 1, row_line_ = 1;
};

// The column names of a CSV file. Find() returns the position of a column in a row.
class CsvHeader {
 public:
  explicit CsvHeader(std::vector<std::string> names) : names_(std::move(names)) {}
  std::optional<size_t> Find(std::string_view name) const;
  bool HasAll(std::initializer_list<std::string_view> names) const;
  size_t size() const { return names_.size(); }

 private:
  std::vector<std::string> names_;
};

// Parses all of `text` as a number, independent of the locale; nullopt if it is not a number.
std::optional<double> ParseNumber(std::string_view text);

}  // namespace gprofx::forecast
