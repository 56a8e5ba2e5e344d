#include "core/compare/rules/suppressions.h"

#include <algorithm>

#include "core/base/format.h"
#include "core/base/text.h"

namespace gprofx::compare {
namespace {

constexpr size_t kLongestLine = 1000;

bool IsDate(int year, int month, int day) {
  static constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  if (year < 1 || month < 1 || month > 12 || day < 1) return false;
  return day <= kDays[month - 1] + (month == 2 && leap ? 1 : 0);
}

// Parses YYYY-MM-DD. Returns the date as the number yyyymmdd; 0 = not a date.
int32_t DateOf(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return 0;
  int32_t parts[3] = {};
  for (size_t i = 0, part = 0; i < text.size(); ++i) {
    if (i == 4 || i == 7) {
      ++part;
    } else if (IsAsciiDigit(text[i])) {
      parts[part] = parts[part] * 10 + (text[i] - '0');
    } else {
      return 0;
    }
  }
  if (!IsDate(parts[0], parts[1], parts[2])) return 0;
  return parts[0] * 10000 + parts[1] * 100 + parts[2];
}

constexpr std::string_view kSuppress = "suppress ";

}  // namespace

bool IsSuppression(std::string_view line) { return line.starts_with(kSuppress); }

std::optional<RuleError> ParseSuppression(std::string_view text, Suppression& suppression) {
  const auto fail = [&](std::string what, size_t place) {
    return RuleError{std::move(what), std::string(text), place, 0};
  };
  if (text.size() > kLongestLine) return fail("the line is longer than 1000 bytes", kLongestLine);
  constexpr std::string_view kFields[] = {" owner=", " until=", " because="};
  size_t begins[3] = {};
  size_t from = kSuppress.size() - 1;
  for (size_t i = 0; i < 3; ++i) {
    begins[i] = text.find(kFields[i], from);
    if (begins[i] == std::string_view::npos) {
      return fail("'" + std::string(kFields[i].substr(1)) + "' is needed here", text.size());
    }
    from = begins[i] + kFields[i].size();
  }
  const auto field = [&](size_t i) {
    const size_t begin = begins[i] + kFields[i].size();
    return Trimmed(text.substr(begin, (i < 2 ? begins[i + 1] : text.size()) - begin));
  };
  suppression.what = Trimmed(text.substr(kSuppress.size(), begins[0] - kSuppress.size() + 1));
  suppression.owner = field(0);
  suppression.until = DateOf(field(1));
  suppression.because = field(2);
  if (suppression.what.empty()) return fail("a rule or name is needed here", kSuppress.size());
  for (const size_t i : {size_t{0}, size_t{2}}) {
    if (field(i).empty()) return fail("a text is needed here", begins[i] + kFields[i].size());
  }
  if (suppression.until == 0) {
    return fail("a date is needed here, as in 2026-12-31", begins[1] + kFields[1].size());
  }
  return std::nullopt;
}

std::string DateText(int32_t date) {
  return Format("%04d-%02d-%02d", date / 10000, date / 100 % 100, date % 100);
}

std::string Suppression::Text() const {
  return owner + " until " + DateText(until) + ": " + because;
}

const Suppression* ExpiredOn(int32_t today, std::span<const Suppression> suppressions) {
  const auto found = std::find_if(suppressions.begin(), suppressions.end(),
                                  [&](const Suppression& one) { return one.until < today; });
  return found == suppressions.end() ? nullptr : &*found;
}

}  // namespace gprofx::compare
