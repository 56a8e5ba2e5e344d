// Signal path. aarch64: a call leaves the return address in x30, and the callee saves it where its
// unwind rows say, mostly beside x29. With pointer authentication its upper bits are a signature.
// Sources: AAPCS64; DWARF for the Arm 64-bit architecture; Linux, arch/arm64/kernel/signal.c.
#pragma once

#include <ucontext.h>

#include <cstdint>

namespace gprofx::agent::machine {

// DWARF numbers: x0 to x30, sp, pc.
constexpr uint8_t kFramePointer = 29, kStackPointer = 31, kReturnAddress = 30;
constexpr uint8_t kInstructionPointer = 32, kRegisters = 33, kLastBase = 31;

// Is the return address in a register until the callee saves it?
constexpr bool kHasLinkRegister = true;
// DW_CFA_AARCH64_negate_ra_state.
constexpr bool kSignsReturnAddresses = true;
// More (52) are given only to programs that ask mmap for such an address.
constexpr int kAddressBits = 48;

// Without its signature. By a mask, so that it works on stacks of another machine too.
constexpr uint64_t Strip(uint64_t return_address) {
  return return_address & ((uint64_t{1} << kAddressBits) - 1);
}

// From the stack pointer at a signal's trampoline to the ucontext: siginfo lies below it.
constexpr uint64_t kContextAboveSp = 128;

namespace internal {
constexpr uint16_t kFirst = 184;  // flags, link, stack, mask, fault address
struct Offsets {
  uint16_t of[kRegisters] = {};
  constexpr Offsets() {
    for (int i = 0; i < kRegisters; ++i) of[i] = static_cast<uint16_t>(kFirst + i * 8);
  }
  constexpr uint16_t operator[](int i) const { return of[i]; }
};
}  // namespace internal

// Offsets of registers in the ucontext on the signal stack, by DWARF register number.
constexpr internal::Offsets kContextOffset;

// bl or one of the forms of blr lies right before every return address. Counts what cannot be read.
template <class Memory>
bool FollowsCall(const Memory& memory, uint64_t return_address, uint32_t* unreadable) {
  uint32_t code = 0;
  if (return_address % 4 != 0) return false;
  if (!memory.Read(return_address - 4, &code)) {
    ++*unreadable;
    return false;
  }
  const bool bl = (code & 0xfc000000) == 0x94000000;
  const bool blr = (code & 0xfffffc1f) == 0xd63f0000;
  const bool authenticated = (code & 0xfefff800) == 0xd63f0800;  // blraa, blrab, blraaz, blrabz
  return bl || blr || authenticated;
}

// mov x8, #139; svc #0: where a signal handler returns to. Most kernels give it no unwind rows.
template <class Memory>
bool IsSignalTrampoline(const Memory& memory, uint64_t ip) {
  uint64_t code = 0;
  return ip % 4 == 0 && memory.Read(ip, &code) && code == 0xd4000001d2801168;
}

inline auto& InstructionPointerOf(ucontext_t& context) { return context.uc_mcontext.pc; }

// What the kernel answers: -errno on failure.
inline long SystemCall(long number, long a, long b, long c, long d, long e, long f) {
  register long x8 asm("x8") = number;
  register long x0 asm("x0") = a;
  register long x1 asm("x1") = b;
  register long x2 asm("x2") = c;
  register long x3 asm("x3") = d;
  register long x4 asm("x4") = e;
  register long x5 asm("x5") = f;
  asm volatile("svc #0"
               : "+r"(x0)
               : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
               : "memory");
  return x0;
}

}  // namespace gprofx::agent::machine

// The instructions of safe_load.h: a load by its width, and the landing of one that faulted.
#define GPROFX_LOAD_8 "ldr %x[v], [%x[a]]"
#define GPROFX_LOAD_4 "ldr %w[v], [%x[a]]"
#define GPROFX_LOAD_2 "ldrh %w[v], [%x[a]]"
#define GPROFX_LOAD_1 "ldrb %w[v], [%x[a]]"
#define GPROFX_SET_FAILED "mov %w[f], #1\nb 2b"
