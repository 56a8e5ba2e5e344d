#include "samplers/agent/unwind/walk.h"

#include <catch2/catch.hpp>

#include "walk_fixture.h"

using namespace gprofx::agent;

TEST_CASE("a walk goes by rows of stack and frame pointer to the outermost frame") {
  Fixture f;
  f.rows.rows[0x401000] = Make(CfaRule::kSp, 24);
  f.rows.rows[0x4020ff] = Make(CfaRule::kBp, 16, BpRule::kAtCfa, -16);
  f.rows.rows[0x4030ff] = Make(CfaRule::kEnd, 0);
  f.memory.Put<uint64_t>(kStack + 16, 0x402100);  // return address of the leaf
  f.memory.Put<uint64_t>(kStack + 64, 0xb0b);     // saved frame pointer of the middle
  f.memory.Put<uint64_t>(kStack + 72, 0x403100);
  WalkResult w = f.Walk(At(0x401000, kStack, kStack + 64));
  REQUIRE(w.count == 3);
  CHECK(w.end == EndReason::kComplete);
  CHECK(w.frames[0].pc == 0x401000);
  CHECK(w.frames[1].pc == 0x4020ff);
  CHECK(w.frames[1].sp == kStack + 24);
  CHECK(w.frames[2].pc == 0x4030ff);
  CHECK(w.frames[2].bp == 0xb0b);
}

TEST_CASE("a signal frame takes all registers from the context and starts a leaf again") {
  Fixture f;
  f.rows.rows[0x401000] = Make(CfaRule::kSp, 8);
  f.rows.rows[0x4020ff] = Make(CfaRule::kSignal, 0);
  f.rows.rows[0x403000] =
      Make(CfaRule::kReg, 16, BpRule::kSame, 0, kKept);  // it is live: it was interrupted
  f.rows.rows[0x4040ff] = Make(CfaRule::kEnd, 0);
  f.memory.Put<uint64_t>(kStack, 0x402100);
  const uint64_t context = kStack + 8 + machine::kContextAboveSp;
  for (int i = 0; i < machine::kRegisters; ++i)
    f.memory.Put<uint64_t>(context + machine::kContextOffset[i], 0);
  const auto put = [&](int reg, uint64_t value) {
    f.memory.Put<uint64_t>(context + machine::kContextOffset[reg], value);
  };
  put(machine::kInstructionPointer, 0x403000);
  put(kDwarfSp, kStack + 4096);
  put(kKept, kStack + 8192);
  f.memory.Put<uint64_t>(kStack + 8192 + 8, 0x404100);
  WalkResult w = f.Walk(At(0x401000, kStack));
  REQUIRE(w.count == 4);
  CHECK(w.end == EndReason::kComplete);
  CHECK(w.frames[2].pc == 0x403000);
  CHECK(w.frames[3].sp == kStack + 8192 + 16);
}

TEST_CASE("a register that callees saved is recovered for their caller's row") {
  Fixture f;
  f.rows.rows[0x401000] = Make(CfaRule::kSp, 24);
  f.rows.rows[0x4020ff] = Make(CfaRule::kReg, 32, BpRule::kSame, 0, kKept);
  f.rows.rows[0x4030ff] = Make(CfaRule::kEnd, 0);
  CfiState leaf;
  leaf.other = BpRule::kAtCfa;
  leaf.other_offset = -16;
  f.rows.saved[0x401000] = leaf;
  f.memory.Put<uint64_t>(kStack + 16, 0x402100);
  f.memory.Put<uint64_t>(kStack + 8, kStack + 1000);  // saved by the leaf at CFA-16
  f.memory.Put<uint64_t>(kStack + 1000 + 24, 0x403100);
  WalkResult w = f.Walk(At(0x401000, kStack));
  REQUIRE(w.count == 3);
  CHECK(w.frames[2].sp == kStack + 1032);
}

