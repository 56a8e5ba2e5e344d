// What is of aarch64 in the walk: return addresses in a register or anywhere in a frame, signed
// ones, stubs, frame records.
#include "samplers/agent/unwind/walk.h"

#include <catch2/catch.hpp>

#include "../walk_fixture.h"

using namespace gprofx::agent;

namespace {

constexpr uint64_t kSignature = uint64_t{0x2a5b} << 48;

Row WithRa(Row row, RaRule ra, int bp_offset) {
  row.ra = ra;
  row.bp_offset = bp_offset;
  return row;
}
Row InRegister(int cfa_offset) {
  return WithRa(Make(CfaRule::kSp, cfa_offset), RaRule::kInRegister, 0);
}

}  // namespace

TEST_CASE("rows survive packing with the place of the return address") {
  for (int cfa_offset : {0, 16, 4096, -64, (1 << 24) - 8, -(1 << 24)}) {
    for (int bp_offset : {0, -16, -65536, 65528}) {
      for (RaRule ra : {RaRule::kInRegister, RaRule::kAtOffset, RaRule::kAboveBp}) {
        Row row = WithRa(Make(CfaRule::kDeref, cfa_offset, BpRule::kAtCfa, 0, 28), ra, bp_offset);
        row.module = 4095;
        REQUIRE(row.Packable());
        const Row back = Row::Unpack(row.Pack());
        CHECK((back.cfa == row.cfa && back.bp == row.bp && back.ra == ra && back.reg == 28));
        CHECK((back.cfa_offset == cfa_offset && back.bp_offset == bp_offset));
        CHECK(back.module == 4095);
      }
    }
  }
  CHECK_FALSE(Make(CfaRule::kSp, 1 << 24).Packable());
  CHECK_FALSE(Make(CfaRule::kSp, 12).Packable());
  const Row why = Row::Unpack(Row::Invalid(EndReason::kBadRule, 7).Pack());
  CHECK((why.cfa == CfaRule::kInvalid && why.module == 7));
  CHECK(static_cast<EndReason>(why.cfa_offset) == EndReason::kBadRule);
}

TEST_CASE("a leaf returns to its link register, without moving the stack pointer") {
  Fixture f;
  f.rows.rows[0x401000] = InRegister(0);
  f.rows.rows[0x4020ff] = Make(CfaRule::kEnd, 0);
  f.PutCall(0x402100);
  Registers start = At(0x401000, kStack);
  start.r[kDwarfRa] = 0x402100 | kSignature;
  const WalkResult w = f.Walk(start);
  REQUIRE(w.count == 2);
  CHECK(w.end == EndReason::kComplete);
  CHECK((w.frames[1].pc == 0x4020ff && w.frames[1].sp == kStack));
  CHECK_FALSE(w.frames[0].called);
  // Only the innermost frame's register is known.
  f.rows.rows[0x4020ff] = InRegister(16);
  CHECK(f.Walk(start).end == EndReason::kBadRule);
}

TEST_CASE("signed return addresses are read without their signatures, also in a stack of before") {
  Fixture f;
  f.rows.rows[0x401000] =
      WithRa(Make(CfaRule::kSp, 64, BpRule::kAtCfa, -64), RaRule::kAboveBp, -64);
  f.rows.rows[0x4020ff] = Make(CfaRule::kSp, 32);
  f.rows.rows[0x4030ff] = Make(CfaRule::kEnd, 0);
  f.memory.Put<uint64_t>(kStack, 0xb0b);
  f.memory.Put<uint64_t>(kStack + 8, 0x402100 | kSignature);
  f.memory.Put<uint64_t>(kStack + 64 + 24, 0x403100 | kSignature);
  f.PutCall(0x402100);
  f.PutCall(0x403100);
  const WalkResult first = f.Walk(At(0x401000, kStack));
  REQUIRE(first.count == 3);
  CHECK(first.end == EndReason::kComplete);
  CHECK((first.frames[1].pc == 0x4020ff && first.frames[1].bp == 0xb0b));
  CHECK(first.frames[2].pc == 0x4030ff);
  const int cold = f.rows.finds;
  const WalkResult second = f.Walk(At(0x401000, kStack), first);
  CHECK(second.reused == 2);
  CHECK(f.rows.finds - cold == 1);
}

TEST_CASE(
    "a stub without rows returns to its link register, code of no module by its frame record") {
  Fixture f;
  f.rows.rows[0x4020ff] = Make(CfaRule::kEnd, 0);
  f.PutCall(0x402100);
  f.memory.Put<uint64_t>(kStack + 32, 0xb0b);
  f.memory.Put<uint64_t>(kStack + 40, 0x402100);
  Registers start = At(0x9990, kStack, kStack + 32);
  start.r[kDwarfRa] = 0x402100;
  const WalkResult stub = f.Walk(start);
  REQUIRE(stub.count == 2);
  CHECK(stub.frames[1].sp == kStack);
  start.r[kDwarfRa] = 0x9998;  // it has called: an address of its own, and no rows there
  const WalkResult made = f.Walk(start);
  REQUIRE(made.count == 2);
  CHECK((made.end == EndReason::kComplete && made.frames[1].sp == kStack + 48));
}

