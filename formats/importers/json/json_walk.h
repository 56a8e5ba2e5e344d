// Reads a JSON file of any size and calls a visitor for each value, with its position. Blocking;
// one thread.
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

  // Returns the number times 10^power, rounded. nullopt if it is negative or too large.
  std::optional<int64_t> Times(int power) const;
  std::optional<int64_t> Whole() const { return Times(0); }
};

// Receives the values of a file. The path of a value consists of the keys down to it, joined by
// '.'. Elements of an array have the path of the array.
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

// Calls `visitor` for each value of the file. Returns the number of replacements by JsonMender.
Result<int64_t> WalkJson(ByteSource& source, const std::string& path, JsonVisitor& visitor);

}  // namespace gprofx::importers
