#include <catch2/catch.hpp>
#include <string>

#include "recorded_memory.h"
#include "samplers/agent/python/frames.h"

using namespace gprofx;
using namespace gprofx::agent;

namespace {

constexpr uint64_t kCodeType = 0x5000, kState = 0x6000, kHeap = 0x100000, kStack = 0x7ffc00000000;

struct Codes {
  uint64_t known = 0;  // a code object that was met before
  uint32_t Known(uint64_t code) const {
    return code == known ? static_cast<uint32_t>(code >> 12) : 0;
  }
  uint32_t Id(uint64_t code) { return static_cast<uint32_t>(code >> 12); }
};

struct Interpreter {
  RecordedMemory memory;
  PyLayout l;
  PyFrame frames[16];

  explicit Interpreter(int minor) : l(LayoutOfVersion(minor)) {}

  uint64_t Code(uint32_t n) {
    uint64_t code = kHeap + n * 0x1000;
    memory.Put<uint64_t>(code + l.ob_type, kCodeType);
    return code;
  }
  // A _PyInterpreterFrame that runs the instruction at `offset`.
  uint64_t Frame(uint64_t at, uint32_t code, uint64_t back, uint8_t owner, int offset = 20,
                 bool entry = false) {
    memory.Put<uint64_t>(at + l.f_code, Code(code));
    memory.Put<uint64_t>(at + l.f_back, back);
    memory.Put<uint64_t>(at + l.f_instruction,
                         Code(code) + l.co_bytecode + static_cast<uint64_t>(int64_t{offset}));
    if (l.f_owner != 0) memory.Put<uint8_t>(at + l.f_owner, owner);
    if (l.f_is_entry != 0) memory.Put<uint8_t>(at + l.f_is_entry, entry);
    return at;
  }
  PyWalkResult Walk(uint32_t capacity = 16, uint64_t known = 0) {
    Codes codes{known};
    PyWalker walker(memory, codes, l, kCodeType, frames, capacity);
    return walker.Walk(kState);
  }
  uint32_t CodeOf(uint32_t i) const { return wire::PythonCode(frames[i].frame) - (kHeap >> 12); }
};

}  // namespace

TEST_CASE("3.8 to 3.10: a list of frame objects") {
  for (int minor : {8, 9, 10}) {
    Interpreter p(minor);
    uint64_t outer = kHeap + 0x80000, inner = outer + 0x1000;
    for (uint64_t f : {outer, inner}) {
      p.memory.Put<uint64_t>(f + p.l.f_code, p.Code(f == outer ? 1 : 2));
      p.memory.Put<uint64_t>(f + p.l.f_back, f == outer ? 0 : outer);
      p.memory.Put<int32_t>(f + p.l.f_instruction, f == outer ? 12 : -1);
    }
    p.memory.Put<uint64_t>(kState + p.l.ts_frame, inner);
    PyWalkResult r = p.Walk();
    REQUIRE(r.count == 2);
    CHECK_FALSE(r.torn);
    CHECK(p.CodeOf(0) == 2);
    CHECK(wire::PythonInstruction(p.frames[0].frame) == wire::kNoInstruction);
    CHECK(wire::PythonInstruction(p.frames[1].frame) == (minor == 10 ? 24 : 12));
  }
}

TEST_CASE("3.11: groups end at entry frames and carry their CFrame as anchor") {
  Interpreter p(11);
  uint64_t a = p.Frame(kHeap + 0x80000, 1, 0, 0, 20, true);
  uint64_t b = p.Frame(kHeap + 0x81000, 2, a, 0, 20, true);
  uint64_t c = p.Frame(kHeap + 0x82000, 3, b, 0, 20, false);
  uint64_t inner = kStack, outer = kStack + 0x400, base = kState + 0x100;
  p.memory.Put<uint64_t>(kState + p.l.ts_frame, inner);
  p.memory.Put<uint64_t>(inner + 8, c);
  p.memory.Put<uint64_t>(inner + 16, outer);
  p.memory.Put<uint64_t>(outer + 8, a);
  p.memory.Put<uint64_t>(outer + 16, base);
  p.memory.Put<uint64_t>(base + 8, 0);
  p.memory.Put<uint64_t>(base + 16, 0);
  SECTION("whole") {
    PyWalkResult r = p.Walk();
    REQUIRE(r.count == 3);
    CHECK_FALSE(r.torn);
    CHECK(p.frames[0].anchor == inner);
    CHECK(p.frames[1].anchor == inner);
    CHECK(p.frames[2].anchor == outer);
  }
  SECTION("a CFrame that is linked but not filled is skipped") {
    uint64_t fresh = kStack - 0x400;
    p.memory.Put<uint64_t>(kState + p.l.ts_frame, fresh);
    p.memory.Put<uint64_t>(fresh + 8, 0xdeadbeef);
    p.memory.Put<uint64_t>(fresh + 16, inner);
    PyWalkResult r = p.Walk();
    CHECK(r.count == 3);
    CHECK_FALSE(r.torn);
  }
  SECTION("a frame that is none cuts the chain there") {
    p.memory.Put<uint64_t>(c + p.l.f_back, kHeap + 0x999999);
    PyWalkResult r = p.Walk();
    CHECK(r.count == 1);
    CHECK(r.torn);
  }
}

