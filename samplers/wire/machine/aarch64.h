// Facts about aarch64 that both sides of the wire need (machine.h).
#pragma once

#include <elf.h>
#include <linux/audit.h>
#include <sys/syscall.h>

#include <cstdint>

namespace gprofx::wire {

constexpr char kMachineName[] = "aarch64";
constexpr uint16_t kElfMachine = EM_AARCH64;
constexpr uint32_t kAuditMachine = AUDIT_ARCH_AARCH64;
#define GPROFX_LIBRARY_FOLDER "aarch64-linux-gnu"  // name of the folder in Debian
constexpr char kGlibcLoader[] = "/lib/ld-linux-aarch64.so.1";
constexpr char kMuslLoader[] = "/lib/ld-musl-aarch64.so.1";

// False: gprof-x does not enter running programs (samplers/attach) on this processor, where that is
// not tested.
constexpr bool kEntersPrograms = false;

// Always false: poll, select, epoll_wait and pause are not system calls on aarch64.
constexpr bool IsOldPoll(int64_t) { return false; }
constexpr bool IsPause(int64_t) { return false; }

// A system call, decoded from the code before its return address. The result of a call overwrites
// its first argument. To restart the call, one must know where that argument came from.
struct CallForm {
  int64_t number = -1;  // -1: the code has another form
  bool narrow = false;  // the argument is only 32 bits of the register
  bool sign = false;    // those 32 bits are sign-extended
  uint8_t from = 31;    // register from which the first argument was copied; 31: it is `value`
  uint64_t value = 0;
};

// Maximum length of the code that is decoded: svc and the instructions that compilers put before
// it. They copy the arguments in straight-line code, into which no jump leads.
constexpr uint64_t kCallInstructions = 10;
constexpr uint64_t kCallBytes = 4 * kCallInstructions;
constexpr uint64_t kEnterBytes = 4;  // svc

namespace internal {

constexpr uint32_t kSvc = 0xd4000001;

// What an instruction does if all that it does is to set a register. Source: Arm Architecture
// Reference Manual, C6.2.
struct Setting {
  enum Kind { kOther, kMove, kMoveNarrow, kExtend, kNumber, kUnknownValue } kind = kOther;
  uint8_t to = 31, from = 31;
  uint64_t value = 0;
};

constexpr Setting SettingOf(uint32_t code) {
  const auto to = static_cast<uint8_t>(code & 31);
  const auto operand = static_cast<uint8_t>(code >> 16 & 31);
  const uint64_t immediate = uint64_t{code >> 5 & 0xffff} << (16 * (code >> 21 & 3));
  if ((code & 0xffe0ffe0) == 0xaa0003e0) return {Setting::kMove, to, operand};        // mov x, x
  if ((code & 0xffe0ffe0) == 0x2a0003e0) return {Setting::kMoveNarrow, to, operand};  // mov w, w
  if ((code & 0xfffffc00) == 0x93407c00)                                              // sxtw
    return {Setting::kExtend, to, static_cast<uint8_t>(code >> 5 & 31)};
  if ((code & 0x7f800000) == 0x52800000) return {Setting::kNumber, to, 31, immediate};   // movz
  if ((code & 0xff800000) == 0x92800000) return {Setting::kNumber, to, 31, ~immediate};  // movn x
  if ((code & 0xff800000) == 0x12800000)                                                 // movn w
    return {Setting::kNumber, to, 31, ~immediate & 0xffffffff};
  const bool orr = (code & 0x7f8003e0) == 0x320003e0;  // mov of a bit pattern
  const bool add = (code & 0xffc00000) == 0x91000000 && to != 31;
  const bool ldr = (code & 0xbfc00000) == 0xb9400000;  // of 32 or 64 bits, from base + offset
  if (orr || add || ldr) return {Setting::kUnknownValue, to};
  return {};
}

}  // namespace internal

// Returns the number of the system call at the end of `code` and where its first argument came
// from.
//
// Only instructions that set registers may be between the call and the instructions that assign the
// number and the argument, and the register that the argument came from must not be set later. In
// all other cases the result has the number -1.
constexpr CallForm FormOfCall(const uint8_t (&code)[kCallBytes]) {
  using internal::Setting;
  const auto at = [&code](uint64_t i) {
    return uint32_t{code[4 * i]} | uint32_t{code[4 * i + 1]} << 8 |
           uint32_t{code[4 * i + 2]} << 16 | uint32_t{code[4 * i + 3]} << 24;
  };
  if (at(kCallInstructions - 1) != internal::kSvc) return {};
  CallForm form;
  uint32_t set = 0;  // one bit per register: 1 = a later instruction sets it
  bool has_first = false;
  for (uint64_t i = kCallInstructions - 1; i-- > 0 && (form.number < 0 || !has_first);) {
    const Setting setting = internal::SettingOf(at(i));
    const bool is_first = setting.to == 0 && (set & 1) == 0;
    if (setting.to == 8 && (set & 1u << 8) == 0) {
      if (setting.kind != Setting::kNumber) return {};
      form.number = static_cast<int64_t>(setting.value);
    } else if (is_first && setting.kind == Setting::kNumber) {
      form.value = setting.value;
    } else if (is_first && (setting.kind == Setting::kUnknownValue || setting.from == 0 ||
                            (set & 1u << setting.from) != 0)) {
      return {};
    } else if (is_first) {
      form.from = setting.from;
      form.narrow = setting.kind != Setting::kMove;
      form.sign = setting.kind == Setting::kExtend;
    } else if (setting.kind == Setting::kOther) {
      return {};
    }
    has_first |= is_first;
    set |= 1u << setting.to;
  }
  return has_first ? form : CallForm{};
}

}  // namespace gprofx::wire
