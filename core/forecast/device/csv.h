// Reads comma-separated values as defined by RFC 4180: quoted fields may hold commas, quotes
// (doubled) and line ends. Lines that begin with # and empty lines are skipped. Every error names
// its line. A row has at most kMaxColumns, because an empty field takes many times the one byte of
// its comma. Pure; any thread.
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
  // `text` must outlive the reader. `file` is the name used in messages.
  CsvReader(std::string_view text, std::string file) : rest_(text), file_(std::move(file)) {}

  // Returns the next row that is not empty; nullopt at the end.
  Result<std::optional<std::vector<std::string>>> Next();
  size_t line() const { return row_line_; }  // of the row last returned by Next(), from 1
  Error At(const std::string& what, const std::string& fix = "") const;

 private:
  std::string_view rest_;
  std::string file_;
  size_t line_ = 1, row_line_ = 1;
};

// A header, for access to columns by name.
class CsvHeader {
 public:
  explicit CsvHeader(std::vector<std::string> names) : names_(std::move(names)) {}
  std::optional<size_t> Find(std::string_view name) const;
  bool HasAll(std::initializer_list<std::string_view> names) const;
  size_t size() const { return names_.size(); }

 private:
  std::vector<std::string> names_;
};

// Parses the whole of `text` as a number; nullopt if it is not one. Independent of the locale.
std::optional<double> ParseNumber(std::string_view text);

}  // namespace gprofx::forecast
