#include "samplers/agent/unwind/walk.h"

#include <catch2/catch.hpp>

#include "recorded_memory.h"

using namespace gprofx::agent;

namespace {

constexpr uint64_t kStack = 0x7ffc00000000;
constexpr uint8_t kRbx = 3;

struct TableRows {
  std::map<uint64_t, Row> rows;  // by exact pc
  int finds = 0;

  Row Find(uint64_t pc, bool) {
    ++finds;
    auto it = rows.find(pc);
    return it == rows.end() ? Row::Invalid(EndReason::kNoModule, kNoModuleIndex) : it->second;
  }
  bool InModule(uint64_t address) { return address >= 0x400000 && address < 0x500000; }
  bool Rules(uint64_t pc, uint8_t, CfiState* state) {
    *state = saved.count(pc) ? saved[pc] : CfiState{};
    return true;
  }
  std::map<uint64_t, CfiState> saved;
};

Row Make(CfaRule cfa, int offset, BpRule bp = BpRule::kSame, int bp_offset = 0, uint8_t reg = 0) {
  Row row;
  row.cfa = cfa;
  row.cfa_offset = offset;
  row.bp = bp;
  row.bp_offset = bp_offset;
  row.reg = reg;
  row.module = 1;
  return row;
}

Registers At(uint64_t ip, uint64_t sp, uint64_t bp = 0) {
  Registers r{};
  r.r[kDwarfRa] = ip;
  r.r[kDwarfSp] = sp;
  r.r[kDwarfBp] = bp;
  return r;
}

struct Fixture {
  RecordedMemory memory;
  TableRows rows;
  NativeFrame buffer[256];

  WalkResult Walk(const Registers& start, const WalkResult& previous = {}) {
    Walker walker(memory, rows, buffer, 256);
    return walker.Walk(start, previous);
  }
};

}  // namespace

TEST_CASE("rows survive packing") {
  for (int cfa_offset : {0, 8, 16, 4096, -64, (1 << 25) - 1, -(1 << 25)}) {
    for (int bp_offset : {0, -16, -16384, 16376}) {
      Row row = Make(CfaRule::kDeref, cfa_offset, BpRule::kAtBp, bp_offset, 6);
      row.module = 4095;
      REQUIRE(row.Packable());
      Row back = Row::Unpack(row.Pack());
      CHECK(back.cfa == row.cfa);
      CHECK(back.bp == row.bp);
      CHECK(back.reg == row.reg);
      CHECK(back.module == row.module);
      CHECK(back.cfa_offset == cfa_offset);
      CHECK(back.bp_offset == bp_offset);
    }
  }
  CHECK_FALSE(Make(CfaRule::kSp, 1 << 25).Packable());
  CHECK_FALSE(Make(CfaRule::kSp, 8, BpRule::kAtCfa, 12).Packable());
}

