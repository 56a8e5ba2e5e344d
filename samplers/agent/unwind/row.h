// Runs in signal handlers. An unwind row: the rules to get from a frame to its caller. Tracks only
// the CFA, the frame pointer and the return address.
//
// The CFA is the value of the stack pointer in the caller. On x86-64 the return address is at
// CFA-8. On aarch64 it is in x30 until it is saved; then it is next to x29, or alone. A row is
// packed into 64 bits for the row cache.
#pragma once

#include <cstdint>

#include "samplers/agent/machine/machine.h"

namespace gprofx::agent {

enum class CfaRule : uint8_t {
  kInvalid = 0,  // no rule; cfa_offset is the EndReason
  kSp = 1,       // stack pointer + offset
  kBp = 2,       // frame pointer + offset
  kDeref = 3,    // *(reg + offset): a stack that GCC realigned saves the CFA in the frame
  kReg = 4,      // another register + offset; usable only while its value is known
  kPlt = 5,      // x86-64: rsp + ((ip & 15) >= offset ? 16 : 8)
  // Signal frame: the interrupted registers are in the ucontext near the stack pointer.
  kSignal = 6,
  kEnd = 7,  // outermost frame of a thread
};

enum class BpRule : uint8_t {
  kSame = 0,   // unchanged, or undefined and not needed
  kAtCfa = 1,  // *(CFA + offset)
  kAtBp = 2,   // *(frame pointer + offset), used with kDeref
};

enum class RaRule : uint8_t {
  kBelowCfa = 0,    // x86-64: CFA - 8
  kInRegister = 1,  // aarch64, as the next two: not saved yet, or not saved at all
  kAtOffset = 2,    // CFA + bp_offset: saved without the frame pointer
  kAboveBp = 3,     // CFA + bp_offset + 8: saved as a pair with the frame pointer
};

enum class EndReason : uint8_t {
  kComplete = 0,
  kNoModule,    // the code is in no module, and no chain of frame pointers leads out of it
  kNoRow,       // the module has no unwind row for the address
  kBadRule,     // a rule that we do not evaluate
  kBadSp,       // by the rule, the stack pointer would not move outward
  kDepth,       // the maximum depth was reached
  kUnreadable,  // the stack could not be read
};

struct Row {
  CfaRule cfa = CfaRule::kInvalid;
  BpRule bp = BpRule::kSame;
  uint8_t reg = 0;  // DWARF number, for kDeref and kReg
  RaRule ra = machine::kHasLinkRegister ? RaRule::kInRegister : RaRule::kBelowCfa;
  uint16_t module = 0;     // index in the module table, kNoModuleIndex = none
  int32_t cfa_offset = 0;  // 26 bits; aarch64: multiple of 8, 25 bits
  int32_t bp_offset = 0;   // multiple of 8, 15 bits; aarch64: 17 bits

  // Returns a row without a rule. `reason` is why the walk ends if it finds no caller in another
  // way. kComplete is for code of a C library that has no rows but calls main and the start
  // routines of threads: there, a stack without a further caller is complete.
  static Row Invalid(EndReason reason, uint16_t module) {
    Row row;
    row.module = module;
    row.cfa_offset = static_cast<int32_t>(reason);
    return row;
  }
  bool MayBegin() const {
    return cfa == CfaRule::kInvalid && cfa_offset == static_cast<int32_t>(EndReason::kComplete);
  }
  bool Packable() const {
    if constexpr (machine::kHasLinkRegister) return PackableWithRa();
    return cfa_offset >= -(1 << 25) && cfa_offset < (1 << 25) && bp_offset % 8 == 0 &&
           bp_offset >= -(1 << 14) && bp_offset < (1 << 14);
  }
  uint64_t Pack() const {
    if constexpr (machine::kHasLinkRegister) return PackWithRa();
    return static_cast<uint64_t>(cfa) | static_cast<uint64_t>(bp) << 3 | uint64_t{reg} << 5 |
           uint64_t{module} << 10 | uint64_t(static_cast<uint32_t>(cfa_offset) & 0x3ffffff) << 26 |
           uint64_t(static_cast<uint32_t>(bp_offset / 8) & 0xfff) << 52;
  }
  static Row Unpack(uint64_t bits) {
    if constexpr (machine::kHasLinkRegister) return UnpackWithRa(bits);
    Row row;
    row.cfa = static_cast<CfaRule>(bits & 7);
    row.bp = static_cast<BpRule>(bits >> 3 & 3);
    row.reg = bits >> 5 & 31;
    row.module = bits >> 10 & 0xffff;
    row.cfa_offset = static_cast<int32_t>(static_cast<uint32_t>(bits >> 26) << 6) >> 6;
    row.bp_offset = static_cast<int32_t>(static_cast<int64_t>(bits) >> 52) * 8;
    return row;
  }

 private:
  // Packing on aarch64. The rule for the return address takes two bits. The frame pointer's offset
  // takes 14, because GCC puts locals between the saved frame pointer and the CFA. Stack pointers
  // are multiples of 16 there, so a CFA offset fits in 22 bits if it is counted in words. The
  // reason of an invalid row is stored as it is.
  bool PackableWithRa() const {
    return cfa_offset % 8 == 0 && cfa_offset >= -(1 << 24) && cfa_offset < (1 << 24) &&
           bp_offset % 8 == 0 && bp_offset >= -(1 << 16) && bp_offset < (1 << 16);
  }
  uint64_t PackWithRa() const {
    const int32_t words = cfa == CfaRule::kInvalid ? cfa_offset : cfa_offset / 8;
    return static_cast<uint64_t>(cfa) | static_cast<uint64_t>(bp) << 3 |
           static_cast<uint64_t>(ra) << 5 | uint64_t{reg} << 7 | uint64_t{module} << 12 |
           uint64_t(static_cast<uint32_t>(words) & 0x3fffff) << 28 |
           uint64_t(static_cast<uint32_t>(bp_offset / 8) & 0x3fff) << 50;
  }
  static Row UnpackWithRa(uint64_t bits) {
    Row row;
    row.cfa = static_cast<CfaRule>(bits & 7);
    row.bp = static_cast<BpRule>(bits >> 3 & 3);
    row.ra = static_cast<RaRule>(bits >> 5 & 3);
    row.reg = bits >> 7 & 31;
    row.module = bits >> 12 & 0xffff;
    const int32_t words = static_cast<int32_t>(static_cast<uint32_t>(bits >> 28) << 10) >> 10;
    row.cfa_offset = row.cfa == CfaRule::kInvalid ? words : words * 8;
    row.bp_offset = static_cast<int32_t>(static_cast<int64_t>(bits) >> 50) * 8;
    return row;
  }
};
static_assert(sizeof(Row) == 16);  // returned in two registers

constexpr uint16_t kNoModuleIndex = 0xffff;

// DWARF numbers of the registers that have a role in unwinding.
constexpr uint8_t kDwarfBp = machine::kFramePointer, kDwarfSp = machine::kStackPointer;
constexpr uint8_t kDwarfRa = machine::kReturnAddress;

}  // namespace gprofx::agent
