// Runs in signal handlers: no allocation, no locks, bounded loops.
#include "samplers/agent/stacks/copied_memory.h"

#include <sys/uio.h>

#include <cstring>

#include "samplers/agent/confinement/limits.h"
#include "samplers/agent/libc/raw_syscall.h"

namespace gprofx::agent {

void CopiedMemory::Forget() {
  ++sample_;
  copies_ = 0;
  pid_ = RawSyscall(SYS_getpid);
}

const CopiedMemory::Page& CopiedMemory::Get(uint64_t number) {
  Page& page = pages_[number % kPages];
  if (page.sample == sample_ && page.number == number) return page;
  page.number = number;
  page.sample = sample_;
  page.readable = false;
  ++copies_;
  if (!Allowed(kNeedCopies)) return page;
  iovec to{page.bytes, kPageBytes};
  iovec from{reinterpret_cast<void*>(number * kPageBytes), kPageBytes};
  const long got =
      RawSyscall(SYS_process_vm_readv, pid_, AsArgument(&to), 1, AsArgument(&from), 1, 0);
  page.readable = got == static_cast<long>(kPageBytes);
  return page;
}

bool CopiedMemory::Read(uint64_t address, void* to, uint64_t bytes) {
  auto* out = static_cast<uint8_t*>(to);
  while (bytes != 0) {
    const Page& page = Get(address / kPageBytes);
    if (!page.readable) return false;
    const uint64_t at = address % kPageBytes;
    const uint64_t part = bytes < kPageBytes - at ? bytes : kPageBytes - at;
    std::memcpy(out, page.bytes + at, part);
    out += part;
    address += part;
    bytes -= part;
  }
  return true;
}

}  // namespace gprofx::agent