TEST_CASE("code without rows is walked by frame pointers if they look right") {
  Fixture f;
  f.rows.rows[0x4020ff] = Make(CfaRule::kEnd, 0);
  f.memory.Put<uint64_t>(kStack, 1);  // not a return address
  f.memory.Put<uint64_t>(kStack + 32, 0xb0b);
  f.memory.Put<uint64_t>(kStack + 40, 0x402100);
  SECTION("the candidate follows a call") {
    f.PutCall(0x402100);
    WalkResult w = f.Walk(At(0x9990, kStack, kStack + 32));
    REQUIRE(w.count == 2);
    CHECK(w.end == EndReason::kComplete);
  }
  SECTION("it does not: the stack is marked as truncated, with the reason") {
    f.PutCode(0x402100);
    WalkResult w = f.Walk(At(0x9990, kStack, kStack + 32));
    CHECK(w.count == 1);
    CHECK(w.end == EndReason::kNoModule);
  }
}

TEST_CASE("what is no return address makes no frame: the frame before is where the walk gave up") {
  Fixture f;
  f.rows.rows[0x401000] = Make(CfaRule::kSp, 24);
  f.rows.rows[0x4020ff] = Make(CfaRule::kSp, 24);
  f.memory.Put<uint64_t>(kStack + 16, 0x402100);
  f.memory.Put<uint64_t>(kStack + 40, 0x7e0000001234);  // what another stack left there
  WalkResult w = f.Walk(At(0x401000, kStack));
  REQUIRE(w.count == 2);
  CHECK(w.end == EndReason::kNoModule);
  CHECK(w.frames[1].pc == 0x4020ff);
  CHECK(w.frames[1].module == 1);
  CHECK(w.last_cfa == kStack + 48);
}

TEST_CASE("a stack that returns to the begin of a function ends there") {
  Fixture f;
  f.rows.rows[0x401000] = Make(CfaRule::kSp, 8);
  f.rows.rows[0x4020ff] = Make(CfaRule::kInvalid, static_cast<int>(EndReason::kNoRow));
  f.memory.Put<uint64_t>(kStack, 0x402100);
  CHECK(f.Walk(At(0x401000, kStack)).end == EndReason::kNoRow);
  f.rows.rows[0x402100] = Make(CfaRule::kSp, 8);
  const WalkResult w = f.Walk(At(0x401000, kStack));
  CHECK(w.count == 1);
  CHECK(w.end == EndReason::kComplete);
}

TEST_CASE("broken stacks end with a reason, never with a fault") {
  Fixture f;
  SECTION("unreadable") {
    f.rows.rows[0x401000] = Make(CfaRule::kSp, 24);
    CHECK(f.Walk(At(0x401000, kStack)).end == EndReason::kUnreadable);
  }
  SECTION("the stack pointer does not move outwards") {
    f.rows.rows[0x401000] = Make(CfaRule::kSp, -8);
    CHECK(f.Walk(At(0x401000, kStack)).end == EndReason::kBadSp);
  }
  SECTION("a misaligned frame") {
    f.rows.rows[0x401000] = Make(CfaRule::kBp, 3);
    CHECK(f.Walk(At(0x401000, kStack, kStack + 64)).end == EndReason::kBadSp);
  }
  SECTION("a frame of absurd size") {
    f.rows.rows[0x401000] = Make(CfaRule::kBp, 16);
    CHECK(f.Walk(At(0x401000, kStack, kStack + kMaxFrameBytes + 8)).end == EndReason::kBadSp);
  }
  SECTION("endless recursion") {
    f.rows.rows[0x401000] = Make(CfaRule::kSp, 8);
    f.rows.rows[0x4010ff] = Make(CfaRule::kSp, 8);
    for (uint64_t i = 0; i < 1000; ++i) f.memory.Put<uint64_t>(kStack + i * 8, 0x401100);
    WalkResult w = f.Walk(At(0x401000, kStack));
    CHECK(w.end == EndReason::kDepth);
    CHECK(w.count == 192);  // three quarters
    CHECK(w.last_cfa == kStack + 192 * 8);
  }
}

