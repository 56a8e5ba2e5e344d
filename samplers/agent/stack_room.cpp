// Signal path.
#include "samplers/agent/stack_room.h"

// rbx keeps the old stack pointer over the call, and tells debuggers where the frame is.
asm(R"(
  .text
  .hidden GprofxCallOnStack
  .globl GprofxCallOnStack
  .type GprofxCallOnStack, @function
GprofxCallOnStack:
  .cfi_startproc
  endbr64
  pushq %rbx
  .cfi_adjust_cfa_offset 8
  .cfi_rel_offset %rbx, 0
  movq %rsp, %rbx
  .cfi_def_cfa_register %rbx
  movq %rdx, %rsp
  call *%rsi
  movq %rbx, %rsp
  .cfi_def_cfa_register %rsp
  popq %rbx
  .cfi_adjust_cfa_offset -8
  .cfi_restore %rbx
  ret
  .cfi_endproc
  .size GprofxCallOnStack, .-GprofxCallOnStack
)");
