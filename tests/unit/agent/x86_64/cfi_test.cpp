// Rows of functions as compilers make them for x86-64.
#include <catch2/catch.hpp>
#include <vector>

#include "../cfi_image.h"

using namespace gprofx::agent;

TEST_CASE("push rbp; mov rsp, rbp; ...; leave") {
  Image image({0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6, 0x60, 0x0c, 7, 8});
  Row entry = image.At(0), pushed = image.At(1), body = image.At(10), left = image.At(0x30);
  CHECK((entry.cfa == CfaRule::kSp && entry.cfa_offset == 8 && entry.bp == BpRule::kSame));
  CHECK((pushed.cfa == CfaRule::kSp && pushed.cfa_offset == 16 && pushed.bp == BpRule::kAtCfa &&
         pushed.bp_offset == -16));
  CHECK((body.cfa == CfaRule::kBp && body.cfa_offset == 16 && body.module == 3));
  CHECK((left.cfa == CfaRule::kSp && left.cfa_offset == 8));
  CHECK(image.At(0x100).cfa == CfaRule::kInvalid);
  CHECK(static_cast<EndReason>(image.At(0x100).cfa_offset) == EndReason::kNoRow);
}

TEST_CASE("the range of a row is where it holds") {
  Image image({0x41, 0x0e, 16, 0x4f, 0x0e, 24});
  CodeRange range;
  MakeRow(image.memory, kHeader, kCode + 5, 0, &range);
  CHECK((range.begin == kCode + 1 && range.end == kCode + 16));
  MakeRow(image.memory, kHeader, kCode + 0x20, 0, &range);
  CHECK((range.begin == kCode + 16 && range.end == kCode + 0x100));
}

TEST_CASE("remember and restore nest") {
  Image image({0x0e, 16, 0x0a, 0x41, 0x0e, 32, 0x0a, 0x41, 0x0e, 64, 0x41, 0x0b, 0x41, 0x0b, 0x41});
  CHECK(image.At(0).cfa_offset == 16);
  CHECK(image.At(1).cfa_offset == 32);
  CHECK(image.At(2).cfa_offset == 64);
  CHECK(image.At(3).cfa_offset == 32);
  CHECK(image.At(4).cfa_offset == 16);
}

TEST_CASE("a realigned stack: CFA = *(rbp - 8), rbp = *rbp") {
  Image image({0x0f, 3, 0x76, 0x78, 0x06, 0x10, 6, 2, 0x76, 0});
  Row row = image.At(5);
  CHECK((row.cfa == CfaRule::kDeref && row.reg == 6 && row.cfa_offset == -8));
  CHECK((row.bp == BpRule::kAtBp && row.bp_offset == 0));
}

TEST_CASE("the expression of the PLT") {
  Image image({0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22});
  Row row = image.At(5);
  CHECK((row.cfa == CfaRule::kPlt && row.cfa_offset == 11));
}

TEST_CASE("signal frames, ends and rules that are not evaluated") {
  CHECK(Image({}, "zRS").At(0).cfa == CfaRule::kSignal);
  CHECK(Image({0x07, 16}).At(0).cfa == CfaRule::kEnd);
  CHECK(Image({0x0c, 10, 0}).At(0).cfa == CfaRule::kReg);
  for (const std::vector<uint8_t>& bad : {std::vector<uint8_t>{0x0f, 4, 0x77, 8, 0x12, 0x22},
                                          {0x90, 2},
                                          {0x3f},
                                          {0x0b},
                                          {0x16, 16, 1, 0x30}}) {
    Row row = Image(bad).At(0);
    CHECK(row.cfa == CfaRule::kInvalid);
    CHECK(static_cast<EndReason>(row.cfa_offset) == EndReason::kBadRule);
  }
}

TEST_CASE("truncated and unknown tables give no row") {
  Image image({0x41, 0x0e, 16});
  for (uint64_t cut = kFrames; cut < kFrames + 40; ++cut) {
    RecordedMemory rest;
    for (auto [address, byte] : image.memory.bytes) {
      if (address < kFrames || address >= kFrames + 64 || address < cut) rest.bytes[address] = byte;
    }
    CodeRange range;
    Row row = MakeRow(rest, kHeader, kCode + 5, 0, &range);
    CHECK((row.cfa == CfaRule::kInvalid || row.cfa == CfaRule::kSp));
  }
  image.memory.Put<uint32_t>(kHeader, 0x1b031b01);  // a table of another encoding
  CHECK(image.At(0).cfa == CfaRule::kInvalid);
}