TEST_CASE("the outer end of a stack that is too deep stays where it was cut") {
  Fixture f;
  f.rows.rows[0x401000] = f.rows.rows[0x4010ff] = Make(CfaRule::kSp, 8);
  f.PutCall(0x401100);
  for (uint64_t i = 0; i < 1000; ++i) f.memory.Put<uint64_t>(kStack + i * 8, 0x401100);
  const uint64_t begin = kStack + 400 * 8;
  const WalkResult first = f.Walk(At(0x401000, begin));
  REQUIRE(first.count == 192);
  const uint64_t end = first.last_cfa;
  const int cold = f.rows.finds;
  const WalkResult deeper = f.Walk(At(0x401000, begin - 40 * 8), first);
  CHECK(deeper.count == 232);
  CHECK(deeper.last_cfa == end);
  CHECK(deeper.end == EndReason::kDepth);
  CHECK(f.rows.finds - cold <= 42);
  const WalkResult shallower = f.Walk(At(0x401000, begin + 60 * 8), first);
  CHECK(shallower.count == 132);
  CHECK(shallower.last_cfa == end);
  // Hardly anything of it is left, or there is no more room: it is cut anew.
  const WalkResult anew = f.Walk(At(0x401000, begin + 100 * 8), shallower);
  CHECK(anew.count == 192);
  CHECK(anew.last_cfa != end);
  const WalkResult much = f.Walk(At(0x401000, begin - 300 * 8), anew);
  CHECK(much.count == 192);
  CHECK(much.last_cfa == begin - 300 * 8 + 192 * 8);
}

TEST_CASE("another deep stack is not cut by what the walk before has left of the buffer") {
  Fixture f;
  f.rows.rows[0x401000] = f.rows.rows[0x4010ff] = Make(CfaRule::kSp, 8);
  f.rows.rows[0x4030ff] = Make(CfaRule::kEnd, 0);
  f.PutCall(0x401100);
  for (const uint64_t stack : {kStack, kStack + 65536}) {
    for (uint64_t i = 0; i < 150; ++i) f.memory.Put<uint64_t>(stack + i * 8, 0x401100);
    f.memory.Put<uint64_t>(stack + 150 * 8, 0x403100);
  }
  const WalkResult first = f.Walk(At(0x401000, kStack));
  REQUIRE(first.end == EndReason::kComplete);
  REQUIRE(first.count == 152);
  const WalkResult other = f.Walk(At(0x401000, kStack + 65536), first);
  CHECK(other.end == EndReason::kComplete);
  CHECK(other.count == 152);
}

TEST_CASE("an unchanged part of the stack is taken over without looking at rows") {
  Fixture f;
  f.rows.rows[0x401000] = Make(CfaRule::kSp, 16);
  f.rows.rows[0x401500] = Make(CfaRule::kSp, 16);
  for (uint64_t k = 0; k < 40; ++k) {
    f.rows.rows[0x402000 + k * 16 - 1] = Make(CfaRule::kSp, 16);
    f.memory.Put<uint64_t>(kStack + k * 16 + 8, 0x402000 + k * 16);
  }
  f.rows.rows[0x4020ff + 40 * 16 - 0x100] = Make(CfaRule::kEnd, 0);
  f.rows.rows[0x402000 + 39 * 16 - 1] = Make(CfaRule::kEnd, 0);
  WalkResult first = f.Walk(At(0x401000, kStack));
  REQUIRE(first.end == EndReason::kComplete);
  REQUIRE(first.count == 41);
  int cold = f.rows.finds;
  SECTION("another leaf") {
    WalkResult second = f.Walk(At(0x401500, kStack), first);
    CHECK(second.reused >= 39);
    CHECK(f.rows.finds - cold <= 2);
    CHECK(second.count == 41);
    CHECK(second.end == EndReason::kComplete);
    CHECK(second.frames[0].pc == 0x401500);
    CHECK(second.frames[40].pc == first.frames[40].pc);
    CHECK(second.last_cfa == first.last_cfa);
  }
  SECTION("a return address in the middle changed") {
    f.rows.rows[0x40a0ff] = Make(CfaRule::kEnd, 0);
    f.memory.Put<uint64_t>(kStack + 20 * 16 + 8, 0x40a100);
    WalkResult second = f.Walk(At(0x401500, kStack), first);
    CHECK(second.reused == 0);
    CHECK(second.count == 22);
    CHECK(second.frames[21].pc == 0x40a0ff);
  }
  SECTION("the outermost return address changed: each is compared once") {
    f.rows.rows[0x40a0ff] = Make(CfaRule::kEnd, 0);
    f.memory.Put<uint64_t>(kStack + 39 * 16 + 8, 0x40a100);
    const int before = f.memory.reads;
    const WalkResult second = f.Walk(At(0x401500, kStack), first);
    CHECK(second.reused == 0);
    CHECK(second.count == 41);
    CHECK(second.frames[40].pc == 0x40a0ff);
    CHECK(f.memory.reads - before < 6 * 41);
  }
}
