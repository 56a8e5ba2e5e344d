// Runs in signal handlers. Facts about x86-64 that the agent needs: DWARF register numbers, the
// layout of signal frames, how to recognize a call and a system call.
//
// The return address is always in the word just below the caller's stack pointer (the CFA).
//
// Sources: the x86-64 psABI; Linux, arch/x86/include/asm/sigframe.h.
#pragma once

#include <sys/syscall.h>
#include <ucontext.h>

#include <cstdint>
#include <cstring>

#include "samplers/wire/machine/machine.h"

namespace gprofx::agent::machine {

// DWARF register numbers. The instruction pointer has the number of the return address.
constexpr uint8_t kFramePointer = 6, kStackPointer = 7, kReturnAddress = 16;
constexpr uint8_t kInstructionPointer = 16, kRegisters = 17, kLastBase = 15;

// A call pushes the return address on the stack. On other machines it is in a register at first.
constexpr bool kHasLinkRegister = false;
// Return addresses are never signed (DW_CFA_AARCH64_negate_ra_state exists only on aarch64).
constexpr bool kSignsReturnAddresses = false;
constexpr int kAddressBits = 47;

constexpr uint64_t Strip(uint64_t return_address) { return return_address; }

// Distance in bytes from the stack pointer, at a signal trampoline, to the ucontext.
constexpr uint64_t kContextAboveSp = 0;

// Offsets of the registers (gregs) in the ucontext on the signal stack, by DWARF register number.
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

// True if a `call` instruction ends just before `return_address`. That holds for every real return
// address. Reads no more bytes than needed: the first function of a mapping may call in its first
// instruction, and the bytes before it may not be readable. If the code cannot be read, increments
// *unreadable and returns false.
template <class Memory>
bool FollowsCall(const Memory& memory, uint64_t return_address, uint32_t* unreadable) {
  uint8_t next = 0;  // the byte after `byte`
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

// Returns the target of the direct call that ends at `return_address`. Returns 0 if the instruction
// is not a direct call or may be another one.
template <class Memory>
uint64_t DirectCallTarget(const Memory& memory, uint64_t return_address) {
  uint8_t code[5] = {};
  for (uint64_t i = 0; i < sizeof(code); ++i) {
    if (!memory.Read(return_address - sizeof(code) + i, &code[i])) return 0;
  }
  for (int i = 1; i <= 3; ++i) {
    // The bytes may also be an indirect call, ff /2.
    if (code[i] == 0xff && (code[i + 1] >> 3 & 7) == 2) return 0;
  }
  int32_t distance = 0;
  std::memcpy(&distance, code + 1, sizeof(distance));
  return code[0] == 0xe8 ? return_address + static_cast<uint64_t>(int64_t{distance}) : 0;
}

// True if the code at `ip` begins with a jump, as PLT stubs do. An endbr64 instruction and a bnd
// prefix may precede the jump.
template <class Memory>
bool JumpsOn(const Memory& memory, uint64_t ip) {
  uint32_t start = 0;
  if (memory.Read(ip, &start) && start == 0xfa1e0ff3) ip += 4;
  uint8_t byte = 0;
  if (memory.Read(ip, &byte) && byte == 0xf2) ++ip;
  uint8_t next = 0;
  if (!memory.Read(ip, &byte) || !memory.Read(ip + 1, &next)) return false;
  return byte == 0xe9 || byte == 0xeb || (byte == 0xff && (next >> 3 & 7) == 4);
}

// True if `ip` is at the code to which signal handlers return: mov $15, %rax; syscall. The unwinder
// must recognize that code, because not all versions of it have unwind rows.
template <class Memory>
bool IsSignalTrampoline(const Memory& memory, uint64_t ip) {
  uint64_t code = 0;
  uint8_t last = 0;
  return memory.Read(ip, &code) && code == 0x0f0000000fc0c748 && memory.Read(ip + 8, &last) &&
         last == 0x05;
}

// Always false: PLT stubs have unwind rows on x86-64.
template <class Memory>
bool InStub(const Memory&, uint64_t) {
  return false;
}

inline greg_t& InstructionPointerOf(ucontext_t& context) {
  return context.uc_mcontext.gregs[REG_RIP];
}
inline uint64_t StackPointerOf(const ucontext_t& context) {
  return static_cast<uint64_t>(context.uc_mcontext.gregs[REG_RSP]);
}

// Bytes that a function may use below its stack pointer. Source: the psABI.
constexpr uint64_t kRedZoneBytes = 128;

// Maximum stack use of the agent's functions that take a sample, below the handler's entry, in
// bytes. The longest chain of calls, which finds the name of a PyTorch module, uses 2.9 KiB.
constexpr uint64_t kSampleBytes = 3584;

// Returns the size of the kernel's signal frame for this context, with all registers that are in
// use. The frame of the next signal has the same size. It may be less than AT_MINSIGSTKSZ, which
// always includes the registers of AMX. Source: struct _fpx_sw_bytes of <asm/sigcontext.h>.
inline uint64_t SignalFrameBytes(const ucontext_t& context) {
  constexpr uint64_t kWithoutRegisters = 1024 + 128 + 64;  // context, siginfo; red zone; alignment
  constexpr uint64_t kLegacyBytes = 512, kSoftwareBytes = 464;
  constexpr uint32_t kMagic = 0x46505853;
  const auto* registers = reinterpret_cast<const char*>(context.uc_mcontext.fpregs);
  if (registers == nullptr) return kWithoutRegisters;
  uint32_t software[2];  // magic, size with the extended registers
  std::memcpy(software, registers + kSoftwareBytes, sizeof(software));
  return kWithoutRegisters + (software[0] == kMagic ? software[1] : kLegacyBytes);
}

// True if the instruction just before `ip` is a system call.
template <class Memory>
bool FollowsSystemCall(const Memory& memory, uint64_t ip) {
  uint16_t code = 0;
  return memory.Read(ip - 2, &code) && code == 0x050f;
}

// ResultOf returns the result of an interrupted system call, ArgumentOf a reference to one of its
// arguments 0 to 3.
inline int64_t ResultOf(const ucontext_t& context) { return context.uc_mcontext.gregs[REG_RAX]; }
inline greg_t& ArgumentOf(ucontext_t& context, int argument) {
  constexpr int kOrder[] = {REG_RDI, REG_RSI, REG_RDX, REG_R10};
  return context.uc_mcontext.gregs[kOrder[argument]];
}
// Moves the thread back before the system call, so that it makes the call again with the same
// arguments. `form` gives the number of the call. Always possible on x86-64, so the result is true.
inline bool MakeAgain(ucontext_t& context, const wire::CallForm& form) {
  context.uc_mcontext.gregs[REG_RAX] = form.number;
  context.uc_mcontext.gregs[REG_RIP] -= 2;
  return true;
}

// IsToGoOn returns true if the thread is about to make the call that continues a stopped system
// call (restart_syscall). BeginAnew makes it start the stopped call again instead, with its
// arguments.
inline bool IsToGoOn(const ucontext_t& context) {
  return context.uc_mcontext.gregs[REG_RAX] == SYS_restart_syscall;
}
inline void BeginAnew(ucontext_t& context, const wire::CallForm& form) {
  context.uc_mcontext.gregs[REG_RAX] = form.number;
}

__attribute__((always_inline)) inline uint64_t OwnStackPointer() {
  uint64_t sp;
  asm volatile("mov %%rsp, %0" : "=r"(sp));
  return sp;
}

// Reads the present values of the callee-saved registers into `r`. Must be inlined, because they
// must be those of the calling function.
__attribute__((always_inline)) inline void ReadOwnRegisters(uint64_t (&r)[kRegisters]) {
  asm volatile("lea (%%rip), %0" : "=r"(r[kInstructionPointer]));
  r[kStackPointer] = OwnStackPointer();
  asm volatile("mov %%rbp, %0" : "=r"(r[kFramePointer]));
  asm volatile("mov %%rbx, %0" : "=r"(r[3]));
  asm volatile("mov %%r12, %0" : "=r"(r[12]));
  asm volatile("mov %%r13, %0" : "=r"(r[13]));
  asm volatile("mov %%r14, %0" : "=r"(r[14]));
  asm volatile("mov %%r15, %0" : "=r"(r[15]));
}

// Ticks returns the processor's time counter. It is cheaper to read than a clock, because the
// processor does not wait for earlier loads. The counter's rate is unknown here;
// LeastTicksPerMicrosecond is a lower bound of it.
inline uint64_t Ticks() { return __builtin_ia32_rdtsc(); }
inline uint64_t LeastTicksPerMicrosecond() { return 1000; }

// Prefetches the cache line of `at` for writing. Uses the instruction itself: without -mprfchw the
// compiler would prefetch the line for reading.
inline void FetchToWrite(const void* at) {
  asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(at)));
}

