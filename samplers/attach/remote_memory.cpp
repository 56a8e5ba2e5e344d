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

bool RemoteMemory::WriteInOrder(const std::vector<MemoryPart>& parts) const {
  std::vector<iovec> here, there;
  size_t bytes = 0;
  for (const MemoryPart& part : parts) {
    here.push_back({const_cast<char*>(part.bytes.data()), part.bytes.size()});
    there.push_back({reinterpret_cast<void*>(part.address), part.bytes.size()});
    bytes += part.bytes.size();
  }
  return process_vm_writev(pid_, here.data(), here.size(), there.data(), there.size(), 0) ==
         static_cast<ssize_t>(bytes);
}

}  // namespace gprofx
