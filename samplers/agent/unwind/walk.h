// Signal path. The native walk: from the registers of an interrupted thread to its outermost frame.
//
// A pure function over a Memory policy (every load may fail) and a Rows policy (address -> Row), so
// that recorded stacks test it without a process. Bounded by the capacity of `frames`. Cost: 15 to
// 50 ns a frame with cached rows, 3 ns where a frame and its callers are those of the walk before
// (see Reuse).
//   Memory: bool Read(uint64_t address, T* out) const
//   Rows:   Row Find(uint64_t pc, bool leaf)           pc = ip of the first frame, return address -
//   1 of callers
//           bool LooksLikeCode(uint64_t address)       may a return address point here (module or
//           readable JIT code)? bool Rules(uint64_t pc, uint8_t reg, CfiState*)   full rules of a
//           frame, for RecoverRegister
#pragma once

#include <cstdint>

#include "samplers/agent/unwind/cfi.h"
#include "samplers/agent/unwind/row.h"

namespace gprofx::agent {

struct Registers {  // DWARF numbering; 16 = instruction pointer
  uint64_t r[17];
  uint64_t ip() const { return r[kDwarfRa]; }
  uint64_t sp() const { return r[kDwarfSp]; }
  uint64_t bp() const { return r[kDwarfBp]; }
};

struct NativeFrame {
  uint64_t pc;      // where to look the frame up: ip, or return address - 1
  uint64_t sp;      // the frame occupies [sp, sp of the next frame)
  uint64_t bp;      // value of RBP in the frame
  uint16_t module;  // index in the module table or kNoModuleIndex
  bool called;      // its return address lies right below the next frame's sp: a plain call
};

struct WalkResult {
  uint32_t count = 0;
  EndReason end = EndReason::kDepth;
  uint64_t last_cfa = 0;  // end of the outermost frame found
  uint32_t reused = 0;    // frames taken over from the walk before
};

struct PreviousWalk {  // of the same thread; empty when it may not be reused
  const NativeFrame* frames = nullptr;
  WalkResult result;
};

constexpr uint64_t kMaxFrameBytes = 32u
                                    << 20;  // a frame larger than this is a mistake in the rules

namespace internal {

// Offsets of gregs in the ucontext on the signal stack, by DWARF register number.
constexpr uint16_t kUcontextOffset[17] = {40 + 13 * 8 /*rax*/,
                                          40 + 12 * 8 /*rdx*/,
                                          40 + 14 * 8 /*rcx*/,
                                          40 + 11 * 8 /*rbx*/,
                                          40 + 9 * 8 /*rsi*/,
                                          40 + 8 * 8 /*rdi*/,
                                          40 + 10 * 8 /*rbp*/,
                                          40 + 15 * 8 /*rsp*/,
                                          40,
                                          48,
                                          56,
                                          64,
                                          72,
                                          80,
                                          88,
                                          96 /*r8..r15*/,
                                          40 + 16 * 8 /*rip*/};

// `call` ends right before every return address.
template <class Memory>
bool FollowsCall(const Memory& memory, uint64_t return_address) {
  uint8_t code[8];
  for (int i = 0; i < 7; ++i) {
    if (!memory.Read(return_address - 7 + static_cast<uint64_t>(i), &code[i])) return false;
  }
  if (code[2] == 0xe8) return true;
  for (int at = 0; at <= 5; ++at) {  // ff /2 with 2 to 7 bytes
    if (code[at] == 0xff && (code[at + 1] >> 3 & 7) == 2) return true;
  }
  return false;
}

}  // namespace internal

template <class Memory, class Rows>
class Walker {
 public:
  Walker(const Memory& memory, Rows& rows, NativeFrame* frames, uint32_t capacity)
      : memory_(memory), rows_(rows), frames_(frames), capacity_(capacity) {}

  WalkResult Walk(const Registers& start, const PreviousWalk& previous = {}) {
    live_ = start;
    segment_ = 0;
    ip_ = start.ip();
    sp_ = start.sp();
    bp_ = start.bp();
    bool first = true;
    uint32_t known = 0;  // frames of `previous` below the stack pointer
    WalkResult result;
    while (result.count < capacity_) {
      uint64_t pc = first ? ip_ : ip_ - 1;
      while (known < previous.result.count && previous.frames[known].sp < sp_) ++known;
      if (!first && Reuse(previous, pc, known, &result)) break;
      pc = first ? ip_ : ip_ - 1;
      Row row = rows_.Find(pc, first);
      frames_[result.count] = {pc, sp_, bp_, row.module, false};
      count_ = ++result.count;
      if (row.cfa == CfaRule::kEnd) {
        result.end = EndReason::kComplete;
        break;
      }
      if (row.cfa == CfaRule::kSignal) {
        if (!EnterInterrupted()) {
          result.end = EndReason::kUnreadable;
          break;
        }
        segment_ = count_;
        first = true;
        continue;
      }
      result.end =
          row.cfa == CfaRule::kInvalid ? ByFramePointer(row, first) : ByRow(row, pc, first);
      if (result.end != EndReason::kDepth) break;
      frames_[count_ - 1].called = row.cfa != CfaRule::kInvalid;
      first = false;
    }
    result.last_cfa = sp_;
    return result;
  }

