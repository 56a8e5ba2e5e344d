// Runs in signal handlers. Walks the native stack, from the registers of an interrupted thread to
// its outermost frame.
//
// The walk is a pure function over a Memory policy (every load may fail) and a Rows policy (address
// -> Row), so recorded stacks can test it without a process. The capacity of the caller's buffer
// bounds it. Cost: 15 to 50 ns a frame with cached rows, 3 ns if a frame and its callers are
// unchanged since the previous walk (see Unchanged).
//   Memory: bool Read(uint64_t address, T* out) const
//           bool MaySearch() const
//               false if the walk has read so much that a search for callers must end
//   Rows:   Row Find(uint64_t pc, bool leaf)
//               pc = ip of the first frame, return address - 1 of callers
//           bool InModule(uint64_t address)
//               true if a loaded file is mapped there
//           bool Rules(uint64_t pc, uint8_t reg, CfiState*)
//               full rules of a frame, for RecoverRegister
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "samplers/agent/unwind/cfi.h"
#include "samplers/agent/unwind/row.h"
#include "samplers/agent/unwind/scan.h"

namespace gprofx::agent {

struct Registers {  // DWARF numbering
  uint64_t r[machine::kRegisters];
  uint64_t ip() const { return r[machine::kInstructionPointer]; }
  uint64_t sp() const { return r[kDwarfSp]; }
  uint64_t bp() const { return r[kDwarfBp]; }
};

// Returns the registers of an interrupted thread. `context` points to a ucontext_t.
inline Registers RegistersOf(const void* context) {
  Registers registers;
  for (int i = 0; i < machine::kRegisters; ++i) {
    std::memcpy(&registers.r[i], static_cast<const char*>(context) + machine::kContextOffset[i],
                sizeof(uint64_t));
  }
  return registers;
}

namespace internal {

// A frame on machines where the return address is in the word just below the stack pointer of the
// next frame.
struct FrameBelowCfa {
  uint64_t pc;           // address for the row lookup: ip, or return address - 1
  uint64_t sp : 48;      // the frame occupies [sp, sp of the next frame)
  uint64_t module : 16;  // index in the module table or kNoModuleIndex
  uint64_t bp : 63;      // value of the frame pointer in it, without the top bit
  uint64_t called : 1;   // the frame made a plain call; ReturnSlot() then holds the return address

  uint64_t ReturnSlot(uint64_t next_sp) const { return next_sp - 8; }
  void Called(uint64_t, uint64_t) { called = 1; }
};

// A frame on machines where the return address may be anywhere in the frame. `called` is set only
// if the address is in memory.
struct FrameWithSlot {
  uint64_t pc : 48;
  // From the word with the return address up to the next frame's sp, in words.
  uint64_t slot_words : 16;
  uint64_t sp : 48;
  uint64_t module : 16;
  uint64_t bp : 63;
  uint64_t called : 1;

  uint64_t ReturnSlot(uint64_t next_sp) const { return next_sp - uint64_t{slot_words} * 8; }
  void Called(uint64_t slot, uint64_t next_sp) {
    const uint64_t words = (next_sp - slot) / 8;
    if (slot == 0 || words > UINT16_MAX) return;
    slot_words = words & UINT16_MAX;
    called = 1;
  }
};

}  // namespace internal

using NativeFrame =
    std::conditional_t<machine::kHasLinkRegister, internal::FrameWithSlot, internal::FrameBelowCfa>;
static_assert(sizeof(NativeFrame) == 24);

// Result of a walk. If `end` is not kComplete, the walk stopped at its last frame, and that frame's
// module is what the user needs to know.
struct WalkResult {
  const NativeFrame* frames =
      nullptr;  // innermost first; they fill the last part of the walker's buffer
  uint32_t count = 0;
  EndReason end = EndReason::kDepth;
  uint64_t last_cfa = 0;  // CFA of the outermost frame that was found
  uint32_t reused = 0;    // frames taken from the previous walk
  uint32_t guessed = 0;   // callers found by scanning the stack
};

// Walks one thread's stack, again and again. The frames are stored at the end of `buffer`, the
// outermost one last. A stack changes at its leaf, so the next walk leaves the frames that are
// still valid in place and writes only the new ones before them.
template <class Memory, class Rows>
class Walker {
 public:
  Walker(const Memory& memory, Rows& rows, NativeFrame* buffer, uint32_t capacity)
      : memory_(memory), rows_(rows), scan_(memory, rows), buffer_(buffer), capacity_(capacity) {}

