#include "samplers/attach/injected_code.h"

#include <cstddef>

#include "samplers/wire/attach.h"

namespace gprofx::attach {
namespace {

using wire::AttachRequest;
static_assert(sizeof(std::atomic<uint32_t>) == 4);

}  // namespace

extern "C" const std::byte gprofx_injected_begin[], gprofx_injected_call[],
    gprofx_injected_trapped[], gprofx_injected_thread[], gprofx_injected_end[];

// Never called. It exists because an asm statement with operands must be inside a function.
__attribute__((used, noinline)) static void Emit() {
  asm volatile(
      ".pushsection .rodata.gprofx_injected, \"a\"\n"
      ".balign 16\n"
      ".globl gprofx_injected_begin\n gprofx_injected_begin:\n"
      ".globl gprofx_injected_call\n gprofx_injected_call:\n"
      "  call *%%rax\n"
      "  int3\n"
      ".globl gprofx_injected_trapped\n gprofx_injected_trapped:\n"
      "  ud2\n"
      ".globl gprofx_injected_thread\n gprofx_injected_thread:\n"
      "  push %%rbx\n"
      "  mov %%rdi, %%rbx\n"
      "  mov %c[thread](%%rbx), %%rdi\n"
      "  call *%c[detach](%%rbx)\n"
      // The thread waits ten seconds for the recorder. If it hears nothing, the recorder has ended.
      "  push %%r12\n"
      "  push %%r13\n"
      "  mov $50000, %%r12d\n"
      "1: cmpl $%c[released], %c[go](%%rbx)\n"
      "  jae 2f\n"
      "  call 9f\n"
      "  dec %%r12d\n"
      "  jnz 1b\n"
      "  jmp 8f\n"
      "2: mov %c[entry](%%rbx), %%rax\n"
      "  test %%rax, %%rax\n"
      "  jnz 3f\n"
      "  lea %c[library](%%rbx), %%rdi\n"
      "  mov %c[flags](%%rbx), %%rsi\n"
      "  call *%c[dlopen](%%rbx)\n"
      "  test %%rax, %%rax\n"
      "  jz 4f\n"
      "  mov %%rax, %%rdi\n"
      "  lea %c[name](%%rbx), %%rsi\n"
      "  call *%c[dlsym](%%rbx)\n"
      "  test %%rax, %%rax\n"
      "  jz 4f\n"
      "3: mov %%rbx, %%rdi\n"
      "  call *%%rax\n"
      "  jmp 6f\n"
      // Copies the text of the loader's error. The last byte of the buffer stays 0.
      "4: movl $%c[not_loaded], %c[result](%%rbx)\n"
      "  mov %c[dlerror](%%rbx), %%rax\n"
      "  test %%rax, %%rax\n"
      "  jz 6f\n"
      "  call *%%rax\n"
      "  test %%rax, %%rax\n"
      "  jz 6f\n"
      "  xor %%ecx, %%ecx\n"
      "5: mov (%%rax,%%rcx), %%dl\n"
      "  mov %%dl, %c[error](%%rbx,%%rcx)\n"
      "  inc %%ecx\n"
      "  test %%dl, %%dl\n"
      "  jz 6f\n"
      "  cmp $%c[most], %%ecx\n"
      "  jb 5b\n"
      "6: mov %c[file](%%rbx), %%rdi\n"
      "  test %%rdi, %%rdi\n"
      "  js 11f\n"
      "  mov $3, %%eax\n"
      "  syscall\n"
      "11: movl $%c[done], %c[state](%%rbx)\n"
      "  mov $50000, %%r12d\n"
      "7: cmpl $%c[leave], %c[go](%%rbx)\n"
      "  je 8f\n"
      "  call 9f\n"
      "  dec %%r12d\n"
      "  jnz 7b\n"
      "8: mov %c[begin](%%rbx), %%rdi\n"
      "  mov %c[bytes](%%rbx), %%rsi\n"
      "  mov %c[munmap](%%rbx), %%rax\n"
      "  pop %%r13\n"
      "  pop %%r12\n"
      "  pop %%rbx\n"
      "  jmp *%%rax\n"
      // Sleeps for 200 us by a direct system call.
      "9: lea 10f(%%rip), %%rdi\n"
      "  xor %%esi, %%esi\n"
      "  mov $35, %%eax\n"
      "  syscall\n"
      "  ret\n"
      ".balign 8\n"
      "10: .quad 0, 200000\n"
      ".globl gprofx_injected_end\n gprofx_injected_end:\n"
      ".popsection\n"
      :
      :
      [thread] "i"(offsetof(AttachRequest, thread)), [go] "i"(offsetof(AttachRequest, go)),
      [detach] "i"(offsetof(AttachRequest, pthread_detach)),
      [entry] "i"(offsetof(AttachRequest, entry)), [dlopen] "i"(offsetof(AttachRequest, dlopen)),
      [dlsym] "i"(offsetof(AttachRequest, dlsym)), [dlerror] "i"(offsetof(AttachRequest, dlerror)),
      [munmap] "i"(offsetof(AttachRequest, munmap)), [begin] "i"(offsetof(AttachRequest, begin)),
      [bytes] "i"(offsetof(AttachRequest, bytes)), [flags] "i"(offsetof(AttachRequest, open_flags)),
      [library] "i"(offsetof(AttachRequest, library)), [name] "i"(offsetof(AttachRequest, name)),
      [error] "i"(offsetof(AttachRequest, error)), [result] "i"(offsetof(AttachRequest, result)),
      [file] "i"(offsetof(AttachRequest, file)), [state] "i"(offsetof(AttachRequest, state)),
      [released] "i"(wire::kGoReleased), [leave] "i"(wire::kGoLeave), [done] "i"(wire::kAttachDone),
      [not_loaded] "i"(wire::kAttachNotLoaded), [most] "i"(sizeof(AttachRequest::error) - 1));
}

std::span<const std::byte> InjectedCode() { return {gprofx_injected_begin, gprofx_injected_end}; }

size_t InjectedCallOffset() {
  return static_cast<size_t>(gprofx_injected_call - gprofx_injected_begin);
}
size_t InjectedTrapOffset() {
  return static_cast<size_t>(gprofx_injected_trapped - gprofx_injected_begin);
}
size_t InjectedThreadOffset() {
  return static_cast<size_t>(gprofx_injected_thread - gprofx_injected_begin);
}

}  // namespace gprofx::attach
