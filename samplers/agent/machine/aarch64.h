// Runs in signal handlers. Facts about aarch64 that the agent needs: DWARF register numbers, the
// layout of signal frames, how to recognize a call and a system call.
//
// A call leaves the return address in x30. The callee saves x30 where its unwind rows say, mostly
// next to x29. With pointer authentication, the upper bits of a return address hold a signature.
//
// Sources: AAPCS64; DWARF for the Arm 64-bit architecture; Linux, arch/arm64/kernel/signal.c.
#pragma once

#include <sys/syscall.h>
#include <ucontext.h>

#include <cstdint>
#include <cstring>

#include "samplers/wire/machine/machine.h"

namespace gprofx::agent::machine {

// DWARF numbers: x0 to x30, sp, pc.
constexpr uint8_t kFramePointer = 29, kStackPointer = 31, kReturnAddress = 30;
constexpr uint8_t kInstructionPointer = 32, kRegisters = 33, kLastBase = 31;

// A call leaves the return address in a register (x30), where it stays until the callee saves it.
constexpr bool kHasLinkRegister = true;
// Unwind rows may contain DW_CFA_AARCH64_negate_ra_state, because return addresses may be signed.
constexpr bool kSignsReturnAddresses = true;
// User addresses have at most this many bits. The kernel gives larger ones (52 bits) only to
// programs that request them from mmap.
constexpr int kAddressBits = 48;

// Returns the return address without its signature. Applies a mask and uses no instruction of this
// processor, so the function also works on recorded stacks of another machine.
constexpr uint64_t Strip(uint64_t return_address) {
  return return_address & ((uint64_t{1} << kAddressBits) - 1);
}

// Distance in bytes from the stack pointer, at a signal trampoline, to the ucontext. The siginfo
// lies between them.
constexpr uint64_t kContextAboveSp = 128;

namespace internal {
// Offset of x0 in the ucontext. The flags, link, stack, mask and fault address precede it.
constexpr uint16_t kFirst = 184;
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

// True if a call instruction (bl or a form of blr) ends at `return_address`. That holds for every
// real return address. If the code cannot be read, increments *unreadable and returns false.
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

// Defined only because x86-64 has these two functions. On aarch64 the stack is not searched for
// return addresses, which is the only use.
template <class Memory>
uint64_t DirectCallTarget(const Memory&, uint64_t) {
  return 0;
}
template <class Memory>
bool JumpsOn(const Memory&, uint64_t) {
  return false;
}

// True if `ip` is at the code to which signal handlers return: mov x8, #139; svc #0. The unwinder
// must recognize that code, because most kernels provide no unwind rows for it.
template <class Memory>
bool IsSignalTrampoline(const Memory& memory, uint64_t ip) {
  uint64_t code = 0;
  return ip % 4 == 0 && memory.Read(ip, &code) && code == 0xd4000001d2801168;
}

// True if `ip` is in a PLT stub, which has no unwind rows. A stub ends with br x17, at most six
// instructions from its start.
template <class Memory>
bool InStub(const Memory& memory, uint64_t ip) {
  uint32_t code = 0;
  for (uint64_t i = 0; i < 6; ++i) {
    if (!memory.Read(ip + i * 4, &code)) return false;
    if (code == 0xd61f0220) return true;
  }
  return false;
}

inline auto& InstructionPointerOf(ucontext_t& context) { return context.uc_mcontext.pc; }
inline uint64_t StackPointerOf(const ucontext_t& context) { return context.uc_mcontext.sp; }

// AAPCS64 has no red zone.
constexpr uint64_t kRedZoneBytes = 0;

// Maximum stack use of a sample's own functions below the handler's entry, in bytes. -fstack-usage
// reports a seventh more than on x86-64.
constexpr uint64_t kSampleBytes = 4096;

// Returns the size of the kernel's signal frame for this context: siginfo, the context with 4 KiB
// for registers, and a frame record. If SVE or SME need more space, includes the extra space next
// to them. Source: struct extra_context of <asm/sigcontext.h>.
inline uint64_t SignalFrameBytes(const ucontext_t& context) {
  constexpr uint64_t kFixed = 128 + sizeof(ucontext_t) + 16 + 16;  // the last 16 for alignment
  constexpr uint32_t kExtra = 0x45585401;
  // Sizes in bytes; the size field follows the head and a pointer.
  constexpr uint64_t kHead = 8, kSizeInExtra = 16;
  const auto& records = context.uc_mcontext.__reserved;
  for (uint64_t at = 0; at + kSizeInExtra + 4 <= sizeof(records);) {
    uint32_t head[2];  // magic, size
    std::memcpy(head, &records[at], sizeof(head));
    if (head[0] == 0 || head[1] < kHead) break;
    if (head[0] == kExtra) {
      uint32_t size = 0;
      std::memcpy(&size, &records[at + kSizeInExtra], sizeof(size));
      return kFixed + size;
    }
    at += head[1];
  }
  return kFixed;
}

// True if the instruction just before `ip` is a system call.
template <class Memory>
bool FollowsSystemCall(const Memory& memory, uint64_t ip) {
  uint32_t code = 0;
  return memory.Read(ip - 4, &code) && code == 0xd4000001;
}

// ResultOf returns the result of an interrupted system call, ArgumentOf a reference to one of its
// arguments. The result overwrites argument 0, until MakeAgain restores it.
inline int64_t ResultOf(const ucontext_t& context) {
  return static_cast<int64_t>(context.uc_mcontext.regs[0]);
}
inline auto& ArgumentOf(ucontext_t& context, int argument) {
  return context.uc_mcontext.regs[argument];
}
// Moves the thread back before the system call and restores argument 0, which the result has
// overwritten. The thread then makes the call again. `form` says where the code had that argument;
// the kernel keeps all other registers. Returns false if the system call number is not the one in
// `form`.
inline bool MakeAgain(ucontext_t& context, const wire::CallForm& form) {
  auto& regs = context.uc_mcontext.regs;
  if (regs[8] != static_cast<uint64_t>(form.number)) return false;
  uint64_t first = form.from < 31 ? regs[form.from] : form.value;
  if (form.narrow) first &= 0xffffffff;
  if (form.sign) first = static_cast<uint64_t>(int64_t{static_cast<int32_t>(first)});
  regs[0] = first;
  context.uc_mcontext.pc -= 4;
  return true;
}

// IsToGoOn returns true if the thread is about to make the call that continues a stopped system
// call (restart_syscall). BeginAnew makes it start the stopped call again instead. The kernel has
// already restored that call's arguments.
inline bool IsToGoOn(const ucontext_t& context) {
  return context.uc_mcontext.regs[8] == SYS_restart_syscall;
}
inline void BeginAnew(ucontext_t& context, const wire::CallForm& form) {
  context.uc_mcontext.regs[8] = static_cast<uint64_t>(form.number);
}

__attribute__((always_inline)) inline uint64_t OwnStackPointer() {
  uint64_t sp;
  asm volatile("mov %0, sp" : "=r"(sp));
  return sp;
}

// Reads the present values of the callee-saved registers into `r`. Must be inlined, because they
// must be those of the calling function.
__attribute__((always_inline)) inline void ReadOwnRegisters(uint64_t (&r)[kRegisters]) {
  asm volatile("adr %0, ." : "=r"(r[kInstructionPointer]));
  asm volatile("mov %0, sp" : "=r"(r[kStackPointer]));
  asm volatile(
      "stp x19, x20, [%0, #152]\n"
      "stp x21, x22, [%0, #168]\n"
      "stp x23, x24, [%0, #184]\n"
      "stp x25, x26, [%0, #200]\n"
      "stp x27, x28, [%0, #216]\n"
      "stp x29, x30, [%0, #232]"
      :
      : "r"(r)
      : "memory");
}

// Ticks returns the processor's time counter, which is cheaper to read than a clock.
// LeastTicksPerMicrosecond returns the counter's rate, which the processor reports.
inline uint64_t Ticks() {
  uint64_t ticks = 0;
  asm volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
}
inline uint64_t LeastTicksPerMicrosecond() {
  uint64_t hertz = 0;
  asm volatile("mrs %0, cntfrq_el0" : "=r"(hertz));
  return hertz / 1'000'000;
}

// Prefetches the cache line of `at` for writing.
inline void FetchToWrite(const void* at) { __builtin_prefetch(at, 1); }

// Makes the client request RUNNING_ON_VALGRIND of valgrind.h: a sequence of instructions that does
// nothing on a real processor.
inline uint64_t AskValgrind(const volatile uint64_t (&request)[6]) {
  register uint64_t x3 asm("x3") = 0;
  register const volatile uint64_t* x4 asm("x4") = &request[0];
  asm volatile(
      "ror x12, x12, #3\nror x12, x12, #13\nror x12, x12, #51\nror x12, x12, #61\n"
      "orr x10, x10, x10"
      : "+r"(x3)
      : "r"(x4)
      : "cc", "memory");
  return x3;
}

// Name of clock_gettime(2) in the vDSO.
inline constexpr char kVdsoClock[] = "__kernel_clock_gettime";

// Makes system call `number`. Returns the kernel's result: -errno on failure.
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

// Assembler code of GprofxCallOnStack(argument, function, top), which stack_room.h declares. During
// the call, x29 keeps the old stack pointer and tells debuggers where the frame is.
#define GPROFX_CALL_ON_STACK           \
  "hint #34\n" /* bti c */             \
  "stp x29, x30, [sp, #-16]!\n"        \
  ".cfi_def_cfa_offset 16\n"           \
  ".cfi_offset 29, -16\n"              \
  ".cfi_offset 30, -8\n"               \
  "mov x29, sp\n"                      \
  ".cfi_def_cfa_register 29\n"         \
  "mov sp, x2\n"                       \
  "blr x1\n"                           \
  "mov sp, x29\n"                      \
  ".cfi_def_cfa_register 31\n"         \
  "ldp x29, x30, [sp], #16\n"          \
  ".cfi_def_cfa_offset 0\n"            \
  ".cfi_restore 29\n.cfi_restore 30\n" \
  "ret\n"

// Assembler code of syscall() in syscall_front.cpp. Three calls jump to `ours`, all others to the
// function that `*real` points to.
#define GPROFX_FRONT_OF_SYSCALL(ours, real) \
  "hint #34\n"                              \
  "cmp x0, #134\n"                          \
  "b.eq " ours                              \
  "\n"                                      \
  "cmp x0, #167\n"                          \
  "b.eq " ours                              \
  "\n"                                      \
  "cmp x0, #277\n"                          \
  "b.eq " ours                              \
  "\n"                                      \
  "adrp x16, " real                         \
  "\n"                                      \
  "ldr x16, [x16, #:lo12:" real             \
  "]\n"                                     \
  "br x16\n"
static_assert(SYS_rt_sigaction == 134 && SYS_prctl == 167 && SYS_seccomp == 277);

// Instructions of safe_load.h: a load for each width, a store, and the code at which a failed
// access resumes.
#define GPROFX_LOAD_8 "ldr %x[v], [%x[a]]"
#define GPROFX_STORE_8 "str %x[v], [%x[a]]"
#define GPROFX_LOAD_4 "ldr %w[v], [%x[a]]"
#define GPROFX_LOAD_2 "ldrh %w[v], [%x[a]]"
#define GPROFX_LOAD_1 "ldrb %w[v], [%x[a]]"
#define GPROFX_SET_FAILED "mov %w[f], #1\nb 2b"