  // Walks the stack of a thread with the registers `start`. `previous` is the result of the
  // previous walk in the same buffer, or empty.
  //
  // A stack with more frames than the buffer has entries is cut at its outer end, to a quarter
  // below the capacity. As long as enough of the rest is unchanged, later walks reuse it. They are
  // then fast and cut the stack at the same frame.
  WalkResult Walk(const Registers& start, const WalkResult& previous = {}) {
    const WalkResult result = Try(start, previous);
    const bool was_narrow =
        result.end == EndReason::kDepth && result.reused == 0 && limit_ < capacity_;
    return was_narrow ? Try(start, {}) : result;
  }

 private:
  WalkResult Try(const Registers& start, const WalkResult& previous) {
    count_ = guessed_ = segment_ = changed_ = 0;
    // New frames go to the front of the buffer, which the previous walk leaves free unless it was
    // very deep.
    const uint32_t room = capacity_ - previous.count;
    const bool may_reuse = previous.count > 0 && room >= kMinRoom;
    limit_ = may_reuse ? room : capacity_;
    live_ = start;
    ip_ = start.ip();
    sp_ = start.sp();
    bp_ = start.bp();
    bool first = true;
    uint32_t known = 0;  // frames of `previous` that are inside of the present frame
    EndReason end = EndReason::kDepth;
    while (count_ < limit_) {
      const uint64_t pc = first ? ip_ : ip_ - 1;
      if (may_reuse && !first) {
        while (known < previous.count && previous.frames[known].sp < sp_) ++known;
        if (uint32_t kept = Unchanged(previous, known, pc); kept != 0) return Join(previous, kept);
      }
      const Row row = rows_.Find(pc, first);
      if (row.cfa == CfaRule::kInvalid && !first && !Plausible(ip_)) {
        // No call precedes the address. Either a function begins there and the stack is complete
        // (BeginsFunction), or the walk went wrong at the previous frame.
        end = BeginsFunction(ip_) ? EndReason::kComplete : static_cast<EndReason>(row.cfa_offset);
        break;
      }
      buffer_[count_++] = {
          .pc = pc, .sp = sp_, .module = row.module, .bp = bp_ & kBpMask, .called = 0};
      if (row.cfa == CfaRule::kEnd) {
        end = EndReason::kComplete;
        break;
      }
      if (row.cfa == CfaRule::kSignal) {
        if (!EnterInterrupted()) {
          end = EndReason::kUnreadable;
          break;
        }
        segment_ = count_;
        first = true;
        continue;
      }
      const uint32_t guesses = guessed_;
      end = row.cfa == CfaRule::kInvalid ? ByFramePointer(row, first) : ByRow(row, pc, first);
      if (end != EndReason::kDepth) break;
      if (guessed_ == guesses) buffer_[count_ - 1].Called(slot_, sp_);
      first = false;
    }
    return MoveToEnd(end);
  }

  static constexpr uint32_t kMinRoom = 64;
  static constexpr uint64_t kBpMask = ~uint64_t{0} >> 1;