TEST_CASE("kernels in assembler are left by what their caller's row says of its frame record") {
  Fixture f;
  f.rows.rows[0x4020ff] =
      WithRa(Make(CfaRule::kSp, 64, BpRule::kAtCfa, -64), RaRule::kAboveBp, -64);
  f.rows.rows[0x4030ff] = Make(CfaRule::kEnd, 0);
  f.PutCall(0x402100);
  f.PutCall(0x403100);
  for (uint64_t i = 0; i < 64; ++i) f.memory.Put<uint64_t>(kStack + i * 8, i);
  uint64_t sp = 0;  // of the caller, where its record lies
  Registers start = At(0x9990, kStack);
  start.r[kDwarfRa] = 0x402100;
  SECTION("one that moved the stack pointer alone") {
    sp = kStack + 176;
    start.r[kDwarfBp] = sp;
  }
  SECTION("one that pushed a record, and no more") {
    sp = kStack + 16;
    start.r[kDwarfBp] = kStack;
  }
  SECTION("one that has its record at the bottom of a frame") {
    sp = kStack + 128;
    start.r[kDwarfBp] = kStack;
  }
  SECTION("one whose record lies above what it took") {
    sp = kStack + 128 + 96;
    start.r[kDwarfBp] = kStack + 128;
  }
  if (start.bp() != sp) {
    f.memory.Put<uint64_t>(start.bp(), sp);
    f.memory.Put<uint64_t>(start.bp() + 8, 0x402100);
  }
  f.memory.Put<uint64_t>(sp, 0xb0b);
  f.memory.Put<uint64_t>(sp + 8, 0x403100);
  const WalkResult w = f.Walk(start);
  REQUIRE(w.count == 3);
  CHECK(w.end == EndReason::kComplete);
  CHECK((w.frames[1].pc == 0x4020ff && w.frames[1].sp == sp));
  CHECK((w.frames[2].pc == 0x4030ff && w.frames[2].sp == sp + 64));
}

TEST_CASE("a function that calls itself through a stub loses no frame there") {
  Fixture f;
  f.rows.rows[0x4020ff] =
      WithRa(Make(CfaRule::kSp, 64, BpRule::kAtCfa, -64), RaRule::kAboveBp, -64);
  f.rows.rows[0x4030ff] = Make(CfaRule::kEnd, 0);
  f.PutCall(0x402100);
  f.PutCall(0x403100);
  for (uint64_t at = 0x9990; at < 0x9998; at += 4) f.memory.Put<uint32_t>(at, 0x91000210);
  f.memory.Put<uint32_t>(0x9998, 0xd61f0220);  // br x17
  f.memory.Put<uint64_t>(kStack, kStack + 64);
  f.memory.Put<uint64_t>(kStack + 8, 0x402100);
  f.memory.Put<uint64_t>(kStack + 64, 0xb0b);
  f.memory.Put<uint64_t>(kStack + 72, 0x403100);
  Registers start = At(0x9990, kStack, kStack);
  start.r[kDwarfRa] = 0x402100;
  const WalkResult w = f.Walk(start);
  REQUIRE(w.count == 4);
  CHECK(w.end == EndReason::kComplete);
  CHECK((w.frames[1].sp == kStack && w.frames[2].sp == kStack + 64));
}

TEST_CASE("a chain of frame records ends where a frame pointer of 0 was saved") {
  Fixture f;
  const uint64_t inner = kStack + 64, root = kStack + 256;
  f.PutCall(0x402100);
  f.memory.Put<uint64_t>(inner, root);
  f.memory.Put<uint64_t>(inner + 8, 0x402100);
  f.memory.Put<uint64_t>(root, 0);
  f.memory.Put<uint64_t>(root + 8, 0);
  const WalkResult w = f.Walk(At(0x401000, kStack, inner));
  CHECK((w.count == 2 && w.end == EndReason::kComplete));
  f.memory.Put<uint64_t>(root, 0x1234);  // any other value: who called it is not known
  CHECK(f.Walk(At(0x401000, kStack, inner)).end != EndReason::kComplete);
}

TEST_CASE("every form of a call is known by the instruction before a return address") {
  RecordedMemory memory;
  uint32_t unreadable = 0;
  const auto follows = [&](uint32_t code) {
    memory.Put<uint32_t>(0x1000, code);
    return machine::FollowsCall(memory, 0x1004, &unreadable);
  };
  for (uint32_t call : {0x94000001u /* bl */, 0x97fffff0u, 0xd63f0020u /* blr x1 */,
                        0xd73f0a31u /* blraa x17, x17 */, 0xd63f083fu /* blraaz x1 */})
    CHECK(follows(call));
  for (uint32_t other : {0x14000001u /* b */, 0xd61f0220u /* br x17 */, 0xd65f03c0u /* ret */,
                         0xd503201fu /* nop */})
    CHECK_FALSE(follows(other));
  CHECK_FALSE(machine::FollowsCall(memory, 0x1006, &unreadable));
  CHECK(unreadable == 0);
  CHECK_FALSE(machine::FollowsCall(memory, 0x2000, &unreadable));
  CHECK(unreadable == 1);
}
