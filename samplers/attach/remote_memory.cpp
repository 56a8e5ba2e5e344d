#include "samplers/attach/remote_memory.h"

#include <sys/uio.h>

namespace gprofx {

bool RemoteMemory::Read(uint64_t address, void* to, size_t bytes) const {
  return ReadSome(address, to, bytes) == bytes;
}

size_t RemoteMemory::ReadSome(uint64_t address, void* to, size_t bytes) const {
  const iovec here{to, bytes};
  const iovec there{reinterpret_cast<void*>(address), bytes};
  const ssize_t got = process_vm_readv(pid_, &here, 1, &there, 1, 0);
  return got < 0 ? 0 : static_cast<size_t>(got);
}

bool RemoteMemory::Write(uint64_t address, const void* from, size_t bytes) const {
  const iovec here{const_cast<void*>(from), bytes};
  const iovec there{reinterpret_cast<void*>(address), bytes};
  return process_vm_writev(pid_, &here, 1, &there, 1, 0) == static_cast<ssize_t>(bytes);
}

}  // namespace gprofx