  // Returns how many frames of the previous walk, from index `at` on, are still valid. That is all
  // of them or 0.
  //
  // A frame's callers are unchanged if the frame is at the same address with the same registers and
  // the return addresses on the stack are the same. Checking these takes one load and one compare
  // per frame instead of a row lookup. A walk checks each frame once: frames inside of one that has
  // changed are not valid either. If the previous walk was cut because the stack was too deep, its
  // frames are valid only if the stack is still deep.
  uint32_t Unchanged(const WalkResult& previous, uint32_t at, uint64_t pc) {
    const NativeFrame* old = previous.frames;
    if (at >= previous.count || at < changed_) return 0;
    const bool is_deep =
        previous.end == EndReason::kDepth && count_ + previous.count - at >= capacity_ / 2;
    if (previous.end != EndReason::kComplete && !is_deep) return 0;
    if (old[at].sp != sp_ || old[at].pc != pc || old[at].bp != (bp_ & kBpMask)) return 0;
    for (uint32_t k = at; k + 1 < previous.count; ++k) {
      changed_ = k + 1;
      uint64_t return_address = 0;
      if (!old[k].called || !memory_.Read(old[k].ReturnSlot(old[k + 1].sp), &return_address))
        return 0;
      if (machine::Strip(return_address) - 1 != old[k + 1].pc) return 0;
    }
    return previous.count - at;
  }

  // Returns the new frames followed by the last `kept` frames of the previous walk, which stay in
  // place.
  WalkResult Join(const WalkResult& previous, uint32_t kept) {
    NativeFrame* begin = buffer_ + (capacity_ - kept - count_);
    std::memmove(begin, buffer_, count_ * sizeof(NativeFrame));
    return {begin, count_ + kept, previous.end, previous.last_cfa, kept, guessed_};
  }

  WalkResult MoveToEnd(EndReason end) {
    const uint32_t kept = capacity_ - capacity_ / 4;
    if (end == EndReason::kDepth && count_ == capacity_ && capacity_ > kept) {
      count_ = kept;
      sp_ = buffer_[kept].sp;
    }
    NativeFrame* begin = buffer_ + (capacity_ - count_);
    std::memmove(begin, buffer_, count_ * sizeof(NativeFrame));
    return {begin, count_, end, sp_, 0, guessed_};
  }

  // Returns the stack address that holds the return address; 0 = it is still in its register.
  static uint64_t ReturnSlot(const Row& row, uint64_t cfa) {
    if constexpr (!machine::kHasLinkRegister) return cfa - 8;
    const uint64_t at = cfa + static_cast<uint64_t>(int64_t{row.bp_offset});
    return row.ra == RaRule::kInRegister ? 0 : row.ra == RaRule::kAboveBp ? at + 8 : at;
  }

  // Steps to the caller with the rules of `row`. Returns kDepth if the walk continues, else why it
  // ends.
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
    // On machines with a link register, a leaf function need not move the stack pointer.
    const bool still = machine::kHasLinkRegister && first && cfa == sp_;
    if ((cfa <= sp_ && !still) || cfa - sp_ > kMaxFrameBytes || cfa % 8 != 0)
      return EndReason::kBadSp;
    slot_ = ReturnSlot(row, cfa);
    if (slot_ == 0) {
      if (!first) return EndReason::kBadRule;
      ip = live_.r[kDwarfRa];
    } else if (!memory_.Read(slot_, &ip)) {
      return EndReason::kUnreadable;
    }
    ip = machine::Strip(ip);
    if (row.bp != BpRule::kSame) {
      uint64_t slot =
          (row.bp == BpRule::kAtCfa ? cfa : bp_) + static_cast<uint64_t>(int64_t{row.bp_offset});
      if (!memory_.Read(slot, &bp_)) return EndReason::kUnreadable;
    }
    return Step(ip, cfa);
  }

