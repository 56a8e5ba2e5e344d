// What is of x86-64 in the walk: rows of realigned frames and stubs, code that keeps no frame
// pointer.
#include "samplers/agent/unwind/walk.h"

#include <catch2/catch.hpp>

#include "../walk_fixture.h"

using namespace gprofx::agent;

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
  SECTION("so much was read already: no search") {
    f.memory.may_search = false;
    w = f.Walk(At(0x401000, kStack, 0x1234));
    CHECK(w.count == 1);
    CHECK(w.end == EndReason::kNoRow);
  }
  SECTION("nothing there: truncated as before") {
    f.memory.Put<uint64_t>(kStack + 96, 7);
    w = f.Walk(At(0x401000, kStack, 0x1234));
    CHECK(w.count == 1);
    CHECK(w.end == EndReason::kNoRow);
  }
}

// The stack of code without rows at 0x401000, whose caller lies 10,000 bytes up; before it lie
// words left over from earlier calls, with callers of their own.
struct LeftOver : Fixture {
  const uint64_t stack, caller = stack + 10000, of_other = stack + 24, elsewhere = stack + 120;

  explicit LeftOver(uint64_t at = kStack) : stack(at) {
    rows.rows[0x401000] = Row::Invalid(EndReason::kNoRow, 1);
    rows.rows[0x4020ff] = Make(CfaRule::kBp, 16);  // the caller
    rows.rows[0x4030ff] = Make(CfaRule::kEnd, 0);
    rows.rows[0x4040ff] = Make(CfaRule::kSp, 16);  // of another module
    rows.rows[0x4040ff].module = 2;
    rows.rows[0x4050ff] = Make(CfaRule::kSp, 16);
    rows.rows[0x406000] = Make(CfaRule::kSp, 8);  // what that one called
    for (uint64_t word = stack; word < caller + 512; word += 8)
      memory.Put<uint64_t>(word, word % 1000);
    rows.rows[0x4090ff] = Make(CfaRule::kSp, 16);  // called it
    rows.rows[0x4090ff].module = 2;
    for (uint64_t ip : {0x402100, 0x403100, 0x404100}) {  // call *%rcx
      PutCode(ip);
      memory.Put<uint16_t>(ip - 2, 0xd1ff);
    }
    for (uint64_t ip : {0x405100, 0x409100}) {
      PutCall(ip);
      memory.Put<uint32_t>(ip - 4, static_cast<uint32_t>(0x406000 - ip));
    }
    PutFrames(of_other, {0x404100, 0x409100, 0x409100, 0x403100});
    PutFrames(elsewhere, {0x405100, 0x409100, 0x409100, 0x403100});
    memory.Put<uint64_t>(caller, 0x402100);
    memory.Put<uint64_t>(caller - 88, caller + 256);  // its rbp, saved by a move
    memory.Put<uint64_t>(caller + 264, 0x403100);
  }
  void PutFrames(uint64_t slot, std::initializer_list<uint64_t> ips) {
    for (const uint64_t ip : ips) {
      memory.Put<uint64_t>(slot, ip);
      slot += 16;
    }
  }
  uint64_t Found() {
    const WalkResult w = Walk(At(0x401000, stack, 0x1234));
    CHECK(w.guessed == 1);
    CHECK(w.end == EndReason::kComplete);
    return w.count > 1 ? w.frames[1].pc + 1 : 0;
  }
};

