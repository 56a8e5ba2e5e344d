#include "core/forecast/device/csv.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace gprofx::forecast {

Error CsvReader::At(const std::string& what, const std::string& fix) const {
  return {ErrorId::kBadLine, file_ + ":" + std::to_string(row_line_) + ": " + what, fix};
}

Result<std::optional<std::vector<std::string>>> CsvReader::Next() {
  while (!rest_.empty() && (rest_[0] == '#' || rest_[0] == '\n' || rest_.starts_with("\r\n"))) {
    const size_t end = rest_.find('\n');
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    ++line_;
  }
  row_line_ = line_;
  if (rest_.empty()) return std::optional<std::vector<std::string>>();
  std::vector<std::string> fields(1);
  size_t i = 0;
  bool quoted = false;
  for (; i < rest_.size(); ++i) {
    const char c = rest_[i];
    if (c == '\n') ++line_;
    if (quoted) {
      if (c != '"') {
        fields.back() += c;
      } else if (i + 1 < rest_.size() && rest_[i + 1] == '"') {
        fields.back() += rest_[++i];
      } else {
        quoted = false;
      }
    } else if (c == '"' && fields.back().empty()) {
      quoted = true;
    } else if (c == ',') {
      if (fields.size() == kMaxColumns) {
        return At("the line has more than " + std::to_string(kMaxColumns) + " columns",
                  "check the file: no table has so many");
      }
      fields.emplace_back();
    } else if (c == '\n') {
      ++i;
      break;
    } else if (c != '\r') {
      fields.back() += c;
    }
  }
  if (quoted) return At("a quote that opens here is not closed", "close it or leave it out");
  rest_.remove_prefix(i);
  return std::optional(std::move(fields));
}

std::optional<size_t> CsvHeader::Find(std::string_view name) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found == names_.end()) return std::nullopt;
  return static_cast<size_t>(found - names_.begin());
}

bool CsvHeader::HasAll(std::initializer_list<std::string_view> names) const {
  return std::all_of(names.begin(), names.end(),
                     [this](std::string_view name) { return Find(name).has_value(); });
}

std::optional<double> ParseNumber(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

}  // namespace gprofx::forecast
