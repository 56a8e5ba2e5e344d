// Keeps the libraries that live in the target loadable by old C libraries. They may need nothing
// newer than GLIBC_2.17 (cmake/CheckBundle.cmake checks the files).
//
// A library that is linked against a new glibc requires the newest version of each function,
// although most of them only moved from libpthread and libdl into libc (2.34). GPROFX_OLD binds a
// name to the version that every glibc of this processor has. It does so for the whole library,
// including static archives: they find the hidden function that is defined here, which jumps to the
// old version. Functions that old glibc does not have at all are defined by each library in its own
// old_glibc.cpp.
#pragma once

#include "samplers/machine/machine.h"

// Declares only a name for the old version: gprofx_old_NAME.
#define GPROFX_OLD_NAME(name) \
  __asm__(".symver gprofx_old_" #name ", " #name "@GLIBC_" GPROFX_OLDEST_GLIBC)

#define GPROFX_OLD(name)                                                                      \
  GPROFX_OLD_NAME(name);                                                                      \
  __asm__(".pushsection .text.gprofx_old_" #name                                              \
          ", \"ax\", @progbits\n"                                                             \
          ".globl " #name "\n.hidden " #name "\n.type " #name ", @function\n" #name           \
          ":\n.cfi_startproc\n" GPROFX_JUMP("gprofx_old_" #name) ".cfi_endproc\n.size " #name \
                                                                 ", . - " #name "\n.popsection\n")
