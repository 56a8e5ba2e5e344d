// Memory of another process, by process_vm_readv(2). Reads and writes whole pieces or nothing that
// counts: false means that a part is not mapped, or that the process is gone. Any thread.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace gprofx {

struct MemoryPart {
  uint64_t address = 0;
  std::string bytes;
};

class RemoteMemory {
 public:
  explicit RemoteMemory(pid_t pid) : pid_(pid) {}

  bool Read(uint64_t address, void* to, size_t bytes) const;
  bool Write(uint64_t address, const void* from, size_t bytes) const;
  // One after the other, by one call: who runs there meanwhile sees them in this order.
  bool WriteInOrder(const std::vector<MemoryPart>& parts) const;
  // As much as is readable, up to `bytes`.
  size_t ReadSome(uint64_t address, void* to, size_t bytes) const;
  template <class T>
  bool Get(uint64_t address, T* to) const {
    return Read(address, to, sizeof(T));
  }

 private:
  pid_t pid_;
};

}  // namespace gprofx
