// Assembler fragments for aarch64 (machine.h explains them). Source: glibc,
// sysdeps/aarch64/start.S. `hint #34` is bti c, which older assemblers do not know.
#pragma once

#define GPROFX_OLDEST_GLIBC "2.17"

#define GPROFX_JUMP(place)           \
  "hint #34\n"                       \
  "adrp x16, :got:" place            \
  "\n"                               \
  "ldr x16, [x16, #:got_lo12:" place \
  "]\n"                              \
  "br x16\n"

#define GPROFX_START                        \
  "hint #34\n"                              \
  "mov x29, #0\n"                           \
  "mov x30, #0\n"                           \
  "mov x5, x0\n"     /* rtld_fini */        \
  "ldr x1, [sp]\n"   /* argc */             \
  "add x2, sp, #8\n" /* argv */             \
  "mov x6, sp\n"     /* end of the stack */ \
  "mov x3, #0\n"     /* init */             \
  "mov x4, #0\n"     /* fini */             \
  "adrp x0, main\n"                         \
  "add x0, x0, #:lo12:main\n"               \
  "bl __libc_start_main\n"                  \
  "brk #0\n"
#define GPROFX_CALLER_OF_START "x30"