  // Steps to the caller of code without rules. Tries three ways, in this order:
  //  1. The word at the stack pointer: a leaf may have just been called.
  //  2. The frame that the frame pointer points to, if it is plausible.
  //  3. A scan of the stack.
  //
  // Returns kDepth if the walk continues, else why it ends.
  EndReason ByFramePointer(const Row& row, bool first) {
    auto why = static_cast<EndReason>(row.cfa_offset);
    if constexpr (machine::kHasLinkRegister) return ByFrameRecord(why, first);
    uint64_t ip = 0;
    if (first && memory_.Read(sp_, &ip) && Plausible(ip)) {
      typename StackScan<Memory, Rows>::Caller behind;
      return scan_.BehindPadding(ip, sp_, bp_, &behind) ? ToGuessed(behind) : Step(ip, sp_ + 8);
    }
    uint64_t saved = 0;
    const bool frame = bp_ >= sp_ && bp_ - sp_ <= kMaxFrameBytes && bp_ % 8 == 0 &&
                       memory_.Read(bp_ + 8, &ip) && memory_.Read(bp_, &saved);
    if (frame && Plausible(ip)) {
      uint64_t cfa = bp_ + 16;
      bp_ = saved;
      return Step(ip, cfa);
    }
    // In the outermost frame the saved RBP is 0 (x86-64 psABI, 3.4.1). In that of a goroutine, the
    // return address follows no call.
    if (frame && saved == 0 && rows_.InModule(ip)) return EndReason::kComplete;
    return ByScan(row, why);
  }

  // Does the work of ByFramePointer on machines where the frame pointer points to a record (x29,
  // x30). A word on the stack cannot be recognized as a return address there, so the stack is not
  // scanned.
  //
  // In code without rows (each PLT stub, assembler kernels) the link register gives the caller, if
  // that has rows. After such code has made a call, the link register holds an address in the code
  // itself. Then, or if the caller has no rows either, the record is used.
  EndReason ByFrameRecord(EndReason why, bool first) {
    const uint64_t link = machine::Strip(live_.r[kDwarfRa]);
    const bool called = first && Plausible(link);
    uint64_t ip = 0, saved = 0;
    const bool frame = bp_ >= sp_ && bp_ - sp_ <= kMaxFrameBytes && bp_ % 8 == 0 &&
                       memory_.Read(bp_ + 8, &ip) && memory_.Read(bp_, &saved);
    ip = machine::Strip(ip);
    if (called) {
      const Row caller = rows_.Find(link - 1, false);
      if (caller.cfa != CfaRule::kInvalid) {
        // If the code has pushed a record, the link register's value is on the stack. That word
        // must not count as the caller's own return address.
        const uint64_t except = machine::InStub(memory_, ip_) ? 0 : link;
        if (Holds(caller, sp_, except)) return ByLink(link, sp_);
        if (frame && ip == link && Holds(caller, SpOf(caller, saved), except))
          return ByRecord(caller, ip, saved);
        return ByLink(link, SpOf(caller, bp_));
      }
    }
    if (frame && Plausible(ip)) return ByRecord(rows_.Find(ip - 1, false), ip, saved);
    if (frame && saved == 0 && (ip == 0 || rows_.InModule(ip))) return EndReason::kComplete;
    return called ? ByLink(link, sp_) : why;
  }
  EndReason ByLink(uint64_t link, uint64_t sp) {
    slot_ = 0;
    return Step(link, sp);
  }
  // Steps to the caller with the frame record that the frame pointer points to: the saved frame
  // pointer and the return address.
  EndReason ByRecord(const Row& caller, uint64_t ip, uint64_t saved) {
    slot_ = bp_ + 8;
    const uint64_t behind = bp_ + 16, sp = SpOf(caller, saved);
    bp_ = saved;
    return Step(ip, sp > behind && Holds(caller, sp, 0) ? sp : behind);
  }
  // Returns the caller's stack pointer. How large the frame of code without rows is, is unknown.
  // But if the caller keeps a frame record at `bp`, its row says how far above the stack pointer
  // that record is.
  uint64_t SpOf(const Row& caller, uint64_t bp) const {
    const bool known = caller.cfa == CfaRule::kSp && caller.ra == RaRule::kAboveBp;
    const uint64_t sp = bp - static_cast<uint64_t>(int64_t{caller.cfa_offset} + caller.bp_offset);
    return known && sp >= sp_ && sp - sp_ <= kMaxFrameBytes && sp % 8 == 0 ? sp : sp_;
  }
  // True if a frame with this row and stack pointer holds a return address where the row says. The
  // address must not be `except`.
  bool Holds(const Row& row, uint64_t sp, uint64_t except) {
    if (row.cfa != CfaRule::kSp) return true;  // the row does not use the stack pointer
    const uint64_t slot = ReturnSlot(row, sp + static_cast<uint64_t>(int64_t{row.cfa_offset}));
    uint64_t ip = 0;
    if (slot == 0 || !memory_.Read(slot, &ip)) return false;
    ip = machine::Strip(ip);
    return ip != except && Plausible(ip);
  }

