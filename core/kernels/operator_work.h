// Derives the minimum work of an operator from the shapes of its arguments. The work is the
// arithmetic operations (a multiplication and an addition count as two) and the bytes that the
// operator must read and write.
//
// Supports matrix products (mm, addmm, bmm, baddbmm), whose work the shapes determine. Convolutions
// and attention are unknown: they depend on strides and masks, which shapes do not contain. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gprofx {

struct OperatorWork {
  int64_t flop = 0, bytes = 0;
};

using TensorShape = std::vector<int64_t>;

// Returns the minimum work of the operator `name`, such as "aten::mm". `types` are the types of its
// arguments: "float", "c10::BFloat16". No value if the work is unknown.
std::optional<OperatorWork> WorkOfOperator(std::string_view name,
                                           std::span<const TensorShape> shapes,
                                           std::span<const std::string> types);

}  // namespace gprofx
