// What an operator has to do at least, told by the shapes of its arguments: operations on numbers
// (a product and a sum are two), and bytes that are read and written once.
//
// Known of products of matrices (mm, addmm, bmm, baddbmm), whose shapes tell all. Convolutions and
// attention depend on strides and masks that shapes do not tell, so nothing is said of them. Pure.
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

// `name`: "aten::mm". `types` of the arguments: "float", "c10::BFloat16"; an unknown one is none.
std::optional<OperatorWork> WorkOfOperator(std::string_view name,
                                           std::span<const TensorShape> shapes,
                                           std::span<const std::string> types);

}  // namespace gprofx
