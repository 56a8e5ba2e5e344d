// Reads the values of options into the fields of a command. The type of a field says how its option
// is read. Pure.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <variant>

#include "cli/options.h"
#include "cli/terminal/screen.h"
#include "core/base/result.h"
#include "core/views/query.h"

namespace gprofx {

// The largest number of rows that a user may ask for.
inline constexpr size_t kMaxLimit = 1'000'000'000;

// The field of a switch that turns something off: --no-pager makes `field` false.
struct TurnsOff {
  bool* field;
};

struct OptionField {
  using Field = std::variant<bool*, TurnsOff, std::string*, size_t*, std::optional<size_t>*,
                             ColorWhen*, CodeView*, std::optional<CodeView>*>;

  const char* name;  // long name of the option
  Field field;
  size_t most = kMaxLimit;  // largest value of a number; the smallest is 1
};

// Reads the options in this order, up to the first with an invalid value. The field of an option
// that is not given does not change.
Status ReadOptions(const ParsedOptions& parsed, std::initializer_list<OptionField> fields);

}  // namespace gprofx
