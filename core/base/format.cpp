#include "core/base/format.h"

#include <cinttypes>
#include <cstdarg>
#include <cstdio>

namespace gprofx {

std::string Format(const char* format, ...) {
  char text[512];  // longer results, of absurd numbers, are cut off
  va_list values;
  va_start(values, format);
  vsnprintf(text, sizeof text, format, values);
  va_end(values);
  return text;
}

std::string SecondsText(int64_t ns, int places) {
  return Format("%.*f s", places, static_cast<double>(ns) / 1e9);
}

std::string HexText(uint64_t number, int digits) { return Format("%0*" PRIx64, digits, number); }

}  // namespace gprofx