 private:
  // A stack changes at its leaf: from the first frame that stood at the same place in the walk
  // before, callers are the same as long as the return addresses on the stack are. One load and one
  // compare a frame instead of a row. Takes over what holds; true if that reaches the end of the
  // walk.
  bool Reuse(const PreviousWalk& previous, uint64_t pc, uint32_t at, WalkResult* result) {
    const NativeFrame* old = previous.frames;
    const uint32_t old_count = previous.result.count;
    if (at >= old_count || old[at].sp != sp_ || old[at].pc != pc || old[at].bp != bp_) return false;
    uint32_t k = at;
    while (k + 1 < old_count && old[k].called && count_ + 1 < capacity_) {
      uint64_t return_address = 0;
      if (!memory_.Read(old[k + 1].sp - 8, &return_address) || return_address - 1 != old[k + 1].pc)
        break;
      frames_[count_++] = old[k++];
    }
    result->reused += k - at;
    result->count = count_;
    ip_ = old[k].pc + 1;
    sp_ = old[k].sp;
    bp_ = old[k].bp;
    if (k + 1 < old_count || previous.result.end != EndReason::kComplete || count_ >= capacity_)
      return false;
    frames_[count_++] = old[k];
    result->count = count_;
    result->end = previous.result.end;
    sp_ = previous.result.last_cfa;
    return true;
  }

  // One step by a row. kDepth = went on.
  EndReason ByRow(const Row& row, uint64_t pc, bool first) {
    uint64_t cfa = 0;
    auto offset = static_cast<uint64_t>(int64_t{row.cfa_offset});
    switch (row.cfa) {
      case CfaRule::kSp:
        cfa = sp_ + offset;
        break;
      case CfaRule::kBp:
        cfa = bp_ + offset;
        break;
      case CfaRule::kPlt:
        cfa = sp_ + ((pc & 15) >= offset ? 16 : 8);
        break;
      case CfaRule::kDeref: {
        uint64_t base = 0;
        if (!Register(row.reg, first, &base)) return EndReason::kBadRule;
        if (!memory_.Read(base + offset, &cfa)) return EndReason::kUnreadable;
        break;
      }
      case CfaRule::kReg: {
        uint64_t base = 0;
        if (!Register(row.reg, first, &base)) return EndReason::kBadRule;
        cfa = base + offset;
        break;
      }
      default:
        return EndReason::kBadRule;
    }
    uint64_t ip = 0;
    if (cfa <= sp_ || cfa - sp_ > kMaxFrameBytes || cfa % 8 != 0) return EndReason::kBadSp;
    if (!memory_.Read(cfa - 8, &ip)) return EndReason::kUnreadable;
    if (row.bp != BpRule::kSame) {
      uint64_t slot =
          (row.bp == BpRule::kAtCfa ? cfa : bp_) + static_cast<uint64_t>(int64_t{row.bp_offset});
      if (!memory_.Read(slot, &bp_)) return EndReason::kUnreadable;
    }
    return Step(ip, cfa);
  }

  // No rule: a leaf may just have been called; else the frame pointer chain, if it looks like one.
  EndReason ByFramePointer(const Row& row, bool first) {
    auto why = static_cast<EndReason>(row.cfa_offset);
    uint64_t ip = 0;
    if (first && memory_.Read(sp_, &ip) && Plausible(ip)) return Step(ip, sp_ + 8);
    uint64_t saved = 0;
    if (bp_ < sp_ || bp_ - sp_ > kMaxFrameBytes || bp_ % 8 != 0) return why;
    if (!memory_.Read(bp_ + 8, &ip) || !memory_.Read(bp_, &saved) || !Plausible(ip)) return why;
    uint64_t cfa = bp_ + 16;
    bp_ = saved;
    return Step(ip, cfa);
  }

  bool Plausible(uint64_t ip) {
    return ip > 4096 && rows_.LooksLikeCode(ip) && internal::FollowsCall(memory_, ip);
  }

  EndReason Step(uint64_t ip, uint64_t cfa) {
    ip_ = ip;
    sp_ = cfa;
    return ip == 0 ? EndReason::kComplete : EndReason::kDepth;
  }

  bool EnterInterrupted() {
    uint64_t context = sp_;
    for (int i = 0; i < 17; ++i) {
      if (!memory_.Read(context + internal::kUcontextOffset[i], &live_.r[i])) return false;
    }
    ip_ = live_.ip();
    sp_ = live_.sp();
    bp_ = live_.bp();
    return true;
  }

  // A register other than RSP and RBP: live in the innermost frame, else what the frames below
  // saved of it.
  bool Register(uint8_t reg, bool first, uint64_t* value) {
    if (reg == kDwarfSp || reg == kDwarfBp) {
      *value = reg == kDwarfSp ? sp_ : bp_;
      return true;
    }
    if (reg > 15) return false;
    *value = live_.r[reg];
    if (first) return true;
    for (uint32_t i = segment_; i + 1 < count_; ++i) {
      CfiState state;
      if (!rows_.Rules(frames_[i].pc, reg, &state)) return false;
      if (state.other == BpRule::kAtBp) return false;
      uint64_t slot = frames_[i + 1].sp + static_cast<uint64_t>(state.other_offset);
      if (state.other == BpRule::kAtCfa && !memory_.Read(slot, value)) return false;
    }
    return true;
  }

  const Memory& memory_;
  Rows& rows_;
  NativeFrame* const frames_;
  const uint32_t capacity_;
  Registers live_;        // registers of the innermost frame, or of the latest interrupted one
  uint32_t segment_ = 0;  // first frame that live_ belongs to
  uint32_t count_ = 0;
  uint64_t ip_ = 0, sp_ = 0, bp_ = 0;
};

}  // namespace gprofx::agent
