// Runs in signal handlers. Loads from memory that may not be mapped. Such a safe load reports
// failure instead of killing the process.
//
// A safe load is one instruction. The section gprofx_extable lists its address together with the
// address of code that reports failure (its landing). The fault handler (fault.h) finds the
// faulting instruction in that list and resumes at the landing. A load that succeeds makes no call
// and takes no branch, and costs about one nanosecond. Before the fault handler is installed, a bad
// address kills the process.
//
// Where a thread must not fault, the same functions copy the memory through the kernel instead
// (UseCopies, copied_memory.h). Method: the exception table of the Linux kernel.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "samplers/agent/machine/machine.h"
#include "samplers/agent/stacks/copied_memory.h"

namespace gprofx::agent {

// During the lifetime of this object, safe loads of the calling thread copy memory through `copies`
// and do not fault. If `copies` is null, they may fault. Objects may nest, because a handler may
// interrupt a thread that has one.
class UseCopies {
 public:
  explicit UseCopies(CopiedMemory* copies) : before_(current) {
    if (copies != nullptr) copies->Forget();
    current = copies;
  }
  ~UseCopies() { current = before_; }
  UseCopies(const UseCopies&) = delete;
  UseCopies& operator=(const UseCopies&) = delete;

  static constinit thread_local CopiedMemory* current;

 private:
  CopiedMemory* const before_;
};

#define GPROFX_SAFE_MOV(instruction, value, failed, address)        \
  asm volatile("1: " instruction                                    \
               "\n"                                                 \
               "2:\n"                                               \
               ".pushsection .text.gprofx_fixup,\"ax\",@progbits\n" \
               "3: " GPROFX_SET_FAILED                              \
               "\n"                                                 \
               ".popsection\n"                                      \
               ".pushsection gprofx_extable,\"a\",@progbits\n"      \
               ".balign 4\n"                                        \
               ".long 1b - ., 3b - .\n"                             \
               ".popsection\n"                                      \
               : [v] "=&r"(value), [f] "+&r"(failed)                \
               : [a] "r"(address)                                   \
               : "memory")

// Reads a trivially copyable value of 1, 2, 4 or 8 bytes. If the address is not readable, returns
// false and sets *out to 0.
template <class T>
inline bool SafeLoad(uint64_t address, T* out) {
  static_assert(std::is_trivially_copyable_v<T>);
  if (CopiedMemory* copies = UseCopies::current; __builtin_expect(copies != nullptr, 0)) {
    if (copies->Read(address, out, sizeof(T))) return true;
    *out = T{};
    return false;
  }
  uint32_t failed = 0;
  uint64_t wide = 0;
  uint32_t narrow = 0;
  if constexpr (sizeof(T) == 8) {
    GPROFX_SAFE_MOV(GPROFX_LOAD_8, wide, failed, address);
  } else if constexpr (sizeof(T) == 4) {
    GPROFX_SAFE_MOV(GPROFX_LOAD_4, narrow, failed, address);
    wide = narrow;
  } else if constexpr (sizeof(T) == 2) {
    GPROFX_SAFE_MOV(GPROFX_LOAD_2, narrow, failed, address);
    wide = narrow;
  } else {
    static_assert(sizeof(T) == 1);
    GPROFX_SAFE_MOV(GPROFX_LOAD_1, narrow, failed, address);
    wide = narrow;
  }
  if (__builtin_expect(failed != 0, 0)) wide = 0;
  std::memcpy(out, &wide, sizeof(T));
  return failed == 0;
}

// Writes an aligned word atomically. Returns false if it cannot be written. Use it only where our
// fault handler is installed.
inline bool SafeStore(uint64_t address, uint64_t value) {
  uint32_t failed = 0;
  asm volatile("1: " GPROFX_STORE_8
               "\n"
               "2:\n"
               ".pushsection .text.gprofx_fixup,\"ax\",@progbits\n"
               "3: " GPROFX_SET_FAILED
               "\n"
               ".popsection\n"
               ".pushsection gprofx_extable,\"a\",@progbits\n"
               ".balign 4\n"
               ".long 1b - ., 3b - .\n"
               ".popsection\n"
               : [f] "+&r"(failed)
               : [v] "r"(value), [a] "r"(address)
               : "memory");
  return failed == 0;
}

// Copies `bytes` bytes from `address`. Returns false, after a partial copy, if a byte is not
// readable.
bool SafeCopy(void* to, uint64_t address, uint64_t bytes);

// Memory policy of the walkers (unwind/walk.h, python/frames.h) that uses safe loads.
struct SafeMemory {
  template <class T>
  bool Read(uint64_t address, T* out) const {
    return SafeLoad(address, out);
  }
  bool MaySearch() const {
    return UseCopies::current == nullptr || UseCopies::current->MaySearch();
  }
  void Fetch(uint64_t address) const { __builtin_prefetch(reinterpret_cast<const void*>(address)); }
};

}  // namespace gprofx::agent
