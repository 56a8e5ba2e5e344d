#pragma once

#define GPROFX_FILL_AND_SPIN      \
  "sub sp, sp, #8192\n"           \
  "mov x2, #0\n"                  \
  "1: str x0, [sp, x2, lsl #3]\n" \
  "add x2, x2, #1\n"              \
  "cmp x2, #1024\n"               \
  "b.ne 1b\n"                     \
  "2: subs x1, x1, #1\n"          \
  "b.ne 2b\n"                     \
  "add sp, sp, #8192\n"           \
  "ret\n"

#define GPROFX_FILL_AND_CALL      \
  "stp x29, x30, [sp, #-16]!\n"   \
  "sub sp, sp, #8192\n"           \
  "mov x2, #0\n"                  \
  "1: str x0, [sp, x2, lsl #3]\n" \
  "add x2, x2, #1\n"              \
  "cmp x2, #1024\n"               \
  "b.ne 1b\n"                     \
  "mov x29, #0\n"                 \
  "blr x1\n"                      \
  "add sp, sp, #8192\n"           \
  "ldp x29, x30, [sp], #16\n"     \
  "ret\n"

#define GPROFX_RAW_RETURN "mov x8, #139\nsvc #0\n"

#define GPROFX_FAULT                    \
  asm volatile(                         \
      "mov x9, #0\n"                    \
      ".globl fault_here, fault_done\n" \
      "fault_here: ldr x9, [x9]\n"      \
      "fault_done:\n" ::                \
          : "x9", "memory")

inline auto& InstructionPointer(ucontext_t* context) { return context->uc_mcontext.pc; }