  // Scans the stack for the caller and its RBP. Returns kDepth if the walk continues, else `why`.
  EndReason ByScan(const Row& row, EndReason why) {
    typename StackScan<Memory, Rows>::Caller caller;
    return scan_.Find(row.module, sp_, bp_, &caller) ? ToGuessed(caller) : why;
  }
  EndReason ToGuessed(const typename StackScan<Memory, Rows>::Caller& caller) {
    bp_ = caller.bp;
    ++guessed_;
    return Step(caller.ip, caller.slot + 8);
  }

  bool Plausible(uint64_t ip) { return scan_.Plausible(ip); }

  // True if a function begins at `ip`: a row covers `ip`, but none covers the byte before it (the
  // caller has checked that). makecontext(3) makes such an address the return address of a
  // coroutine's first function.
  bool BeginsFunction(uint64_t ip) { return rows_.Find(ip, true).cfa != CfaRule::kInvalid; }

  EndReason Step(uint64_t ip, uint64_t cfa) {
    ip_ = ip;
    sp_ = cfa;
    return ip == 0 ? EndReason::kComplete : EndReason::kDepth;
  }

  bool EnterInterrupted() {
    const uint64_t context = sp_ + machine::kContextAboveSp;
    for (int i = 0; i < machine::kRegisters; ++i) {
      if (!memory_.Read(context + machine::kContextOffset[i], &live_.r[i])) return false;
    }
    ip_ = live_.ip();
    sp_ = live_.sp();
    bp_ = live_.bp();
    return true;
  }

  // Sets *value to a register of the present frame. For RSP and RBP that is the walk's own value.
  // For another register, it is the live value in the innermost frame, and elsewhere the value that
  // inner frames saved. Returns false if it is unknown.
  bool Register(uint8_t reg, bool first, uint64_t* value) {
    if (reg == kDwarfSp || reg == kDwarfBp) {
      *value = reg == kDwarfSp ? sp_ : bp_;
      return true;
    }
    if (reg > machine::kLastBase) return false;
    *value = live_.r[reg];
    if (first) return true;
    for (uint32_t i = segment_; i + 1 < count_; ++i) {
      CfiState state;
      if (!rows_.Rules(buffer_[i].pc, reg, &state)) return false;
      if (state.other == BpRule::kAtBp) return false;
      uint64_t slot = buffer_[i + 1].sp + static_cast<uint64_t>(state.other_offset);
      if (state.other == BpRule::kAtCfa && !memory_.Read(slot, value)) return false;
    }
    return true;
  }

  const Memory& memory_;
  Rows& rows_;
  StackScan<Memory, Rows> scan_;
  NativeFrame* const buffer_;
  const uint32_t capacity_;
  uint32_t guessed_ = 0;
  uint32_t limit_ = 0;    // frames that may be written at the front
  uint32_t changed_ = 0;  // first frame of the previous walk that may still be valid
  // Registers of the innermost frame, or of the last signal frame's interrupted code.
  Registers live_;
  uint64_t slot_ = 0;     // where the latest step found the return address
  uint32_t segment_ = 0;  // first frame that live_ applies to
  uint32_t count_ = 0;
  uint64_t ip_ = 0, sp_ = 0, bp_ = 0;
};

}  // namespace gprofx::agent
