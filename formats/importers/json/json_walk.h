// Walks through a JSON file of any size and tells a visitor what stands where. Blocking; one
// thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "formats/importers/byte_source.h"
#include "formats/importers/collapsed/decimal.h"

namespace gprofx::importers {

struct JsonNumber {
  double value = 0;
  Decimal exact;  // without its sign; unset for numbers with an exponent
  bool is_exact = false;

  // The number times 10^power, rounded. nullopt if it is negative or does not fit.
  std::optional<int64_t> Times(int power) const;
  std::optional<int64_t> Whole() const { return Times(0); }
};

// Paths are keys joined by '.'; the elements of an array have the array's path.
class JsonVisitor {
 public:
  virtual ~JsonVisitor() = default;
  virtual void BeginArray(std::string_view /*path*/) {}
  virtual void EndArray(std::string_view /*path*/) {}
  virtual void BeginObject(std::string_view /*path*/) {}
  virtual void EndObject(std::string_view /*path*/) {}
  virtual void Text(std::string_view /*path*/, std::string_view /*text*/) {}
  virtual void Number(std::string_view /*path*/, const JsonNumber& /*number*/) {}
  virtual void Null(std::string_view /*path*/) {}
};

// Returns how many characters were replaced, as JsonMender does.
Result<int64_t> WalkJson(ByteSource& source, const std::string& path, JsonVisitor& visitor);

}  // namespace gprofx::importers