TEST_CASE("a walk goes by rsp and rbp rows to the outermost frame") {
  Fixture f;
  f.rows.rows[0x401000] = Make(CfaRule::kSp, 24);
  f.rows.rows[0x4020ff] = Make(CfaRule::kBp, 16, BpRule::kAtCfa, -16);
  f.rows.rows[0x4030ff] = Make(CfaRule::kEnd, 0);
  f.memory.Put<uint64_t>(kStack + 16, 0x402100);  // return address of the leaf
  f.memory.Put<uint64_t>(kStack + 64, 0xb0b);     // saved rbp of the middle
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

TEST_CASE("a realigned frame gets its CFA and rbp from the frame itself") {
  Fixture f;
  f.rows.rows[0x401000] = Make(CfaRule::kDeref, -8, BpRule::kAtBp, 0, kDwarfBp);
  f.rows.rows[0x4020ff] = Make(CfaRule::kEnd, 0);
  const uint64_t bp = kStack + 128;
  f.memory.Put<uint64_t>(bp - 8, kStack + 512);  // the CFA is kept here
  f.memory.Put<uint64_t>(bp, 0xcafe);            // and rbp of the caller here
  f.memory.Put<uint64_t>(kStack + 504, 0x402100);
  WalkResult w = f.Walk(At(0x401000, kStack, bp));
  REQUIRE(w.count == 2);
  CHECK(w.frames[1].sp == kStack + 512);
  CHECK(w.frames[1].bp == 0xcafe);
}

TEST_CASE("PLT rows depend on the place in the stub") {
  for (uint64_t place : {0x4010, 0x401b}) {
    Fixture f;
    uint64_t pc = 0x400000 + place;
    bool pushed = (pc & 15) >= 11;
    f.rows.rows[pc] = Make(CfaRule::kPlt, 11);
    f.rows.rows[0x4020ff] = Make(CfaRule::kEnd, 0);
    f.memory.Put<uint64_t>(kStack, pushed ? 0x7u : 0x402100u);
    f.memory.Put<uint64_t>(kStack + 8, 0x402100);
    WalkResult w = f.Walk(At(pc, kStack));
    REQUIRE(w.count == 2);
    CHECK(w.frames[1].sp == kStack + (pushed ? 16 : 8));
  }
}

TEST_CASE("a signal frame takes all registers from the context and starts a leaf again") {
  Fixture f;
  f.rows.rows[0x401000] = Make(CfaRule::kSp, 8);
  f.rows.rows[0x4020ff] = Make(CfaRule::kSignal, 0);
  f.rows.rows[0x403000] =
      Make(CfaRule::kReg, 16, BpRule::kSame, 0, kRbx);  // rbx is live: it was interrupted
  f.rows.rows[0x4040ff] = Make(CfaRule::kEnd, 0);
  f.memory.Put<uint64_t>(kStack, 0x402100);
  const uint64_t context = kStack + 8;
  for (int i = 0; i < 23; ++i)
    f.memory.Put<uint64_t>(context + 40 + static_cast<uint64_t>(i) * 8, 0);
  f.memory.Put<uint64_t>(context + 40 + 16 * 8, 0x403000);       // rip
  f.memory.Put<uint64_t>(context + 40 + 15 * 8, kStack + 4096);  // rsp
  f.memory.Put<uint64_t>(context + 40 + 11 * 8, kStack + 8192);  // rbx
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
  f.rows.rows[0x4020ff] = Make(CfaRule::kReg, 32, BpRule::kSame, 0, kRbx);
  f.rows.rows[0x4030ff] = Make(CfaRule::kEnd, 0);
  CfiState leaf;
  leaf.other = BpRule::kAtCfa;
  leaf.other_offset = -16;
  f.rows.saved[0x401000] = leaf;
  f.memory.Put<uint64_t>(kStack + 16, 0x402100);
  f.memory.Put<uint64_t>(kStack + 8, kStack + 1000);  // rbx, saved by the leaf at CFA-16
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
    for (int i = 0; i < 7; ++i)
      f.memory.Put<uint8_t>(0x402100 - 7 + static_cast<uint64_t>(i), i == 2 ? 0xe8 : 0x90);
    WalkResult w = f.Walk(At(0x9990, kStack, kStack + 32));
    REQUIRE(w.count == 2);
    CHECK(w.end == EndReason::kComplete);
  }
  SECTION("it does not: the stack is marked as truncated, with the reason") {
    for (int i = 0; i < 7; ++i)
      f.memory.Put<uint8_t>(0x402100 - 7 + static_cast<uint64_t>(i), 0x90);
    WalkResult w = f.Walk(At(0x9990, kStack, kStack + 32));
    CHECK(w.count == 1);
    CHECK(w.end == EndReason::kNoModule);
  }
}

