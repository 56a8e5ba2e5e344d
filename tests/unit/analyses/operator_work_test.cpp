#include "core/kernels/operator_work.h"

#include <catch2/catch.hpp>

namespace gprofx {
namespace {

std::optional<OperatorWork> Work(const char* name, std::vector<TensorShape> shapes,
                                 const std::string& type = "float") {
  const std::vector<std::string> types(shapes.size(), type);
  return WorkOfOperator(name, shapes, types);
}

}  // namespace

TEST_CASE("products of matrices") {
  const auto mm = Work("aten::mm", {{8944, 1024}, {1024, 2816}}, "c10::BFloat16");
  REQUIRE(mm);
  CHECK(mm->flop == 2LL * 8944 * 1024 * 2816);
  CHECK(mm->bytes == 2LL * (8944 * 1024 + 1024 * 2816 + 8944 * 2816));
  const auto addmm = Work("aten::addmm", {{5}, {3, 4}, {4, 5}});
  REQUIRE(addmm);
  CHECK(addmm->flop == 2 * 3 * 4 * 5 + 3 * 5);
  CHECK(addmm->bytes == 4 * (12 + 20 + 15 + 5));
  const auto bmm = Work("aten::bmm", {{2, 3, 4}, {2, 4, 5}});
  REQUIRE(bmm);
  CHECK(bmm->flop == 2 * 2 * 3 * 4 * 5);
}

TEST_CASE("what shapes do not tell is not said") {
  CHECK_FALSE(Work("aten::convolution", {{1, 3, 8, 8}, {4, 3, 3, 3}}));
  CHECK_FALSE(Work("aten::mm", {{3, 4}, {5, 6}}));
  CHECK_FALSE(Work("aten::mm", {{3, 4}}));
  CHECK_FALSE(Work("aten::mm", {{3}, {4, 5}}));
  CHECK_FALSE(Work("aten::mm", {{3, 4}, {4, 5}}, "my::Type"));
  CHECK_FALSE(Work("aten::mm", {{INT64_MAX, 4}, {4, INT64_MAX}}));
  CHECK_FALSE(Work("aten::mm", {{-3, 4}, {4, 5}}));
  CHECK_FALSE(Work("aten::bmm", {{2, 3, 4}, {3, 4, 5}}));
}

}  // namespace gprofx
