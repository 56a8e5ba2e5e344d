// Rows of functions as compilers make them for aarch64.
#include <catch2/catch.hpp>
#include <vector>

#include "../cfi_image.h"

using namespace gprofx::agent;

namespace {

bool IsBad(const Row& row) {
  return row.cfa == CfaRule::kInvalid &&
         static_cast<EndReason>(row.cfa_offset) == EndReason::kBadRule;
}

}  // namespace

TEST_CASE("paciasp; stp x29, x30, [sp, -32]!; ...; ldp; autiasp; ret") {
  Image image({0x41, 0x2d, 0x41, 0x0e, 32, 0x80 | 29, 4, 0x80 | 30, 3, 0x50, 0xc0 | 30, 0xc0 | 29,
               0x0e, 0, 0x41, 0x2d});
  const Row entry = image.At(0), body = image.At(12), left = image.At(0x48);
  CHECK((entry.cfa == CfaRule::kSp && entry.cfa_offset == 0 && entry.ra == RaRule::kInRegister));
  CHECK((body.cfa == CfaRule::kSp && body.cfa_offset == 32 && body.bp == BpRule::kAtCfa));
  CHECK((body.ra == RaRule::kAboveBp && body.bp_offset == -32 && body.module == 3));
  CHECK((left.cfa_offset == 0 && left.ra == RaRule::kInRegister && left.bp == BpRule::kSame));
}

TEST_CASE("without a frame pointer the return address lies anywhere") {
  Image image({0x41, 0x0e, 48, 0x80 | 30, 6, 0x80 | 19, 5});
  const Row row = image.At(8);
  CHECK((row.cfa == CfaRule::kSp && row.cfa_offset == 48));
  CHECK((row.ra == RaRule::kAtOffset && row.bp_offset == -48 && row.bp == BpRule::kSame));
}

TEST_CASE("a frame that grows is found from its frame pointer") {
  Image image({0x41, 0x0e, 32, 0x80 | 29, 4, 0x80 | 30, 3, 0x41, 0x0d, 29});
  const Row row = image.At(8);
  CHECK((row.cfa == CfaRule::kBp && row.cfa_offset == 32 && row.ra == RaRule::kAboveBp));
}

TEST_CASE("signal frames, ends and places that no row tells") {
  CHECK(Image({}, "zRS").At(0).cfa == CfaRule::kSignal);
  CHECK(Image({0x07, 30}).At(0).cfa == CfaRule::kEnd);
  // x30 below x29; in another register; by an expression.
  CHECK(IsBad(Image({0x0e, 32, 0x80 | 29, 3, 0x80 | 30, 4}).At(0)));
  CHECK(IsBad(Image({0x09, 30, 17}).At(0)));
  CHECK(IsBad(Image({0x10, 30, 2, 0x8f, 0}).At(0)));
}
