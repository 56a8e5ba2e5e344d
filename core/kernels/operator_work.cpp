#include "core/kernels/operator_work.h"

namespace gprofx {
namespace {

int64_t BytesOf(std::string_view type) {
  static constexpr struct {
    std::string_view name;
    int64_t bytes;
  } kElementTypes[] = {{"float", 4},
                       {"double", 8},
                       {"c10::BFloat16", 2},
                       {"c10::Half", 2},
                       {"c10::Float8_e4m3fn", 1},
                       {"c10::Float8_e5m2", 1},
                       {"signed char", 1},
                       {"unsigned char", 1},
                       {"int", 4},
                       {"long int", 8}};
  for (const auto& known : kElementTypes) {
    if (known.name == type) return known.bytes;
  }
  return 0;
}

// Adds up products of numbers and detects overflow.
class Exact {
 public:
  Exact& Add(std::initializer_list<int64_t> factors) {
    int64_t product = 1;
    for (const int64_t factor : factors) {
      fits_ = fits_ && factor >= 0 && !__builtin_mul_overflow(product, factor, &product);
    }
    fits_ = fits_ && !__builtin_add_overflow(sum_, product, &sum_);
    return *this;
  }
  bool fits() const { return fits_; }
  int64_t sum() const { return sum_; }

 private:
  int64_t sum_ = 0;
  bool fits_ = true;
};

int64_t ElementCount(const TensorShape& shape) {
  int64_t all = 1;
  for (const int64_t size : shape) {
    if (size < 0 || __builtin_mul_overflow(all, size, &all)) return -1;
  }
  return all;
}

}  // namespace

std::optional<OperatorWork> WorkOfOperator(std::string_view name,
                                           std::span<const TensorShape> shapes,
                                           std::span<const std::string> types) {
  const bool batched = name == "aten::bmm" || name == "aten::baddbmm";
  const bool adds = name == "aten::addmm" || name == "aten::baddbmm";
  if (!batched && !adds && name != "aten::mm") return std::nullopt;
  const size_t first = adds ? 1 : 0, rank = batched ? 3 : 2;
  if (shapes.size() < first + 2 || types.size() < first + 2) return std::nullopt;
  const TensorShape &a = shapes[first], &b = shapes[first + 1];
  if (a.size() != rank || b.size() != rank) return std::nullopt;
  const int64_t batch = batched ? a[0] : 1;
  const int64_t m = a[rank - 2], k = a[rank - 1], n = b[rank - 1];
  if (b[rank - 2] != k || (batched && b[0] != batch)) return std::nullopt;
  const int64_t size = BytesOf(types[first]);
  if (size == 0 || types[first + 1] != types[first]) return std::nullopt;
  Exact flop, bytes;
  flop.Add({2, batch, m, n, k});
  bytes.Add({batch, m, k, size}).Add({batch, k, n, size}).Add({batch, m, n, size});
  if (adds) {
    flop.Add({batch, m, n});
    bytes.Add({ElementCount(shapes[0]), size});
  }
  if (!flop.fits() || !bytes.fits()) return std::nullopt;
  return OperatorWork{flop.sum(), bytes.sum()};
}

}  // namespace gprofx