TEST_CASE("the caller of code without rows is found on the stack, and only a real one") {
  Fixture f;
  f.rows.rows[0x401000] = Row::Invalid(EndReason::kNoRow, 1);
  f.rows.rows[0x4020ff] = Make(CfaRule::kBp, 16);  // the real caller
  f.rows.rows[0x4030ff] = Make(CfaRule::kEnd, 0);
  f.rows.rows[0x4040ff] = Make(CfaRule::kSp, 64);  // left over from an earlier call: leads nowhere
  auto call_before = [&](uint64_t ip) {
    for (int i = 0; i < 7; ++i)
      f.memory.Put<uint8_t>(ip - 7 + static_cast<uint64_t>(i), i == 2 ? 0xe8 : 0x90);
  };
  for (uint64_t ip : {0x402100, 0x403100, 0x404100}) call_before(ip);
  for (uint64_t i = 0; i < 64; ++i) f.memory.Put<uint64_t>(kStack + i * 8, i);
  f.memory.Put<uint64_t>(kStack + 40, 0x404100);
  f.memory.Put<uint64_t>(kStack + 88, kStack + 256);  // rbp, pushed by the code without rows
  f.memory.Put<uint64_t>(kStack + 96, 0x402100);
  f.memory.Put<uint64_t>(kStack + 264, 0x403100);
  WalkResult w = f.Walk(At(0x401000, kStack, 0x1234));
  REQUIRE(w.count == 3);
  CHECK(w.end == EndReason::kComplete);
  CHECK(w.guessed == 1);
  CHECK(w.frames[1].pc == 0x4020ff);
  CHECK(w.frames[2].sp == kStack + 272);
  SECTION("nothing there: truncated as before") {
    f.memory.Put<uint64_t>(kStack + 96, 7);
    w = f.Walk(At(0x401000, kStack, 0x1234));
    CHECK(w.count == 1);
    CHECK(w.end == EndReason::kNoRow);
  }
}

TEST_CASE("code made at run time without frame pointers is walked over, to code of a module") {
  Fixture f;
  constexpr uint64_t kMade = 0x7f0000000000;           // the first bytes of a mapping:
  f.memory.Put<uint32_t>(kMade, 0x08ec8348);           // sub $8, %rsp
  f.memory.Put<uint16_t>(kMade + 4, 0xd1ff);           // call *%rcx
  f.rows.rows[0x401000] = Make(CfaRule::kSp, 8);       // the function that it calls
  f.rows.rows[0x4020ff] = Make(CfaRule::kSp, 16);      // and the one that called it
  f.rows.rows[0x4030ff] = Make(CfaRule::kEnd, 0);
  for (uint64_t ip : {0x402100, 0x403100}) {
    f.memory.Put<uint8_t>(ip - 1, 0x90);
    f.memory.Put<uint16_t>(ip - 3, 0x90d3);
    f.memory.Put<uint8_t>(ip - 4, 0xff);
  }
  for (uint64_t i = 0; i < 64; ++i) f.memory.Put<uint64_t>(kStack + i * 8, i);
  f.memory.Put<uint64_t>(kStack, kMade + 6);
  f.memory.Put<uint64_t>(kStack + 16, 0x402100);
  f.memory.Put<uint64_t>(kStack + 32, 0x403100);
  WalkResult w = f.Walk(At(0x401000, kStack));
  REQUIRE(w.count == 4);
  CHECK(w.end == EndReason::kComplete);
  CHECK(w.guessed == 1);
  CHECK(w.frames[1].pc == kMade + 5);
  CHECK(w.frames[1].module == kNoModuleIndex);
  CHECK(w.frames[2].pc == 0x4020ff);
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
    CHECK(w.count == 256);
  }
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
}

TEST_CASE("a chain of frame pointers ends where RBP 0 was saved") {
  // Code without rows, as Go's: its root returns to an address that no call comes before.
  Fixture f;
  const uint64_t inner = kStack + 64, root = kStack + 256;
  f.memory.Put<uint64_t>(0x402100 - 8, 0xe8000000);  // a call before the return address
  f.memory.Put<uint8_t>(0x402100 - 5, 0xe8);
  for (int i = 0; i < 5; ++i) f.memory.Put<uint8_t>(0x403001 - 7 + static_cast<uint64_t>(i), 0x90);
  f.memory.Put<uint8_t>(0x403001 - 2, 0x90);
  f.memory.Put<uint8_t>(0x403001 - 1, 0x90);
  f.memory.Put<uint64_t>(kStack, 0);
  f.memory.Put<uint64_t>(inner, root);
  f.memory.Put<uint64_t>(inner + 8, 0x402100);
  f.memory.Put<uint64_t>(root, 0);
  f.memory.Put<uint64_t>(root + 8, 0x403001);
  WalkResult w = f.Walk(At(0x401000, kStack, inner));
  CHECK(w.count == 2);
  CHECK(w.end == EndReason::kComplete);
  f.memory.Put<uint64_t>(root, 0x1234);  // any other value: who called it is not known
  CHECK(f.Walk(At(0x401000, kStack, inner)).end != EndReason::kComplete);
}