TEST_CASE("3.12: shims on the C stack end the groups") {
  Interpreter p(12);
  uint64_t shim_outer = kStack + 0x800, shim_inner = kStack + 0x100;
  p.Frame(shim_outer, 9, 0, 3);
  uint64_t a = p.Frame(kHeap + 0x80000, 1, shim_outer, 0);
  p.Frame(shim_inner, 9, a, 3);
  uint64_t b = p.Frame(kHeap + 0x81000, 2, shim_inner, 1);
  p.memory.Put<uint64_t>(kState + p.l.ts_frame, kStack + 0x50);
  p.memory.Put<uint64_t>(kStack + 0x50, b);
  p.memory.Put<uint64_t>(kStack + 0x58, 0);
  PyWalkResult r = p.Walk();
  REQUIRE(r.count == 2);
  CHECK_FALSE(r.torn);
  CHECK(p.frames[0].anchor == shim_inner);
  CHECK(p.frames[1].anchor == shim_outer);
  SECTION("an object of another type is no code") {
    p.memory.Put<uint64_t>(p.Code(1) + p.l.ob_type, kCodeType + 8);
    r = p.Walk();
    CHECK(r.count == 1);
    CHECK(r.torn);
  }
  SECTION(
      "a code object that is known is not asked for its type, but that of the innermost frame is") {
    p.memory.Put<uint64_t>(kHeap + 0x1000 + p.l.ob_type, kCodeType + 8);
    r = p.Walk(16, kHeap + 0x1000);
    CHECK(r.count == 2);
    CHECK(p.CodeOf(1) == 1);
    p.memory.Put<uint64_t>(kHeap + 0x2000 + p.l.ob_type, kCodeType + 8);
    r = p.Walk(16, kHeap + 0x2000);
    CHECK(r.count == 0);
    CHECK(r.torn);
  }
  SECTION("an owner that does not exist") {
    p.memory.Put<uint8_t>(a + p.l.f_owner, 77);
    r = p.Walk();
    CHECK(r.count == 1);
    CHECK(r.torn);
  }
  SECTION("more frames than there is room for") {
    r = p.Walk(1);
    CHECK(r.count == 1);
    CHECK(r.cut);
  }
  SECTION("a cycle ends at the capacity") {
    p.memory.Put<uint64_t>(a + p.l.f_back, b);
    r = p.Walk();
    CHECK(r.count == 16);
    CHECK(r.cut);
  }
}

TEST_CASE("versions without a table are refused") {
  for (int minor : {0, 6, 7, 13, 15, 99}) CHECK_FALSE(LayoutOfVersion(minor).valid());
}

TEST_CASE("published offsets are taken only if they fit") {
  // The table of 3.13 (field order of _Py_DebugOffsets); sizes and offsets of a release build.
  std::vector<uint64_t> table = {
      0,  0x030d00f0, 0,  1,  0,   632, 9000, 7272, 7264, 7344, 1,   1,   1,  1,   1,
      1,  1,          1,  1,  304, 0,   8,    16,   72,   152,  160, 232, 32, 80,  8,
      0,  56,         72, 70, 208, 112, 120,  128,  136,  68,   52,  88,  96, 200, 16,
      8,  416,        24, 88, 168, 40,  24,   16,   40,   24,   16,  48,  32, 40,  24,
      16, 28,         16, 24, 40,  16,  32,   64,   32,   16,   40,  8,   0};
  REQUIRE(table.size() == 73);
  std::memcpy(table.data(), "xdebugpy", 8);
  auto read = [&] { return LayoutFromDebugOffsets(reinterpret_cast<uint64_t>(table.data())); };
  PyLayout l = read();
  REQUIRE(l.valid());
  CHECK(l.ts_frame == 72);
  CHECK(l.ts_status == 32);
  CHECK(l.f_owner == 70);
  CHECK(l.co_name == 128);
  CHECK(l.co_bytecode == 200);
  CHECK(l.co_version ==
        92);  // looked at in 3.13.0, where it is another one for each of 4,358 functions
  CHECK(l.bytes_data == 32);
  CHECK(l.str_ascii_data == 40);
  CHECK(l.str_wide_data == 56);
  SECTION("another cookie") {
    table[0] ^= 1;
    CHECK_FALSE(read().valid());
  }
  SECTION("a pre-release") {
    table[1] = 0x030d00a1;
    CHECK_FALSE(read().valid());
  }
  SECTION("an unknown version") {
    table[1] = 0x031000f0;
    CHECK_FALSE(read().valid());
  }
  SECTION("an offset outside of its struct") {
    table[23] = 400;
    CHECK_FALSE(read().valid());
  }
}
