#include "core/forecast/device/grid_text.h"

#include <optional>

namespace gprofx::forecast {
namespace {

// The digits are the visible ASCII characters. kTwoDigits, the last of them, introduces a number of
// two digits.
constexpr char kZero = '!', kTwoDigits = '~';
constexpr int kBase = kTwoDigits - kZero, kHalf = kBase / 2;
// Number of different values. Differences of values are taken modulo this number.
constexpr int kValues = kMaxSteps + 1;

int Expected(const std::vector<uint16_t>& steps, size_t index, size_t width) {
  const bool first_row = index < width, first_column = index % width == 0;
  const int left = first_column ? 0 : steps[index - 1];
  const int above = first_row ? 0 : steps[index - width];
  const int above_left = first_row || first_column ? 0 : steps[index - width - 1];
  return left + above - above_left;
}

int Wrapped(int value) { return (value % kValues + kValues) % kValues; }

char Digit(int value) { return static_cast<char>(kZero + value); }

std::optional<int> TakeDigit(std::string_view& line) {
  const int digit = line.empty() ? -1 : line[0] - kZero;
  if (digit < 0 || digit >= kBase) return std::nullopt;
  line.remove_prefix(1);
  return digit;
}

std::optional<int> TakeDifference(std::string_view& line) {
  if (line.empty() || line[0] != kTwoDigits) {
    const std::optional<int> digit = TakeDigit(line);
    return digit ? std::optional(*digit - kHalf) : std::nullopt;
  }
  line.remove_prefix(1);
  const std::optional<int> high = TakeDigit(line), low = TakeDigit(line);
  return high && low ? std::optional(*high * kBase + *low) : std::nullopt;
}

}  // namespace

std::string GridRowText(const std::vector<uint16_t>& steps, size_t first, size_t width) {
  std::string text;
  for (size_t i = first; i < first + width; ++i) {
    const int difference = Wrapped(steps[i] - Expected(steps, i, width));
    const int near_zero = Wrapped(difference + kHalf);
    if (near_zero < kBase) {
      text += Digit(near_zero);
    } else {
      text += {kTwoDigits, Digit(difference / kBase), Digit(difference % kBase)};
    }
  }
  return text;
}

bool ReadGridRow(std::string_view line, size_t width, std::vector<uint16_t>& steps) {
  for (size_t i = 0; i < width; ++i) {
    const std::optional<int> difference = TakeDifference(line);
    if (!difference) return false;
    steps.push_back(
        static_cast<uint16_t>(Wrapped(Expected(steps, steps.size(), width) + *difference)));
  }
  return line.empty();
}

}  // namespace gprofx::forecast
