// Assembler fragments for x86-64 (machine.h explains them). Source: glibc, sysdeps/x86_64/start.S.
#pragma once

#define GPROFX_OLDEST_GLIBC "2.2.5"

#define GPROFX_JUMP(place) "endbr64\njmp *" place "@GOTPCREL(%rip)\n"

#define GPROFX_START                        \
  "xor %ebp, %ebp\n"                        \
  "mov %rdx, %r9\n"  /* rtld_fini */        \
  "pop %rsi\n"       /* argc */             \
  "mov %rsp, %rdx\n" /* argv */             \
  "and $-16, %rsp\n"                        \
  "push %rax\n"                             \
  "push %rsp\n"      /* end of the stack */ \
  "xor %r8d, %r8d\n" /* fini */             \
  "xor %ecx, %ecx\n" /* init */             \
  "lea main(%rip), %rdi\n"                  \
  "call __libc_start_main\n"                \
  "hlt\n"
#define GPROFX_CALLER_OF_START "rip"
