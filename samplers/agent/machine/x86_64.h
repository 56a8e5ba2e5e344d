// Signal path. x86-64: the return address lies right below the caller's stack pointer, always.
// Sources: the x86-64 psABI; Linux, arch/x86/include/asm/sigframe.h.
#pragma once

#include <ucontext.h>

#include <cstdint>

namespace gprofx::agent::machine {

// DWARF numbers. The instruction pointer has that of the return address.
constexpr uint8_t kFramePointer = 6, kStackPointer = 7, kReturnAddress = 16;
constexpr uint8_t kInstructionPointer = 16, kRegisters = 17, kLastBase = 15;

// Is the return address in a register until the callee saves it?
constexpr bool kHasLinkRegister = false;
// DW_CFA_AARCH64_negate_ra_state.
constexpr bool kSignsReturnAddresses = false;
constexpr int kAddressBits = 47;

constexpr uint64_t Strip(uint64_t return_address) { return return_address; }

// From the stack pointer at a signal's trampoline to the ucontext.
constexpr uint64_t kContextAboveSp = 0;

// Offsets of gregs in the ucontext on the signal stack, by DWARF register number.
constexpr uint16_t kContextOffset[kRegisters] = {40 + 13 * 8 /*rax*/,
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

// `call` ends right before every return address. Looks at no more bytes than it must: the first
// function of a mapping may call in its first instruction. Counts what cannot be read.
template <class Memory>
bool FollowsCall(const Memory& memory, uint64_t return_address, uint32_t* unreadable) {
  uint8_t next = 0;  // the byte behind
  for (uint64_t length = 1; length <= 7; ++length) {
    uint8_t byte = 0;
    if (!memory.Read(return_address - length, &byte)) {
      ++*unreadable;
      return false;
    }
    if (length >= 2 && byte == 0xff && (next >> 3 & 7) == 2) return true;  // ff /2
    if (length == 5 && byte == 0xe8) return true;
    next = byte;
  }
  return false;
}

// mov $15, %rax; syscall: where a signal handler returns to. Not all of them have unwind rows.
template <class Memory>
bool IsSignalTrampoline(const Memory& memory, uint64_t ip) {
  uint64_t code = 0;
  uint8_t last = 0;
  return memory.Read(ip, &code) && code == 0x0f0000000fc0c748 && memory.Read(ip + 8, &last) &&
         last == 0x05;
}

inline greg_t& InstructionPointerOf(ucontext_t& context) {
  return context.uc_mcontext.gregs[REG_RIP];
}

// What the kernel answers: -errno on failure.
inline long SystemCall(long number, long a, long b, long c, long d, long e, long f) {
  long result = number;
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  asm volatile("syscall"
               : "+a"(result)
               : "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
}

}  // namespace gprofx::agent::machine

// The instructions of safe_load.h: a load by its width, and the landing of one that faulted.
#define GPROFX_LOAD_8 "movq (%[a]), %[v]"
#define GPROFX_LOAD_4 "movl (%[a]), %[v]"
#define GPROFX_LOAD_2 "movzwl (%[a]), %[v]"
#define GPROFX_LOAD_1 "movzbl (%[a]), %[v]"
#define GPROFX_SET_FAILED "movl $1, %[f]\njmp 2b"
