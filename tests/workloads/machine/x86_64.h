#pragma once

#define GPROFX_FILL_AND_SPIN     \
  "sub $8192, %rsp\n"            \
  "xor %eax, %eax\n"             \
  "1: mov %rdi, (%rsp,%rax,8)\n" \
  "inc %eax\n"                   \
  "cmp $1024, %eax\n"            \
  "jne 1b\n"                     \
  "2: dec %rsi\n"                \
  "jnz 2b\n"                     \
  "add $8192, %rsp\n"            \
  "ret\n"

#define GPROFX_FILL_AND_CALL     \
  "sub $8200, %rsp\n"            \
  "xor %eax, %eax\n"             \
  "1: mov %rdi, (%rsp,%rax,8)\n" \
  "inc %eax\n"                   \
  "cmp $1025, %eax\n"            \
  "jne 1b\n"                     \
  "xor %ebp, %ebp\n"             \
  "call *%rsi\n"                 \
  "add $8200, %rsp\n"            \
  "ret\n"

#define GPROFX_RAW_RETURN "mov $15, %rax\nsyscall\n"

#define GPROFX_FAULT                     \
  asm volatile(                          \
      "xor %%eax, %%eax\n"               \
      ".globl fault_here, fault_done\n"  \
      "fault_here: mov (%%rax), %%eax\n" \
      "fault_done:\n" ::                 \
          : "rax", "memory")

inline auto& InstructionPointer(ucontext_t* context) { return context->uc_mcontext.gregs[REG_RIP]; }
