// A stack that misleads who looks through it: code without unwind rows above 8 KiB of one word.
#pragma once

#include <cstdint>

// Fills 8 KiB of its stack with `word`, then spins; has no unwind rows.
extern "C" void FillAndSpin(uint64_t word, uint64_t rounds);
asm(R"(
.text
.globl FillAndSpin
FillAndSpin:
  sub $8192, %rsp
  xor %eax, %eax
1: mov %rdi, (%rsp,%rax,8)
  inc %eax
  cmp $1024, %eax
  jne 1b
2: dec %rsi
  jnz 2b
  add $8192, %rsp
  ret
)");