TEST_CASE("words left over from earlier calls are told from the caller of code without rows") {
  LeftOver f;
  CHECK(f.Found() == 0x402100);
  SECTION("code made at run time is called by any module, but not straight") {
    f.rows.rows[0x401000] = Row::Invalid(EndReason::kNoModule, kNoModuleIndex);
    f.memory.Put<uint64_t>(f.of_other, 7);
    CHECK(f.Found() == 0x402100);
  }
  SECTION("nor by what the profiler left there") {
    f.rows.profiler = 2;
    f.rows.rows[0x401000] = Row::Invalid(EndReason::kNoModule, kNoModuleIndex);
    CHECK(f.Found() == 0x402100);
  }
  SECTION("a caller of another module is taken where there is none of the same") {
    f.memory.Put<uint64_t>(f.caller, 7);
    CHECK(f.Found() == 0x404100);
  }
  SECTION(
      "and one whose call went elsewhere, which may have jumped here, where there is no other") {
    f.memory.Put<uint64_t>(f.caller, 7);
    f.memory.Put<uint64_t>(f.of_other, 7);
    CHECK(f.Found() == 0x405100);
  }
  SECTION("a stub of the PLT jumps on to anywhere") {
    f.memory.Put<uint32_t>(0x406000, 0xfa1e0ff3);  // endbr64
    f.memory.Put<uint16_t>(0x406004, 0x25ff);      // jmp *
    CHECK(f.Found() == 0x405100);
  }
  SECTION("what called the start of the thread called no other code") {
    f.PutCall(0x402100);  // of a dispatcher, which jumped here
    f.memory.Put<uint32_t>(0x402100 - 4, 0x406000 - 0x402100);
    f.memory.Put<uint64_t>(f.caller + 264, 0x408100);
    f.memory.Put<uint64_t>(f.caller + 280, 0x403100);
    f.rows.rows[0x4080ff] = Make(CfaRule::kSp, 16);
    f.rows.rows[0x4080ff].module = 2;
    f.PutCode(0x408100);
    f.memory.Put<uint16_t>(0x408100 - 2, 0xd1ff);
    f.memory.Put<uint64_t>(f.of_other, 7);
    f.memory.Put<uint64_t>(f.elsewhere, 7);
    CHECK(f.Found() == 0x402100);
  }
  SECTION("a frame that leads to no code is none") {
    f.rows.rows[0x4070ff] = Make(CfaRule::kSp, 16);  // second frame of what is left over
    f.PutCode(0x407100);
    f.memory.Put<uint16_t>(0x407100 - 2, 0xd1ff);
    f.memory.Put<uint64_t>(f.of_other + 16, 0x407100);
    f.memory.Put<uint64_t>(f.of_other + 32, 5);
    f.rows.rows[0x4040ff].module = 1;
    CHECK(f.Found() == 0x402100);
  }
  SECTION("nor are many that lead to where nothing can be read, each at the price of a signal") {
    f.rows.rows[0x4070ff] = Make(CfaRule::kSp, 16);
    f.PutCode(0x407100);
    f.memory.Put<uint16_t>(0x407100 - 2, 0xd1ff);
    for (uint64_t i = 0; i < 20; ++i) {
      f.memory.Put<uint64_t>(f.stack + 200 + i * 40, 0x407100);
      f.memory.Put<uint64_t>(f.stack + 216 + i * 40, 0x407100);
      f.memory.Put<uint64_t>(f.stack + 232 + i * 40, 0x700000001000 + i * 4096);
    }
    f.rows.rows[0x4040ff].module = 1;
    f.memory.Put<uint64_t>(f.of_other, 7);
    CHECK(f.Found() == 0x402100);
  }
}

TEST_CASE("where a module begins no call ended: nothing is read before it") {
  LeftOver f;
  f.memory.Put<uint64_t>(f.stack + 8,
                         0x400000);  // AT_BASE lies above the first frame of each stack
  f.memory.Put<uint64_t>(f.stack + 16, 0x400001);
  f.memory.refused = 0;
  CHECK(f.Found() == 0x402100);
  const int refused = f.memory.refused;
  f.memory.Put<uint64_t>(f.stack + 8, 7);
  f.memory.Put<uint64_t>(f.stack + 16, 7);
  f.memory.refused = 0;
  f.Found();
  CHECK(refused == f.memory.refused);
}

TEST_CASE("the stack of a thread may lie right below the code that it runs") {
  LeftOver f(0x400000 - 12000);
  CHECK(f.Found() == 0x402100);
}

TEST_CASE("code made at run time without frame pointers is walked over, to code of a module") {
  Fixture f;
  constexpr uint64_t kMade = 0x7f0000000000;       // the first bytes of a mapping:
  f.memory.Put<uint32_t>(kMade, 0x08ec8348);       // sub $8, %rsp
  f.memory.Put<uint16_t>(kMade + 4, 0xd1ff);       // call *%rcx
  f.rows.rows[0x401000] = Make(CfaRule::kSp, 8);   // the function that it calls
  f.rows.rows[0x4020ff] = Make(CfaRule::kSp, 16);  // and the one that called it
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
  SECTION("interrupted in it: the word that aligns its stack is no return address") {
    const uint64_t left_over = 0x7f0000800100;  // in data that looks like a call
    f.memory.Put<uint16_t>(left_over - 2, 0xd1ff);
    f.memory.Put<uint64_t>(kStack + 64, left_over);
    f.memory.Put<uint64_t>(kStack + 72, 0x402100);
    f.memory.Put<uint64_t>(kStack + 88, 0x403100);
    w = f.Walk(At(kMade + 4, kStack + 64));
    REQUIRE(w.count == 3);
    CHECK(w.end == EndReason::kComplete);
    CHECK(w.guessed == 1);
    CHECK(w.frames[1].pc == 0x4020ff);
  }
  SECTION("just called by other code made at run time: that is the caller, whatever lies behind") {
    const uint64_t caller = kMade + 0x1000;
    f.memory.Put<uint16_t>(caller - 2, 0xd1ff);
    f.memory.Put<uint64_t>(kStack + 72, caller);
    f.memory.Put<uint64_t>(kStack + 80, 0x402100);
    f.memory.Put<uint64_t>(kStack + 96, 0x403100);
    w = f.Walk(At(kMade, kStack + 72));
    REQUIRE(w.count == 4);
    CHECK(w.frames[1].pc == caller - 1);
    CHECK(w.frames[2].pc == 0x4020ff);
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