// Makes the client request RUNNING_ON_VALGRIND of valgrind.h: a sequence of instructions that does
// nothing on a real processor.
inline uint64_t AskValgrind(const volatile uint64_t (&request)[6]) {
  uint64_t result = 0;
  asm volatile(
      "rolq $3, %%rdi; rolq $13, %%rdi; rolq $61, %%rdi; rolq $51, %%rdi\n\t"
      "xchgq %%rbx, %%rbx"
      : "+d"(result)
      : "a"(&request[0])
      : "cc", "memory");
  return result;
}

// Name of clock_gettime(2) in the vDSO.
inline constexpr char kVdsoClock[] = "__vdso_clock_gettime";

// Makes system call `number`. Returns the kernel's result: -errno on failure.
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

// Assembler code of GprofxCallOnStack(argument, function, top), which stack_room.h declares. During
// the call, rbx keeps the old stack pointer and tells debuggers where the frame is.
#define GPROFX_CALL_ON_STACK     \
  "endbr64\n"                    \
  "pushq %rbx\n"                 \
  ".cfi_adjust_cfa_offset 8\n"   \
  ".cfi_rel_offset %rbx, 0\n"    \
  "movq %rsp, %rbx\n"            \
  ".cfi_def_cfa_register %rbx\n" \
  "movq %rdx, %rsp\n"            \
  "call *%rsi\n"                 \
  "movq %rbx, %rsp\n"            \
  ".cfi_def_cfa_register %rsp\n" \
  "popq %rbx\n"                  \
  ".cfi_adjust_cfa_offset -8\n"  \
  ".cfi_restore %rbx\n"          \
  "ret\n"

// Assembler code of syscall() in syscall_front.cpp. Three calls jump to `ours`, all others to the
// function that `*real` points to.
#define GPROFX_FRONT_OF_SYSCALL(ours, real) \
  "endbr64\n"                               \
  "cmpq $13, %rdi\n"                        \
  "je " ours                                \
  "\n"                                      \
  "cmpq $157, %rdi\n"                       \
  "je " ours                                \
  "\n"                                      \
  "cmpq $317, %rdi\n"                       \
  "je " ours                                \
  "\n"                                      \
  "jmpq *" real "(%rip)\n"
static_assert(SYS_rt_sigaction == 13 && SYS_prctl == 157 && SYS_seccomp == 317);

// Instructions of safe_load.h: a load for each width, a store, and the code at which a failed
// access resumes.
#define GPROFX_LOAD_8 "movq (%[a]), %[v]"
#define GPROFX_STORE_8 "movq %[v], (%[a])"
#define GPROFX_LOAD_4 "movl (%[a]), %[v]"
#define GPROFX_LOAD_2 "movzwl (%[a]), %[v]"
#define GPROFX_LOAD_1 "movzbl (%[a]), %[v]"
#define GPROFX_SET_FAILED "movl $1, %[f]\njmp 2b"
