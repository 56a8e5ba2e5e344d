// Runs in signal handlers. Finds the caller of code without unwind rows by scanning the stack.
//
// Such code is hand-written (the kernels of OpenBLAS and MKL), or generated at run time without
// frame pointers (Numba, oneDNN, the trampolines of python -X perf). Its frame takes up to 20 KiB
// (OpenBLAS aligns a buffer in it) and is full of words left over from earlier calls. Many of these
// are return addresses, some with whole chains of callers. A word is accepted as the caller's
// return address under these conditions: it follows a call instruction, the code there has a row,
// the rows lead from it to the end of the thread or far enough, and the call may have led to the
// code without rows. Weaker candidates are used only if nothing better is found. Policies: see
// walk.h, and
//   Rows: bool IsProfiler(uint16_t module)   our own library
#pragma once

#include <algorithm>
#include <cstdint>

#include "samplers/agent/unwind/row.h"

namespace gprofx::agent {

constexpr uint64_t kMaxFrameBytes = 32u << 20;  // a larger frame indicates wrong rules

template <class Memory, class Rows>
class StackScan {
 public:
  struct Caller {
    uint64_t ip = 0;    // the return address
    uint64_t slot = 0;  // address of the return address
    uint64_t bp = 0;    // the caller's frame pointer, as far as known
  };

  StackScan(const Memory& memory, Rows& rows) : memory_(memory), rows_(rows) {}

  // True if `ip` may be a return address: the code before it is readable and is a call. The code
  // may be in a module or generated at run time.
  bool Plausible(uint64_t ip) {
    return IsUserAddress(ip) && machine::FollowsCall(memory_, ip, &unreadable_);
  }

  // Finds the caller of code without rows by scanning the stack from `sp`. `module` contains that
  // code (kNoModuleIndex: it was generated at run time). Returns false if no caller is found.
  bool Find(uint16_t module, uint64_t sp, uint64_t bp, Caller* caller) {
    Trust trust = Trust::kNone;
    uint64_t end = kScannedWords;
    for (uint64_t i = 0; i < end && MayGoOn(); ++i) {
      Caller now{0, sp + i * 8, bp};
      if (!memory_.Read(now.slot, &now.ip)) break;
      // Skip words that are no code addresses, and pointers into the scanned range, because code
      // may be mapped directly above a thread's stack.
      if (!IsUserAddress(now.ip) || now.ip - sp <= i * 8) continue;
      ++looks_;
      if (!PlausibleWord(now.ip)) continue;
      const Trust trust_now = Judge(module, &now);
      if (trust_now <= trust) continue;
      trust = trust_now;
      *caller = now;
      if (trust == Trust::kSure) break;
      if (trust == Trust::kLikely) end = std::min(end, i + kWordsBehindLikely);
    }
    return trust != Trust::kNone;
  }

  // True if `word`, at the stack pointer of code generated at run time, is only padding; *caller is
  // then the caller whose return address follows it. The trampolines of python -X perf only move
  // the stack pointer by a word to align it before they call, and a stale word remains there. In
  // other such code, a word that points to data may look like a return address. The check of the
  // caller after it distinguishes the two cases. Code that was just called has a stack pointer 8
  // off a multiple of 16 (x86-64 psABI, 3.2.2).
  bool BehindPadding(uint64_t word, uint64_t sp, uint64_t bp, Caller* caller) {
    if (sp % 16 != 0 || rows_.InModule(word)) return false;
    Caller behind{0, sp + 8, bp};
    if (!memory_.Read(behind.slot, &behind.ip) || !PlausibleWord(behind.ip)) return false;
    bool by_bp = false;
    if (Leads(rows_.Find(behind.ip - 1, false), sp + 16, bp, &by_bp) == 0) return false;
    *caller = behind;
    return true;
  }

 private:
  bool MayGoOn() const {
    return looks_ < kMaxLooks && no_stack_ < kMaxNoStack && memory_.MaySearch();
  }

  static constexpr uint64_t kScannedWords = 4096;
  static constexpr uint64_t kWordsBehindLikely = 2048;
  static constexpr uint32_t kMaxLooks = 2048;    // per walk: words that are checked for code
  static constexpr uint32_t kMaxUnreadable = 8;  // per walk: unreadable words; each costs a signal
  static constexpr uint32_t kMaxNoStack = 64;    // per walk: unreadable stacks; each costs a signal
  static constexpr uint32_t kFarEnough = 8;      // frames that rows must lead outward
  // A candidate counts as code that begins the thread if its rows reach the thread's end after at
  // most this many frames.
  static constexpr uint32_t kBeginning = 1;
  static constexpr uint64_t kPushedWords = 16;
  static constexpr uint64_t kCallBytes = 8;  // bytes before an address that FollowsCall may read

  enum class Trust {
    kNone,
    kWeak,       // does not lead far, or the caller begins the thread in another module
    kElsewhere,  // leads far, but the call targets another function
    kLikely,     // leads far, but from another module
    kSure,
  };

  static bool IsUserAddress(uint64_t address) {
    return address > 65536 && address >> machine::kAddressBits == 0;
  }

