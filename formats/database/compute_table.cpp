#include "formats/database/compute_table.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <span>

#include "formats/importers/byte_source.h"

namespace gprofx {
namespace {

constexpr size_t kLongestLine = size_t{1} << 20;

// Splits a line of CSV into its fields. A quoted field may contain commas; two quotation marks
// within it are one.
std::vector<std::string> FieldsOf(std::string_view line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back() += line[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else if (c != '\r') {
      fields.back() += c;
    }
  }
  return fields;
}

// Returns the number in `text`; no value if `text` is anything else. Commas are ignored, because
// some locales use them for digit grouping: "1,234.5".
std::optional<double> NumberOf(std::string text) {
  std::erase(text, ',');
  char* end = nullptr;
  const double number = strtod(text.c_str(), &end);
  if (text.empty() || end != text.c_str() + text.size()) return std::nullopt;
  return number;
}

double FactorOf(std::string_view unit) {
  if (unit == "us" || unit == "usecond") return 1e3;
  if (unit == "ms" || unit == "msecond") return 1e6;
  if (unit == "s" || unit == "second") return 1e9;
  constexpr std::string_view kPrefixes = "KMGT";
  const size_t prefix = unit.empty() ? kPrefixes.npos : kPrefixes.find(unit[0]);
  const std::string_view rest = unit.substr(std::min<size_t>(1, unit.size()));
  if (prefix == kPrefixes.npos || (rest != "byte" && rest != "B" && rest != "inst" && rest != ""))
    return 1;
  constexpr double kFactors[] = {1e3, 1e6, 1e9, 1e12};
  return kFactors[prefix];
}

}  // namespace

int ComputeTable::Find(std::string_view name) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  return found == names_.end() ? -1 : static_cast<int>(found - names_.begin());
}

std::string ComputeTable::Text(int column) const {
  const auto at = static_cast<size_t>(column);
  return column < 0 || at >= fields_.size() ? "" : fields_[at];
}

std::optional<double> ComputeTable::Number(int column) const {
  const std::optional<double> number = NumberOf(Text(column));
  if (!number) return std::nullopt;
  const auto at = static_cast<size_t>(column);
  return *number * (at < units_.size() ? FactorOf(units_[at]) : 1);
}

int64_t ComputeTable::Whole(std::string_view name) const {
  const std::optional<double> number = NumberOf(Text(Find(name)));
  return number && *number >= 0 && *number < 1e15 ? static_cast<int64_t>(*number) : 0;
}

void ComputeTable::Size(std::string_view name, uint32_t (&size)[3]) const {
  const std::string text = Text(Find(name));
  size_t part = 0;
  for (size_t at = text.find_first_of("0123456789"); at != std::string::npos && part < 3;) {
    const size_t end = std::min(text.find_first_not_of("0123456789", at), text.size());
    std::from_chars(text.data() + at, text.data() + end, size[part++]);
    at = text.find_first_of("0123456789", end);
  }
}

Status ReadComputeTable(const std::string& path,
                        const std::function<Status(const ComputeTable&)>& begin,
                        const std::function<void(const ComputeTable&)>& row) {
  Result<importers::ByteSource> source = importers::ByteSource::Open(path);
  if (!source) return source.error();
  ComputeTable table;
  bool has_units = false;
  const auto take = [&](const std::string& line) -> Status {
    if (line.empty() || line.starts_with("==")) return Ok();
    if (table.names_.empty()) {
      if (line.find("\"Kernel Name\"") == std::string::npos) return Ok();  // printed by the program
      table.names_ = FieldsOf(line);
      return begin(table);
    }
    table.fields_ = FieldsOf(line);
    if (!has_units) {
      has_units = true;
      if (table.Text(table.Find("ID")).empty()) {
        table.units_ = table.fields_;
        return Ok();
      }
    }
    row(table);
    return Ok();
  };
  std::string line;
  for (std::span<const char> piece; !(piece = source->Next()).empty();) {
    for (const char c : piece) {
      if (c != '\n') {
        line += c;
        continue;
      }
      if (Status taken = take(line); !taken) return taken;
      line.clear();
    }
    if (line.size() > kLongestLine) {
      return Error{ErrorId::kHostileFile, "'" + path + "' has a line of more than 1 MB",
                   "check the file: no table of Nsight Compute has such lines"};
    }
  }
  if (!source->status()) return source->status();
  if (Status taken = take(line); !taken) return taken;
  if (table.names_.empty()) {
    return Error{ErrorId::kOtherFormat, "'" + path + "' has no table of kernels",
                 "export it with ncu --csv --page raw"};
  }
  return Ok();
}

}  // namespace gprofx
