// Runs in signal handlers.
#include "samplers/agent/stacks/stack_room.h"

#include "samplers/agent/machine/machine.h"

asm(".text\n"
    ".hidden GprofxCallOnStack\n"
    ".globl GprofxCallOnStack\n"
    ".type GprofxCallOnStack, @function\n"
    "GprofxCallOnStack:\n"
    ".cfi_startproc\n" GPROFX_CALL_ON_STACK
    ".cfi_endproc\n"
    ".size GprofxCallOnStack, .-GprofxCallOnStack\n");