  // Like Plausible, for a word that may be anything. Loads nothing from addresses outside modules,
  // because each load of a bad address costs a signal. False for the first address of a module: no
  // call precedes it, and each stack holds two such words (AT_BASE, AT_SYSINFO_EHDR).
  bool PlausibleWord(uint64_t word) {
    return IsUserAddress(word) && unreadable_ < kMaxUnreadable && rows_.InModule(word) &&
           rows_.InModule(word - kCallBytes) && Plausible(word);
  }

  bool PlausibleOutside(uint64_t ip) {
    if (rows_.InModule(ip)) return Plausible(ip);
    if (!IsUserAddress(ip) || ip == bad_ || no_code_ >= kMaxUnreadable) return false;
    if (machine::FollowsCall(memory_, ip, &no_code_)) return true;
    bad_ = ip;
    return false;
  }

  // Rates a candidate for the caller of code in `module`. Its frame pointer may be the present one,
  // or a value that the code pushed right below the return address; sets caller->bp.
  Trust Judge(uint16_t module, Caller* caller) {
    const Row row = rows_.Find(caller->ip - 1, false);
    const uint64_t sp = caller->slot + 8;
    bool by_bp = false;
    uint32_t leads = Leads(row, sp, caller->bp, &by_bp);
    for (uint64_t below = 1; below <= kPushedWords && by_bp && leads < kFarEnough; ++below) {
      uint64_t pushed = 0;
      if (!memory_.Read(caller->slot - below * 8, &pushed)) break;
      if (pushed <= caller->slot || pushed - caller->slot > kMaxFrameBytes) continue;
      const uint32_t leads_now = Leads(row, sp, pushed, &by_bp);
      if (leads_now <= leads) continue;
      leads = leads_now;
      caller->bp = pushed;
    }
    if (leads == 0) return Trust::kNone;
    if (leads < kFarEnough || rows_.IsProfiler(row.module)) return Trust::kWeak;
    const bool of_other = module != kNoModuleIndex && module != row.module;
    if (of_other && to_end_ <= kBeginning) return Trust::kWeak;
    if (CallsOther(caller->ip)) return Trust::kElsewhere;
    return of_other ? Trust::kLikely : Trust::kSure;
  }

  // Returns how many frames the rows lead outward from a frame at `sp` with this row. A frame
  // counts if its caller has a row too. The result is kFarEnough if the rows reach the end of the
  // thread, or a frame beyond which nothing can be checked. Sets *by_bp if the result depends on
  // `bp`.
  uint32_t Leads(Row row, uint64_t sp, uint64_t bp, bool* by_bp) {
    bool given = true;  // `bp` is still the argument of the function
    to_end_ = kFarEnough;
    for (uint32_t frames = 0; frames < kFarEnough; ++frames) {
      uint64_t base = sp, ip = 0;
      if (row.cfa == CfaRule::kBp) {
        base = bp;
        *by_bp = *by_bp || given;
      } else if (row.cfa != CfaRule::kSp) {
        return frames == 0 ? 0 : kFarEnough;
      }
      const uint64_t cfa = base + static_cast<uint64_t>(int64_t{row.cfa_offset});
      if (cfa <= sp || cfa - sp > kMaxFrameBytes || cfa % 8 != 0) return frames;
      if (!memory_.Read(cfa - 8, &ip)) {
        ++no_stack_;
        return frames;
      }
      // The direct caller must be in a module. Further out, a caller may also be code generated at
      // run time.
      if (frames == 0 ? !PlausibleWord(ip) : !PlausibleOutside(ip)) return frames;
      if (row.bp != BpRule::kSame &&
          !memory_.Read(
              (row.bp == BpRule::kAtCfa ? cfa : bp) + static_cast<uint64_t>(int64_t{row.bp_offset}),
              &bp))
        return frames;
      given = given && row.bp == BpRule::kSame;
      row = rows_.Find(ip - 1, false);
      if (row.cfa == CfaRule::kEnd) {
        to_end_ = frames;
        return kFarEnough;
      }
      if (row.cfa == CfaRule::kInvalid) return frames > 0 || row.MayBegin() ? kFarEnough : 0;
      sp = cfa;
    }
    return kFarEnough;
  }

  // True if the call instruction before `ip` directly targets a function that has rows, and that
  // function does not begin with a jump. A PLT stub has rows but begins with a jump, so the result
  // for it is false.
  bool CallsOther(uint64_t ip) {
    const uint64_t target = machine::DirectCallTarget(memory_, ip);
    if (target == 0 || !rows_.InModule(target) || machine::JumpsOn(memory_, target)) return false;
    const Row row = rows_.Find(target, false);
    return row.cfa != CfaRule::kInvalid && row.cfa != CfaRule::kPlt;
  }

  const Memory& memory_;
  Rows& rows_;
  uint32_t looks_ = 0;
  uint32_t unreadable_ = 0;  // addresses in a module that could not be read
  uint32_t no_code_ = 0;     // addresses in code generated at run time that could not be read
  uint64_t bad_ = 0;         // the latest address that is counted in no_code_
  uint32_t no_stack_ = 0;
  uint32_t to_end_ = 0;  // frames from the latest candidate to the end, if it was reached
};

}  // namespace gprofx::agent
