// Signal path. One unwind row: how to get from a frame to its caller. Only CFA, RBP and the return
// address are tracked.
//
// The CFA is the value of RSP in the caller; the return address lies at CFA-8. Packed into 64 bits
// for the row cache.
#pragma once

#include <cstdint>

namespace gprofx::agent {

enum class CfaRule : uint8_t {
  kInvalid = 0,  // no way on; offset = EndReason
  kSp = 1,       // rsp + offset
  kBp = 2,       // rbp + offset
  kDeref = 3,    // *(reg + offset): stacks realigned by GCC keep the CFA in the frame
  kReg = 4,      // another register + offset: good only while its value is known
  kPlt = 5,      // rsp + ((ip & 15) >= offset ? 16 : 8)
  kSignal = 6,   // registers of the interrupted frame lie in the ucontext at rsp
  kEnd = 7,      // outermost frame of a thread
};

enum class BpRule : uint8_t {
  kSame = 0,   // unchanged, or undefined (then nobody needs it)
  kAtCfa = 1,  // *(CFA + offset)
  kAtBp = 2,   // *(rbp + offset): goes with kDeref
};

enum class EndReason : uint8_t {
  kComplete = 0,
  kNoModule,    // the code lies in no module and has no frame pointer chain
  kNoRow,       // the module has no unwind row for the address
  kBadRule,     // a rule that we do not evaluate
  kBadSp,       // the stack pointer would not move outwards
  kDepth,       // deeper than the walk goes
  kUnreadable,  // the stack could not be read
};

struct Row {
  CfaRule cfa = CfaRule::kInvalid;
  BpRule bp = BpRule::kSame;
  uint8_t reg = 0;         // DWARF number, for kDeref and kReg
  uint16_t module = 0;     // index in the module table, kNoModuleIndex = none
  int32_t cfa_offset = 0;  // 26 bits
  int32_t bp_offset = 0;   // multiple of 8, 15 bits

  // No rule. Reason kComplete: code of a C library without rows, which calls main and the start
  // routines of threads; a stack whose walk finds no caller of it is whole.
  static Row Invalid(EndReason reason, uint16_t module) {
    return {CfaRule::kInvalid, BpRule::kSame, 0, module, static_cast<int32_t>(reason), 0};
  }
  bool MayBegin() const {
    return cfa == CfaRule::kInvalid && cfa_offset == static_cast<int32_t>(EndReason::kComplete);
  }
  bool Packable() const {
    return cfa_offset >= -(1 << 25) && cfa_offset < (1 << 25) && bp_offset % 8 == 0 &&
           bp_offset >= -(1 << 14) && bp_offset < (1 << 14);
  }
  uint64_t Pack() const {
    return static_cast<uint64_t>(cfa) | static_cast<uint64_t>(bp) << 3 | uint64_t{reg} << 5 |
           uint64_t{module} << 10 | uint64_t(static_cast<uint32_t>(cfa_offset) & 0x3ffffff) << 26 |
           uint64_t(static_cast<uint32_t>(bp_offset / 8) & 0xfff) << 52;
  }
  static Row Unpack(uint64_t bits) {
    Row row;
    row.cfa = static_cast<CfaRule>(bits & 7);
    row.bp = static_cast<BpRule>(bits >> 3 & 3);
    row.reg = bits >> 5 & 31;
    row.module = bits >> 10 & 0xffff;
    row.cfa_offset = static_cast<int32_t>(static_cast<uint32_t>(bits >> 26) << 6) >> 6;
    row.bp_offset = static_cast<int32_t>(static_cast<int64_t>(bits) >> 52) * 8;
    return row;
  }
};

constexpr uint16_t kNoModuleIndex = 0xffff;

// DWARF register numbers of x86-64.
constexpr uint8_t kDwarfRbx = 3, kDwarfBp = 6, kDwarfSp = 7, kDwarfRa = 16;

}  // namespace gprofx::agent
