// Derives the minimum work of an operator from the shapes of its arguments: arithmetic operations
// (a multiplication and an addition are two), and bytes that are read and written once.
//
// Supports matrix products (mm, addmm, bmm, baddbmm), whose work is determined by the shapes.
// Convolutions and attention depend on strides and masks, which shapes do not contain, so they are
// unknown. Pure.
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

// `name`: "aten::mm". `types` of the arguments: "float", "c10::BFloat16". Returns nothing if
// unknown.
std::optional<OperatorWork> WorkOfOperator(std::string_view name,
                                           std::span<const TensorShape> shapes,
                                           std::span<const std::string> types);

}  // namespace gprofx
